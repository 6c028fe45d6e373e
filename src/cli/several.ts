import type { Actor } from '../actor.js'
import { badRequest, HttpError, notFound } from '../errors.js'
import { isUlid, storedId } from '../ids.js'
import { all } from '../resources/entries.js'
import { onEach, reasonOf } from '../resources/several.js'
import type { Services } from '../services/index.js'
import { type Io, type RecordName, show, type Values, WrongCall } from './command.js'
import { filterNames, most, readAccess } from './described-records.js'
import { inputLines } from './given-lines.js'
import { idOf } from './names.js'
import { opened, readsOf, whereOf } from './records.js'
import { complain } from './terminal.js'

interface Call {
  readonly services: Services
  readonly actor: Actor
  readonly io: Io
  readonly options: Values
  readonly given: readonly string[]
}

/** The records of a command: one that is named, or several. */
type Selected = { readonly one: string } | { readonly ids: readonly string[] }

function refuseBeyond(n: number, counted = `${n}`): void {
  if (n > most) throw badRequest(`a command changes at most ${most} records, and these are ${counted}`)
}

/** Returns the filters of `--where`. An unknown one is refused, because without it more records would match. */
function conditionsOf(name: RecordName, where: string): [string, string][] {
  const known = filterNames(name)
  return where.split('\n').map(condition => {
    const [, given = '', value = ''] = /^([^=]+)=(.+)$/s.exec(condition) ?? []
    const column = given.replaceAll('_', '-')
    if (!known.includes(column))
      throw new WrongCall(`--where ${condition}: must be ${known.map(one => `${one}=…`).join(' or ')}`)
    return [column, value]
  })
}

async function idsWhere(name: RecordName, where: string, { services, actor }: Call): Promise<string[]> {
  const conditions = conditionsOf(name, where)
  const access = readAccess(name)
  if (!(await services.access.can(actor, access))) throw await services.access.refusal(actor, access)
  if (new Set(conditions.map(([column]) => column)).size < conditions.length)
    throw new WrongCall('--where: each filter can be given once')
  const filter = await whereOf(name, services, actor, conditions)
  const seen = await readsOf(name, services, actor)
  refuseBeyond(await seen.count(filter))
  const { key } = opened(name, services).resource
  const found = await all(seen.list(filter, { limit: most + 1 } as never))
  refuseBeyond(found.length)
  return found.map(record => String(record[key]))
}

/** Returns the texts of standard input: of a line that begins with an id, as in the output of a list, the id. */
async function textsOfInput(io: Io): Promise<string[]> {
  const texts: string[] = []
  for await (const { text } of inputLines(io)) {
    const [first = ''] = text.trim().split(/\s/)
    texts.push(isUlid(storedId(first)) ? first : text.trim())
    refuseBeyond(texts.length, 'more')
  }
  return texts
}

/**
 * Returns the records that a command names: by arguments, by `-` on standard input, or by `--where`.
 * @throws 400 for too many, 404 for one that is missing; a wrong call without any
 */
export async function selected(name: RecordName, call: Call): Promise<Selected> {
  const { services, actor, io, options, given } = call
  const { where } = options
  if ((where === undefined) === (given.length === 0))
    throw new WrongCall(
      given.length > 0 ? 'add ids or --where, not both' : 'add the id of a record, - to read ids, or --where',
    )
  if (where !== undefined) return { ids: await idsWhere(name, where, call) }
  const [one = ''] = given
  if (given.length === 1 && one !== '-') return { one: await idOf(name, one, services, actor) }
  const texts = given.length === 1 ? await textsOfInput(io) : given
  refuseBeyond(texts.length)
  const ids = new Set<string>()
  for (const text of texts)
    ids.add(
      await idOf(name, text, services, actor).catch(error => {
        throw error instanceof HttpError && error.status === 404 ? notFound(`not found: ${text}`) : error
      }),
    )
  return { ids: [...ids] }
}

/**
 * Acts on each record by itself and shows those that are done; a refused one does not stop the others.
 * @param done the state of a record afterwards, such as `published`
 * @returns the exit code: 1 if any was refused
 */
export async function actOnEach(
  io: Io,
  options: Values,
  ids: readonly string[],
  { done, act }: { done: string; act: (id: string) => Promise<unknown> },
): Promise<number> {
  const isForProgram = options.json !== undefined
  const acted: string[] = []
  const refused = await onEach(ids, async id => {
    io.stopped.throwIfAborted()
    await act(id)
    acted.push(id)
    if (!isForProgram) show(io, options, id, `${id} ${done}`)
  })
  const refusals = [...refused].map(([id, error]) => ({ id, error: reasonOf(error), code: error.code }))
  if (isForProgram) show(io, options, { [done]: acted, refused: refusals }, '')
  else for (const { id, error } of refusals) complain(io, `${id}: ${error}`)
  if (ids.length === 0) complain(io, 'no records match')
  return refused.size > 0 ? 1 : 0
}
