import { HttpError, notFound } from '../errors.js'
import { rightsOf } from '../resources/admin-space.js'
import type { Entry } from '../resources/entries.js'
import { entryRemovalOf } from '../resources/removal.js'
import { publicationsOf } from '../resources/views/publication.js'
import type { Services } from '../services/index.js'
import { english } from '../texts/language.js'
import { type RecordName, type SiteCommand, show, type Values } from './command.js'
import { agree, deleteAsked } from './deletion.js'
import { described as wordsOf } from './described-records.js'
import { opened } from './records.js'
import { actOnEach, selected } from './several.js'

type Work = SiteCommand['work']
type Call = Parameters<Work>

const isRecursive = ({ recursive }: Values): boolean => recursive !== undefined

function isWhole(name: RecordName, services: Services, options: Values): boolean {
  return opened(name, services).alone === undefined || isRecursive(options) || name === 'media'
}

/** Returns a record's name and what its deletion includes. @throws 404 that names the record, if it is one of several */
async function describedIn(name: RecordName, [services, actor, , options]: Call, id: string) {
  const { resource, parts } = opened(name, services)
  const record = await resource.service.get(id)
  const rights = await rightsOf(parts.services.access, actor)
  const viewer = { ...english, actor, can: (word: string) => rights.has(word), now: Date.now() }
  const words = isWhole(name, services, options)
    ? ((await resource.deletes?.(record, viewer)) ?? 'This cannot be undone.')
    : 'It is deleted only if nothing depends on it; --recursive deletes that too.'
  return { record, id, name: `the ${resource.one} “${await resource.nameOf(record)}”`, words }
}

const removalOf =
  (name: RecordName, [services, actor, , options]: Call) =>
  async (id: string): Promise<void> => {
    const { resource, alone, table } = opened(name, services)
    if (name === 'content') await services.space.content.remove(actor, id, undefined, isRecursive(options))
    else if (alone && !isRecursive(options))
      await alone(services)(actor, id).catch(inUse(table(services).name))
    else await resource.service.remove?.(actor, id)
  }

/** Deletes records after a question; with `--recursive` also the records that hang on them. */
export const remove =
  (name: RecordName): Work =>
  async (...call) => {
    const [services, actor, io, options, given] = call
    const found = await selected(name, { services, actor, io, options, given })
    if ('ids' in found) return removeSeveral(name, call, found.ids)
    const one = await describedIn(name, call, found.one)
    await deleteAsked(io, options, one, () => removalOf(name, call)(one.id))
    return 0
  }

async function removeSeveral(name: RecordName, call: Call, given: readonly string[]): Promise<number> {
  const [services, , io, options] = call
  const { parts } = opened(name, services)
  const records = wordsOf[name]
  const isContent = name === 'content'
  const trees = isContent ? (await publicationsOf(given, parts)).ids : given
  // Without what is under them, entries are deleted before those that they are under, which are older.
  const ids = isContent && !isRecursive(options) ? [...given].sort().reverse() : trees
  const described = []
  for (const id of trees)
    described.push(
      await describedIn(name, call, id).catch(error => {
        throw error instanceof HttpError && error.status === 404 ? notFound(`not found: ${id}`) : error
      }),
    )
  if (options['dry-run'] !== undefined) {
    const told = described.map(({ id, name, words: message }) => ({ id, name, message }))
    const lines = told.map(one => `This would delete ${one.name}. ${one.message}`)
    show(io, options, { would_delete: ids, records: told }, lines.join('\n') || 'No records match.')
    return 0
  }
  const n = ids.length
  const words = isContent
    ? await entryRemovalOf(
        parts,
        described.map(one => one.record as unknown as Entry),
        { ...english, can: () => false },
      )
    : isWhole(name, services, options)
      ? 'This cannot be undone. --dry-run shows what each deletion includes.'
      : 'Those that something depends on stay; --recursive deletes that too.'
  if (n > 0) await agree(io, options, `Delete ${n} ${n === 1 ? records.one : records.all}? ${words}`)
  return actOnEach(io, options, ids, { done: 'deleted', act: removalOf(name, call) })
}

/** Restores deleted content at its place, or says why it cannot. */
export const trashRestore: Work = async (services, actor, io, options, given) => {
  const { trash } = services.space
  const found = await selected('trash', { services, actor, io, options, given })
  if ('ids' in found)
    return actOnEach(io, options, found.ids, { done: 'restored', act: id => trash.restore(actor, id) })
  const { title } = await trash.get(found.one)
  const restored = await trash.restore(actor, found.one)
  const at = restored.slug === null ? '' : ` at ${restored.slug}`
  show(io, options, restored, `Restored “${title}”${at}.`)
  return 0
}

const withoutOption = new Set(['media', 'admin_media'])

const inUse = (table: string) => (error: unknown) => {
  if (error instanceof HttpError && error.code === 'referenced' && !withoutOption.has(table))
    throw new HttpError(
      error.status,
      error.code,
      `${error.message}: something depends on it, and --recursive deletes that too`,
    )
  throw error
}
