import { limits } from '../limits.js'
import type { Access } from '../services/accounts/access.js'
import type { RecordName } from './command.js'

/** The most records that a command changes. */
export const most = limits.content.selectedRecords

interface Described {
  /** The part of the permissions before the colon. */
  readonly permission: string
  /** The permission for changes, if it is one for all of them, and the one for reads. */
  readonly writes?: Access
  readonly reads?: Access
  readonly name?: string
  readonly one: string
  readonly all: string
  readonly filters?: Readonly<Record<string, string>>
  /** Whether records are created and changed from JSON, or changed only. */
  readonly isWritten?: true | 'update'
  readonly removal?: Readonly<Record<string, string>>
  readonly removes?: string
}

const author = { '--author-id <user>': 'only records by this author, by id or e-mail' }
const withWhatHangsOnIt = { '--recursive': 'also delete everything that depends on it' }

/** The words, filters and permissions of the commands of each resource. */
export const described: Readonly<Record<RecordName, Described>> = {
  content: {
    permission: 'content',
    one: 'entry',
    all: 'entries',
    name: 'the slug of its page',
    filters: {
      '--datatype-id <datatype>': 'only entries of this datatype, by id or name',
      '--route-id <route>': 'only entries on this route, by id or slug',
      '--parent-id <entry>': 'only entries under this one',
      '--root-id <entry>': 'only entries of the tree of this one',
      '--status <status>': 'only entries with this status: draft or published',
      ...author,
    },
    isWritten: true,
    removal: { '--recursive': 'delete the entries under it too' },
    removes: 'move entries with their versions to the trash',
  },
  routes: {
    permission: 'routes',
    one: 'route',
    all: 'routes',
    name: 'its slug',
    filters: { '--slug <slug>': 'only the route with this slug', ...author },
    isWritten: true,
    removal: withWhatHangsOnIt,
  },
  datatypes: {
    permission: 'datatypes',
    one: 'datatype',
    all: 'datatypes',
    name: 'its name',
    filters: {
      '--name <name>': 'only the datatype with this name',
      '--type <type>': 'only datatypes of this type',
    },
    isWritten: true,
    removal: withWhatHangsOnIt,
  },
  fields: {
    permission: 'fields',
    one: 'field',
    all: 'fields',
    name: 'datatype and name, such as post.title',
    removal: withWhatHangsOnIt,
    filters: {
      '--parent-id <datatype>': 'only fields of this datatype, by id or name',
      '--name <name>': 'only fields with this name',
      '--field-type <type>': 'only fields of this type',
    },
    isWritten: true,
  },
  media: {
    permission: 'media',
    one: 'media item',
    all: 'media',
    name: 'the name of its file',
    filters: {
      '--folder-id <id>': 'only files in this folder',
      '--type <type>': 'only files of this type, such as image',
      '--tag <tag>': 'only files with this tag',
    },
  },
  user: {
    permission: 'users',
    one: 'account',
    all: 'accounts',
    name: 'its e-mail address',
    filters: { '--email <address>': 'only the account with this address' },
  },
  roles: {
    permission: 'roles',
    one: 'role',
    all: 'roles',
    name: 'its name',
    isWritten: true,
  },
  token: {
    permission: 'tokens',
    one: 'API key',
    all: 'API keys',
    filters: { '--user-id <user>': 'only keys of this account, by id or e-mail' },
    isWritten: 'update',
  },
  locales: {
    permission: 'content',
    writes: 'content:admin',
    one: 'locale',
    all: 'locales',
    name: 'its code',
    isWritten: true,
  },
  redirects: {
    permission: 'routes',
    one: 'redirect',
    all: 'redirects',
    name: 'its slug',
    isWritten: true,
  },
  webhooks: { permission: 'webhook', one: 'webhook', all: 'webhooks', name: 'its name', isWritten: true },
  trash: {
    permission: 'content',
    // The titles of drafts are in it.
    reads: 'content:update',
    one: 'deleted entry',
    all: 'deleted entries',
    name: 'the slug that its page had',
    filters: { '--deleted-by <user>': 'only entries that this account deleted, by id or e-mail' },
    removes: 'delete deleted entries permanently',
  },
  comments: {
    permission: 'content',
    // Comments are about drafts.
    reads: 'content:update',
    writes: 'content:update',
    one: 'comment',
    all: 'comments',
    filters: {
      '--content-data-id <entry>': 'only comments on this entry, by id or slug',
      '--resolved <yes>': 'only resolved comments (true) or open comments (false)',
      ...author,
    },
    isWritten: true,
  },
}

export const readAccess = (name: RecordName): Access => {
  const { reads, permission } = described[name]
  return reads ?? `${permission}:read`
}

/** Returns the names of the filters of a list, such as `datatype-id`. */
export const filterNames = (name: RecordName): string[] =>
  Object.keys(described[name].filters ?? {}).map(flags => flags.slice(2).split(' ')[0] ?? '')

/** The argument of a command that changes one record or several. @param meaning how one is named */
export const several = (place: string, meaning: string): Readonly<Record<string, string>> => ({
  [`[${place}...]`]: `${meaning}; several, or - to read them from standard input`,
})

/** The option that selects several records by the filters of their list. */
export function where(name: RecordName): Readonly<Record<string, string>> {
  const conditions = filterNames(name).map(one => `${one}=…`)
  if (conditions.length === 0) return {}
  return {
    '--where <conditions...>': `all ${described[name].all} that match, at most ${most}: ${conditions.join(', ')}`,
  }
}
