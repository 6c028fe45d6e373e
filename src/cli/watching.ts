import type { z } from 'zod'
import type { Actor } from '../actor.js'
import { missingPermission } from '../errors.js'
import { inPublicSpace } from '../resources/admin-space.js'
import { type Event as AuditEvent, changeRows } from '../resources/views/audit.js'
import type { Services } from '../services/index.js'
import { AuditQuery } from '../services/operation/audit.js'
import { ReplayRequest } from '../services/webhooks/replay.js'
import { DeliveryFilter, type DeliveryRecord, DeliverySlice } from '../services/webhooks/schemas.js'
import type { Io, SiteCommand, Values } from './command.js'
import { parsed } from './given.js'
import { idOf } from './names.js'
import { limitIn, lines, showList, showRecord } from './table.js'
import { visible } from './visible.js'

type Work = SiteCommand['work']
type Delivery = z.output<typeof DeliveryRecord>

const deliveryColumns = [
  'created_at',
  'delivery_id',
  'status',
  'attempts',
  'last_status_code',
  'last_duration_ms',
  'event',
  'last_error',
]
const auditColumns = ['audit_event_id', 'occurred_at', 'change', 'record', 'who', 'how']
const lookIntervalMs = 1000
const newest = 200

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(ended, lookIntervalMs)
    signal.addEventListener('abort', ended, { once: true })
    function ended() {
      clearTimeout(timer)
      signal.removeEventListener('abort', ended)
      resolve()
    }
  })

interface Watched<R> {
  look(): Promise<readonly R[]>
  stateOf(record: R): string
  readonly columns: readonly string[]
  readonly named?: (rows: readonly R[]) => Promise<readonly Readonly<Record<string, unknown>>[]>
  readonly access: `${string}:${string}`
}

async function watch<R extends Readonly<Record<string, unknown>>>(
  { access }: Services,
  actor: Actor,
  io: Io,
  { json }: Values,
  watched: Watched<R>,
): Promise<number> {
  const { stopped } = io
  let known = new Set((await watched.look()).map(watched.stateOf))
  while (!stopped.aborted) {
    await pause(stopped)
    if (stopped.aborted) break
    // The permission may have been removed meanwhile.
    if (!(await access.can(actor, watched.access))) throw missingPermission(watched.access)
    const now = await watched.look()
    const fresh = now.filter(record => !known.has(watched.stateOf(record)))
    known = new Set(now.map(watched.stateOf))
    const shown = json === undefined && watched.named ? await watched.named(fresh) : fresh
    for (const record of shown)
      io.write(visible(json === undefined ? lines([record], watched.columns) : `${JSON.stringify(record)}\n`))
    await io.drained()
  }
  return 0
}

async function webhookIds({ webhooks }: Services, only: string | undefined): Promise<string[]> {
  if (only !== undefined) return [(await webhooks.get(only)).webhook_id]
  const ids: string[] = []
  for await (const some of webhooks.list({}, {})) ids.push(...some.map(({ webhook_id }) => webhook_id))
  return ids
}

async function newestDeliveries(services: Services, only: string | undefined): Promise<Delivery[]> {
  const found: Delivery[] = []
  for (const id of await webhookIds(services, only)) {
    const { batches } = await services.webhooks.deliveries(id, {}, { limit: newest })
    for await (const some of batches) found.push(...some)
  }
  return found.sort((a, b) => (a.delivery_id < b.delivery_id ? -1 : 1))
}

export const deliveriesTail: Work = async (services, actor, io, options, [text]) => {
  const webhook = text === undefined ? undefined : await idOf('webhooks', text, services, actor)
  return watch(services, actor, io, options, {
    look: () => newestDeliveries(services, webhook),
    stateOf: ({ delivery_id, status, attempts }) => `${delivery_id} ${status} ${attempts}`,
    columns: deliveryColumns,
    access: 'webhook:read',
  })
}

export const deliveriesList: Work = async (services, actor, io, options, [text = '']) => {
  const { webhooks } = services
  const webhook = await idOf('webhooks', text, services, actor)
  const { status, event, before } = options
  const filter = parsed(DeliveryFilter, { status, event })
  const slice = { ...parsed(DeliverySlice, { before }), limit: limitIn(options) }
  const { batches, total } = await webhooks.deliveries(webhook, filter, slice)
  await showList(io, options, { batches, total: async () => total, columns: deliveryColumns })
  return 0
}

export const deliveriesRetry: Work = async ({ webhooks }, actor, io, options, [id = '']) => {
  showRecord(io, options, await webhooks.retry(actor, id))
  return 0
}

/** Sends the finished deliveries of a time range again, and shows how many. */
export const webhooksReplay: Work = async (services, actor, io, options, [text = '']) => {
  const { from, to, status } = options
  const range = parsed(ReplayRequest, { from, to, status })
  const id = await idOf('webhooks', text, services, actor)
  showRecord(io, options, await services.webhooks.replay(actor, id, range))
  return 0
}

/** Sends `webhook.test` and shows the answer. @returns 1 if it failed */
export const webhooksTest: Work = async (services, actor, io, options, [text = '']) => {
  const result = await services.webhooks.test(actor, await idOf('webhooks', text, services, actor))
  showRecord(io, options, result)
  return result.status === 'success' ? 0 : 1
}

const auditFilter = (options: Values) => {
  const { table, record, user, operation, since, until, before } = options
  const given = { table_name: table, record_id: record, user_id: user, operation, since, until, before }
  return parsed(AuditQuery, given)
}

/** Yields the newest events, a few at a time: `audit.list` reads as many keys at once as its limit. */
async function* newestEvents({ audit }: Services, options: Values) {
  const filter = auditFilter(options)
  let { before } = filter
  for (let left = limitIn(options) ?? Number.POSITIVE_INFINITY; left > 0; ) {
    const wanted = Math.min(left, newest)
    let found = 0
    for await (const some of audit.list({ ...filter, before }, wanted)) {
      found += some.length
      before = some.at(-1)?.audit_event_id
      const kept = some.filter(one => isShown(one, options))
      left -= kept.length
      yield kept
    }
    if (found < wanted) return
  }
}

const isShown = ({ table_name }: AuditEvent, { json, jsonl, sessions, table }: Values): boolean =>
  table_name !== 'sessions' || [json, jsonl, sessions, table].some(given => given !== undefined)

const namedEvents = (services: Services) => async (rows: readonly Readonly<Record<string, unknown>>[]) =>
  (await changeRows(rows as readonly AuditEvent[], inPublicSpace(services))).map(
    ({ event, done, subject, who, how }) => ({
      ...event,
      change: done,
      record: [subject.words, subject.part].filter(Boolean).join(' · '),
      who,
      how,
    }),
  )

export const auditList: Work = async (services, _actor, io, options) => {
  const [columns, named] = [auditColumns, namedEvents(services)]
  await showList(io, options, { batches: newestEvents(services, options), columns, named })
  return 0
}

export const auditTail: Work = (services, actor, io, options) =>
  watch(services, actor, io, options, {
    async look() {
      const found = []
      for await (const some of services.audit.list(auditFilter(options), newest))
        found.push(...some.filter(one => isShown(one, options)))
      return found.reverse()
    },
    stateOf: ({ audit_event_id }) => audit_event_id,
    columns: auditColumns,
    named: namedEvents(services),
    access: 'audit:read',
  })
