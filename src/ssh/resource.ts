import { z } from 'zod'
import { allInvalid, changedMeanwhile, HttpError } from '../errors.js'
import { timeInUlid, timestamp } from '../ids.js'
import { all } from '../resources/entries.js'
import type { Texts } from '../resources/form-field.js'
import { type Cell, type Check, editedPart, type Resource, type Viewer } from '../resources/resource.js'
import { parsed } from '../routes/form-values.js'
import { english } from '../texts/language.js'
import { t } from '../texts/terminal.js'
import { publicAddress } from './addresses.js'
import { type Derived, type FormKey, formView } from './screen/form.js'
import type { FormField } from './screen/form-state.js'
import { isWebAddress } from './screen/link.js'
import { listView } from './screen/list.js'
import type { Column, Cell as ListCell, ListKey, ListState } from './screen/list-spec.js'
import { confirmView } from './screen/over.js'
import { pageView, type TextRow } from './screen/page.js'
import { bold, plain } from './screen/style.js'
import type { AnyView, Shell } from './screen/view.js'
import { stateCell, timeWord } from './screens/words.js'
import type { Session } from './session.js'
import { storedTimes, timeField } from './times.js'

/** A resource with the parts that only its screens have. */
export interface ScreenResource<R extends object> extends Omit<Resource<R, string>, 'words'> {
  readonly where?: object
  readonly under?: string
  made?(record: R): readonly string[]
  says?(record: R): readonly string[] | Promise<readonly string[]>
  readonly everyMs?: number
  /** The label of the time of creation, if the service lists the records by it. */
  readonly byAge?: string
  readonly listKeys?: readonly ListKey<R>[]
  /** Asks for the deletion of the marked records. Without it the list marks none. */
  readonly removeSeveral?: (shell: Shell<ListState<R>>, records: readonly R[]) => void
  readonly formKeys?: readonly FormKey<R>[]
  readonly derived?: Derived
}

const addresses = ['url', 'slug', 'email']

export const viewerOf = (session: Session, under?: string): Viewer => ({
  actor: session.actor,
  ...english,
  can: session.can,
  now: session.site.clock.now(),
  ...(under === undefined ? {} : { under }),
})

/** Returns the address that a text of a record is a hyperlink to: itself, or that of the page with this slug. */
function linkOf(text: string, record: object, session: Session): string | undefined {
  if (isWebAddress(text)) return text
  return 'slug' in record ? publicAddress(session, text) : undefined
}

function shownCell(cell: Cell<string>, record: object, session: Session): string | ListCell {
  if (typeof cell !== 'object') return String(cell)
  if ('text' in cell) return cell.text
  if ('code' in cell)
    return { text: cell.code, style: plain, isPath: true, link: linkOf(cell.code, record, session) }
  return 'at' in cell ? timeWord(cell.at, session) : stateCell(cell.state, cell.word)
}

const age = 'age'

function columnsOf<R extends object>(
  session: Session,
  { columns, byAge, key }: ScreenResource<R>,
): Column<R>[] {
  const own = columns.map(
    ({ label, of, room }): Column<R> => ({
      label,
      of: record => shownCell(of(record, session.site.clock.now(), english), record, session),
      ...(room === 'much' ? { wide: true } : {}),
      ...(label === byAge ? { by: age } : {}),
    }),
  )
  if (byAge === undefined || own.some(({ by }) => by === age)) return own
  const created = (record: R): string => {
    const time = timeInUlid(String(record[key]))
    return timeWord(time === undefined ? null : timestamp(time), session)
  }
  return [...own, { label: byAge, of: created, by: age, isOnlyOrdered: true }]
}

function sent(fields: readonly FormField[], texts: Texts): Texts {
  const given = fields.filter(({ kind }) => kind !== 'fixed')
  return Object.fromEntries(
    given.map(({ name, kind }) => [
      name,
      // An empty list is sent as one empty text.
      kind === 'choices' ? ['', ...[texts[name] ?? []].flat()] : (texts[name] ?? ''),
    ]),
  )
}

/** Refuses a change of a record that differs from the one that was read. */
export const unlessChanged =
  (seen: unknown): Check =>
  before => {
    if (seen !== undefined && JSON.stringify(before) !== JSON.stringify(seen)) throw changedMeanwhile()
  }

/** Shows texts that are shown only once. */
export const toldView = (title: string, texts: readonly string[]): AnyView =>
  pageView(
    title,
    texts.map((text, i): TextRow => ({ text, style: i === texts.length - 1 ? bold : 0 })),
    [{ key: 'y', does: t('copy the last line'), run: shell => shell.copy(texts.at(-1) ?? '') }],
  )

function askDelete<R extends object, S>(
  session: Session,
  resource: ScreenResource<R>,
  shell: Shell<S>,
  record: R,
  after: () => void,
): void {
  const { service, access, deletes, nameOf, key, one } = resource
  const word = access.remove ?? access.read
  shell.work(word, async () => {
    // A list may show more of a record than is stored.
    const stored = await service.get(String(record[key]))
    const name = nameOf(stored)
    const also = (await deletes?.(stored, viewerOf(session))) ?? t('This cannot be undone.')
    shell.open(
      confirmView(t('Delete {one}', { one }), `${t('Delete “{name}”?', { name })}\n${also}`, {
        word: t('delete it'),
        act: () =>
          shell.work(word, async () => {
            const check = unlessChanged(editedPart(resource, stored))
            await service.remove?.(session.actor, String(record[key]), before =>
              check(editedPart(resource, before)),
            )
            after()
            shell.say(t('“{name}” is deleted.', { name }))
          }),
      }),
    )
  })
}

/** @throws 400 that lists what the schema refuses, and what another rule refuses beside it */
async function bodyOf<R extends object>(
  schema: z.ZodType,
  { prepare, refuse }: ScreenResource<R>,
  { given, record }: { given: Texts; record: R | undefined },
): Promise<unknown> {
  try {
    return parsed(schema, prepare?.(given, record) ?? given)
  } catch (error) {
    if (!(error instanceof HttpError && error.errors)) throw error
    const { errors } = error
    const refused = await refuse?.(given).catch(other => {
      if (!(other instanceof HttpError)) throw other
      return { error: other.message, member: other.member ?? '' }
    })
    const isNew = refused && !errors.some(({ member }) => member === refused.member)
    throw isNew ? allInvalid([refused, ...errors]) : error
  }
}

/** Opens the form of a new record. */
export const newRecordView = <R extends object>(session: Session, resource: ScreenResource<R>): AnyView =>
  recordView(session, resource, undefined, t('New {one}', { one: resource.one }))

/** The form of a record; without an id, of a new one. */
export function recordView<R extends object>(
  session: Session,
  resource: ScreenResource<R>,
  id: string | undefined,
  name: string,
): AnyView {
  const { access, service, key, create, update, nameOf, one } = resource
  const isNew = id === undefined
  const schema = isNew ? create : update
  const word = isNew ? access.create : access.update
  const maySave = schema !== undefined && word !== undefined && session.can(word)
  const mayRemove = !isNew && service.remove !== undefined && access.remove && session.can(access.remove)
  const remove: FormKey<R> = {
    key: 'x',
    does: t('delete'),
    access: access.remove ?? access.read,
    isThere: record => record !== undefined && resource.locked?.(record) === undefined,
    run: (shell, { record }) => record && askDelete(session, resource, shell, record, () => shell.back()),
  }
  return formView<R>(
    {
      readAccess: isNew ? (access.create ?? access.read) : access.read,
      saveAccess: maySave ? word : undefined,
      async load() {
        const seen = (await resource.reads?.(session.actor)) ?? service
        const record = isNew ? undefined : await seen.get(id)
        return {
          record,
          fields: (await resource.fields(record, viewerOf(session, resource.under))).map(field =>
            timeField(field, record, session),
          ),
          title: record ? nameOf(record) : t('New {one}', { one }),
          ...(record && resource.locked ? { locked: resource.locked(record) } : {}),
          ...(record && resource.says ? { lead: await resource.says(record) } : {}),
        }
      },
      async save(typed, { fields, record }) {
        const texts = storedTimes(fields, typed, session)
        const given = sent(
          fields.filter(({ name }) => name in texts),
          texts,
        )
        const body = (await bodyOf(schema ?? z.never(), resource, { given, record })) as never
        if (!isNew) {
          const check = unlessChanged(record && editedPart(resource, record))
          await service.update?.(session.actor, id, body, before => check(editedPart(resource, before)))
          return shell => shell.say(t('Saved.'))
        }
        const made = (await service.create?.(session.actor, body)) as R
        const told = resource.made?.(made)
        return shell => {
          shell.replace(recordView(session, resource, String(made[key]), nameOf(made)))
          if (told) shell.open(toldView(nameOf(made), told))
          else shell.say(t('Saved.'))
        }
      },
      keys: [
        ...(resource.formKeys ?? []).filter(one => session.can(one.access)),
        ...(mayRemove ? [remove] : []),
      ],
      ...(resource.derived ? { derived: resource.derived } : {}),
    },
    name,
  )
}

/** Returns the address of a record, such as its slug. */
const addressIn = (record: object): string | undefined =>
  addresses.flatMap(name => {
    const value: unknown = Reflect.get(record, name)
    return typeof value === 'string' && value !== '' ? [value] : []
  })[0]

/** The list of a resource, with a form for a new record and for each existing one, and deletion. */
export function resourceView<R extends object>(session: Session, resource: ScreenResource<R>): AnyView {
  const { service, access, key, nameOf, one } = resource
  const where = (resource.where ?? {}) as never
  const mayCreate = resource.create !== undefined && access.create && session.can(access.create)
  const mayRemove = service.remove !== undefined && access.remove && session.can(access.remove)
  const keys: ListKey<R>[] = [
    {
      key: 'Enter',
      does: t('open'),
      run: (shell, record) => shell.open(recordView(session, resource, String(record[key]), nameOf(record))),
    },
  ]
  if (mayCreate)
    keys.push({
      key: 'n',
      does: t('new {one}', { one }),
      ofList: true,
      run: shell => shell.open(newRecordView(session, resource)),
    })
  keys.push(...(resource.listKeys ?? []).filter(own => own.access === undefined || session.can(own.access)))
  if (mayRemove)
    keys.push({
      key: 'x',
      does: t('delete'),
      run(shell, record) {
        const why = resource.locked?.(record)
        if (why) shell.complain(why)
        else
          askDelete(session, resource, shell, record, () =>
            shell.set(state => ({
              ...state,
              records: state.records.filter(row => row[key] !== record[key]),
              total: state.total - 1,
            })),
          )
      },
      ...(resource.removeSeveral ? { several: resource.removeSeveral } : {}),
    })
  return listView<R>({
    title: resource.title,
    access: access.read,
    async load({ limit, after, order }) {
      const seen = (await resource.reads?.(session.actor)) ?? service
      const slice = {
        limit,
        ...(after === undefined ? {} : { after }),
        ...(order ? { newestFirst: order.descending } : {}),
      }
      return { records: await all(seen.list(where, slice)), total: await seen.count(where) }
    },
    ...(resource.byAge === undefined ? {} : { orders: [{ by: age, descending: true }] }),
    keyOf: record => String(record[key]),
    copied: record => ({ id: String(record[key]), address: addressIn(record) }),
    columns: columnsOf(session, resource),
    ...(resource.everyMs === undefined ? {} : { everyMs: resource.everyMs }),
    empty: resource.empty,
    keys,
  })
}
