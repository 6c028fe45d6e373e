import { badRequest, HttpError } from '../errors.js'
import { didYouMean } from '../nearest-name.js'
import type { Ask } from '../systems/live.js'
import { type LocalCommand, show, WrongCall } from './command.js'
import { type Comparison, compareRecords } from './compare-json.js'
import { comparedSystems, type List } from './compare-systems.js'
import { progressLine } from './progress.js'
import { apiAddress, authorizationOf, messageOf, responseText } from './source-api.js'

const timeoutMs = 30_000
const pageSize = 50
const standardLimit = 1000
/** So many records that differ are named. */
const mostNamed = 100

interface Named extends Comparison {
  readonly list: string
  readonly id: string
  readonly isMissing: boolean
  /** Why the new system shows it not, if it refused the question. */
  readonly reason?: string
}

/** The result of a comparison. Numbers are of records of the old system. */
interface Compared {
  readonly system: string
  readonly compared: number
  readonly equal: number
  /** Those that differ no more than is allowed. */
  readonly allowed: number
  readonly different: number
  readonly missing: number
  readonly records: readonly Named[]
}

/** Asks below an address. Redirects are not followed, because the token is for that server only. */
function asking(base: URL, token: string | undefined, stopped: AbortSignal): Ask {
  const root = base.href.replace(/[?#].*$/, '').replace(/\/$/, '')
  const headers = { accept: 'application/json', ...authorizationOf(token) }
  return async path => {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)])
    const where = `${base.host}${path.slice(0, 200)}`
    try {
      const response = await fetch(root + path, { headers, redirect: 'manual', signal })
      const text = await responseText(response, where)
      if (response.status !== 200) throw badRequest(`${where}: HTTP ${response.status} ${text.slice(0, 200)}`)
      return JSON.parse(text)
    } catch (error) {
      if (error instanceof HttpError || stopped.aborted) throw error
      throw badRequest(`${where}: ${messageOf(error)}`)
    }
  }
}

function numberOf(name: string, text: string | undefined, standard: number, most: number): number {
  const number = text === undefined ? standard : Number(text)
  if (!Number.isFinite(number) || number < 0 || number > most)
    throw new WrongCall(`--${name} must be a number from 0 to ${most}`)
  return number
}

class Comparing {
  private readonly counts = { compared: 0, equal: 0, allowed: 0, different: 0, missing: 0 }
  private readonly named: Named[] = []

  constructor(
    private readonly old: Ask,
    private readonly own: Ask,
    private readonly bounds: { readonly allow: number; readonly limit: number },
    private readonly progress: (done: number) => void,
  ) {}

  async list(list: List): Promise<void> {
    let left = this.bounds.limit
    for (let number = 1; left > 0; number++) {
      const records = [...list.records(await list.page(this.old, number, pageSize))]
      const some = records.slice(0, left)
      if (some.length > 0) await this.records(list, some)
      left -= some.length
      if (records.length < pageSize) return
    }
  }

  private async records(list: List, some: readonly (readonly [string, unknown])[]): Promise<void> {
    let own: ReadonlyMap<string, unknown> = new Map()
    let reason: string | undefined
    try {
      own = list.records(await this.own(list.some(some.map(([id]) => id))))
    } catch (error) {
      // A list that is not there has no records; a server that is not there ends the comparison.
      if (!(error instanceof Error && /: HTTP 4\d\d /.test(error.message))) throw error
      reason = error.message
    }
    for (const [id, was] of some) {
      const isMissing = !own.has(id)
      const why = isMissing && reason !== undefined ? { reason } : {}
      const compared = isMissing ? gone : compareRecords(was, own.get(id))
      this.add({ ...{ list: list.name, id, isMissing }, ...why, ...compared })
    }
    this.progress(this.counts.compared)
  }

  private add(one: Named): void {
    const isAllowed = one.percent <= this.bounds.allow
    const kind = one.isMissing ? 'missing' : one.percent === 0 ? 'equal' : isAllowed ? 'allowed' : 'different'
    this.counts.compared++
    this.counts[kind]++
    if (kind !== 'equal' && this.named.length < mostNamed) this.named.push(one)
  }

  result(system: string): Compared {
    return { system, ...this.counts, records: this.named }
  }
}

const gone = { percent: 100, differences: [] }

function textFor({ compared, equal, allowed, different, missing, records }: Compared): string {
  const lines = records.flatMap(({ list, id, isMissing, reason, percent, differences }) => [
    `${list} ${id}: ${isMissing ? `missing${reason === undefined ? '' : ` (${reason})`}` : `${percent} % different`}`,
    ...differences.map(one => `  ${one.path}: ${JSON.stringify(one.old)}, here ${JSON.stringify(one.new)}`),
  ])
  const others = allowed + different + missing - records.length
  const more = others > 0 ? [`and ${others} others`] : []
  const counts = `${compared} compared: ${equal} equal, ${allowed} allowed, ${different} different, ${missing} missing.`
  return [...lines, ...more, counts].join('\n')
}

/** The system that is asked for, or the one whose address it is. */
function systemOf(given: string | undefined, old: URL): string {
  const names = Object.keys(comparedSystems)
  if (given !== undefined && !names.includes(given))
    throw new WrongCall(`there is no system ${given}: ${didYouMean(given, names)}`)
  const found = given ?? names.find(name => comparedSystems[name]?.isAt(old))
  if (found === undefined)
    throw new WrongCall(
      `cannot tell the system of ${old.origin} by its URL: add it, such as --system wordpress`,
    )
  return found
}

/** Asks another system and this one the same questions, and shows what differs. @returns 1 if too much does */
export const compare: LocalCommand['run'] = async (terminal, options, [oldText = '', newText = '']) => {
  const variables = 'OLD_TOKEN or NEW_TOKEN'
  const [old, own] = [apiAddress(oldText, variables), apiAddress(newText, variables)]
  const system = systemOf(options.system, old)
  const bounds = {
    allow: numberOf('allow', options.allow, 0, 100),
    limit: numberOf('limit', options.limit, standardLimit, 1_000_000) || Number.POSITIVE_INFINITY,
  }
  const { stopped } = terminal
  const { OLD_TOKEN, NEW_TOKEN } = terminal.variables
  const askOld = asking(old, OLD_TOKEN, stopped)
  const line = progressLine(terminal)
  const doing = 'comparison'
  const comparing = new Comparing(askOld, asking(own, NEW_TOKEN, stopped), bounds, done =>
    line.draw({ doing, of: 'records', done }),
  )
  try {
    const types = (options.types ?? '').split(',').filter(name => name !== '')
    for (const list of (await comparedSystems[system]?.lists(askOld, types)) ?? []) await comparing.list(list)
  } finally {
    line.end()
  }
  const result = comparing.result(system)
  show(terminal, options, result, textFor(result))
  if (result.compared === 0) throw badRequest('the old system returned no records: does it need OLD_TOKEN?')
  return result.different + result.missing > 0 ? 1 : 0
}
