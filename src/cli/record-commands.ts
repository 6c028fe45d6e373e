import { limit, type SiteCommand } from './command.js'
import type { RecordName } from './records.js'

interface Described {
  /** The part of the permissions before the colon. */
  readonly permission: string
  /** The nouns for one record and for all. */
  readonly one: string
  readonly all: string
  /** Options that filter the list, as they are written, and their meanings. */
  readonly filters?: Readonly<Record<string, string>>
  readonly isWritten?: boolean
  readonly removal?: Readonly<Record<string, string>>
  /** The description of the deletion, if it needs more words. */
  readonly removes?: string
}

const author = { '--author-id <id>': 'only those of this author' }

const described: Readonly<Record<RecordName, Described>> = {
  content: {
    permission: 'content',
    one: 'entry',
    all: 'entries',
    filters: {
      '--datatype-id <id>': 'only entries of this datatype',
      '--route-id <id>': 'only entries on this route',
      '--parent-id <id>': 'only entries under this one',
      '--root-id <id>': 'only entries of the tree of this one',
      '--status <status>': 'only draft or published ones',
      ...author,
    },
    isWritten: true,
    removal: {
      '--recursive': 'delete the entries under it too',
      '--dry-run': 'show what would be deleted with the entries under it, and delete nothing',
    },
    removes: 'delete one entry and its versions; this cannot be undone',
  },
  routes: {
    permission: 'routes',
    one: 'route',
    all: 'routes',
    filters: { '--slug <slug>': 'only the one with this slug', ...author },
    isWritten: true,
  },
  datatypes: {
    permission: 'datatypes',
    one: 'datatype',
    all: 'datatypes',
    filters: { '--name <name>': 'only the one with this name', '--type <type>': 'only those of this type' },
    isWritten: true,
  },
  fields: {
    permission: 'fields',
    one: 'field',
    all: 'fields',
    filters: {
      '--parent-id <id>': 'only fields of this datatype',
      '--name <name>': 'only those with this name',
      '--field-type <type>': 'only those of this type',
    },
    isWritten: true,
  },
  media: {
    permission: 'media',
    one: 'media item',
    all: 'media',
    filters: {
      '--folder-id <id>': 'only those in this folder',
      '--type <type>': 'only those of this type, such as image',
    },
  },
  user: {
    permission: 'users',
    one: 'account',
    all: 'accounts',
    filters: { '--email <address>': 'only the one with this address' },
  },
  webhooks: { permission: 'webhook', one: 'webhook', all: 'webhooks' },
}

const slice = {
  ...limit,
  '--offset <number>': 'number of results to skip',
  '--after <id>': 'only records with a greater id',
}

/** Returns the commands of a resource, which do the same as its endpoints: list, get, create, update and delete. */
export function recordCommands(name: RecordName): SiteCommand[] {
  const { permission, one, all, filters, isWritten, removal = {}, removes } = described[name]
  const id = { '<id>': `the id of the ${one}` }
  const commands: SiteCommand[] = [
    {
      words: `${name} list`,
      summary: `show ${all}`,
      options: { ...filters, ...slice },
      access: `${permission}:read`,
      work: async (...call) => (await import('./records.js')).list(name)(...call),
    },
    {
      words: `${name} get`,
      summary: `show one ${one}`,
      arguments: id,
      access: `${permission}:read`,
      work: async (...call) => (await import('./records.js')).get(name)(...call),
    },
    {
      words: `${name} delete`,
      summary: removes ?? `delete one ${one}`,
      arguments: id,
      options: removal,
      withoutJson: true,
      access: `${permission}:delete`,
      work: async (...call) => (await import('./records.js')).remove(name)(...call),
    },
  ]
  if (!isWritten) return commands
  return [
    ...commands,
    {
      words: `${name} create`,
      summary: `make one ${one} from the JSON on standard input and write its id`,
      access: `${permission}:create`,
      work: async (...call) => (await import('./records.js')).save(name, 'create')(...call),
    },
    {
      words: `${name} update`,
      summary: `change one ${one} with the JSON on standard input and write its id`,
      arguments: id,
      access: `${permission}:update`,
      work: async (...call) => (await import('./records.js')).save(name, 'update')(...call),
    },
  ]
}
