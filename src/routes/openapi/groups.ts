import type { Json } from './schemas.js'

const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Content: {
    pages: 'A page is a route with a content tree.',
    content: 'Entries: the nodes of content trees, with their values and their publication.',
    'content changes': 'Changes that are not yet published.',
    'content versions': 'Saved states of an entry with everything under it.',
    trash: 'Deleted entries, until they are restored or deleted permanently.',
    comments: 'Comments on entries and their fields.',
    'review requests': 'Requests to publish a page, and the answers to them.',
    'content fields': 'The values of entries, one by one.',
    routes: 'The URLs of pages.',
    redirects: 'Old URLs and where they lead.',
    datatypes: 'The types of entries.',
    fields: 'The fields of datatypes.',
    'field types': 'The types of fields.',
    locales: 'The languages of values, with their fallbacks.',
    model: 'Locales, datatypes, fields, roles and webhooks as one file.',
  },
  Delivery: {
    delivery: 'Content trees for front ends.',
    query: 'Published entries by filter and order.',
    search: 'Published entries by words.',
    previews: 'Links that show a draft without an account.',
    events: 'The changes of content, as a list or as a stream.',
  },
  Media: {
    media: 'Uploaded files, with their texts, focal points and image variants.',
    'media folders': 'Folders of media items.',
    'media dimensions': 'The sizes of image variants.',
  },
  Accounts: {
    auth: 'Sign in and out, registration and passwords.',
    users: 'Accounts.',
    sessions: 'Sessions in browsers.',
    'ssh keys': 'Keys for the terminal over SSH.',
    tokens: 'API keys for programs.',
    roles: 'Roles: named sets of permissions.',
    permissions: 'The rights that a role can have.',
    'role permissions': 'The permissions of each role.',
  },
  Webhooks: { webhooks: 'Requests to your URLs after events, with their deliveries.' },
  Operation: {
    operation: 'Health, metrics, instances and this document.',
    configuration: 'The settings of the service.',
    audit: 'Who changed what, and when.',
    backups: 'Backups of database and files.',
    import: 'Imports from other systems, as jobs.',
  },
}

const adminPrefix = 'admin '

const ofPublicSpace = (tag: string) => (tag.startsWith(adminPrefix) ? tag.slice(adminPrefix.length) : tag)

const groupOf = (tag: string): string | undefined =>
  Object.keys(groups).find(group => ofPublicSpace(tag) in (groups[group] ?? {}))

const descriptionOf = (tag: string): string => {
  const text = groups[groupOf(tag) ?? '']?.[ofPublicSpace(tag)] ?? ''
  return tag === ofPublicSpace(tag) ? text : text.replace(/\.$/, ', in the admin space.')
}

/** The tags in the order of the groups, for `tags` and, as Redoc and Scalar read them, `x-tagGroups`. */
export function tagsOf(used: Iterable<string>): { tags: Json[]; groups: Json[] } {
  const all = [...new Set(used)]
  for (const tag of all)
    if (!groupOf(tag)) throw new Error(`the tag ${tag} is in no group of the API reference`)
  const grouped = Object.entries(groups).map(([name, described]) => {
    const names = Object.keys(described)
    const tags = [...names, ...names.map(tag => `${adminPrefix}${tag}`)].filter(tag => all.includes(tag))
    return { name, tags }
  })
  return {
    tags: grouped.flatMap(({ tags }) => tags).map(name => ({ name, description: descriptionOf(name) })),
    groups: grouped,
  }
}
