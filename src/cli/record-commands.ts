import type { Access } from '../services/accounts/access.js'
import { limit, type RecordName, type SiteCommand } from './command.js'
import { dryRun, yes } from './deletion.js'
import { described, readAccess, several, where } from './described-records.js'

const withoutAuthor = new Set<RecordName>(['roles', 'locales'])

const slice = {
  ...limit,
  '--offset <number>': 'number of results to skip',
  '--after <id>': 'only records with a greater id',
}

/** Returns the commands of a resource, which do the same as its endpoints: list, get, create, update and delete. */
export function recordCommands(name: RecordName): SiteCommand[] {
  const { permission, writes, one, all, filters, isWritten, removal, removes, ...own } = described[name]
  const [place, meaning] = [
    one.split(' ').at(-1),
    `the id of the ${one}${own.name ? `, or ${own.name}` : ''}`,
  ]
  const id = { [`<${place}>`]: meaning }
  const accessTo = (action: string): Access => writes ?? `${permission}:${action}`
  const commands: SiteCommand[] = [
    {
      words: `${name} list`,
      summary: `show ${all}`,
      options: { ...filters, ...slice },
      access: readAccess(name),
      work: async (...call) => (await import('./records.js')).list(name)(...call),
    },
    {
      words: `${name} get`,
      summary: name === 'content' ? 'show one entry with its fields' : `show one ${one}`,
      arguments: id,
      ...(name === 'content' && { options: { '--locale <code>': 'the fields in this language' } }),
      access: readAccess(name),
      work: async (...call) => (await import('./records.js')).get(name)(...call),
    },
    {
      words: `${name} delete`,
      summary: removes ?? `delete ${all}`,
      arguments: several(`${place}`, meaning),
      options: { ...where(name), ...removal, ...yes, ...dryRun },
      access: accessTo('delete'),
      work: async (...call) => (await import('./removal.js')).remove(name)(...call),
    },
  ]
  const create: SiteCommand = {
    words: `${name} create`,
    summary: `create one ${one} from the JSON on standard input and write its id`,
    ...(withoutAuthor.has(name) ? {} : { hasAuthor: true }),
    access: accessTo('create'),
    work: async (...call) => (await import('./records.js')).save(name, 'create')(...call),
  }
  const update: SiteCommand = {
    words: `${name} update`,
    summary: `change one ${one} with the JSON on standard input and write its id`,
    arguments: id,
    access: accessTo('update'),
    work: async (...call) => (await import('./records.js')).save(name, 'update')(...call),
  }
  if (!isWritten) return commands
  return [...commands, ...(isWritten === 'update' ? [] : [create]), update]
}
