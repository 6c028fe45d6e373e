import type { EventName } from '../events.js'
import type { PlainText, Text } from '../texts/text.js'
import type { Wording } from '../texts/wording.js'

type Beginning = EventName extends infer E ? (E extends `${infer First}.${string}` ? First : never) : never

/** The record of an event, and the group of its events in forms, by the beginning of its name. */
const kinds: Readonly<Record<Beginning, readonly [kind: PlainText, group: PlainText]>> = {
  content: ['entry', 'Content'],
  locale: ['locale', 'Locales'],
  version: ['version', 'Versions'],
  admin: ['admin entry', 'Admin space'],
  media: ['file', 'Media'],
  datatype: ['datatype', 'Datatypes'],
  field: ['field', 'Fields'],
  route: ['route', 'Routes'],
  redirect: ['redirect', 'Redirects'],
  comment: ['comment', 'Comments'],
  review: ['review', 'Review'],
  webhook: ['webhook', 'Test'],
}

type Ending = EventName extends infer E
  ? E extends `admin.content.${infer Last}`
    ? Last
    : E extends `${string}.${infer Last}`
      ? Last extends `content.${string}`
        ? never
        : Last
      : never
  : never

const doneTexts = {
  created: '{kind} created',
  updated: '{kind} changed',
  deleted: '{kind} deleted',
  published: '{kind} published',
  unpublished: '{kind} unpublished',
  scheduled: '{kind} scheduled',
  resolved: '{kind} resolved',
  reopened: '{kind} reopened',
  requested: '{kind} requested',
  approved: '{kind} approved',
  returned: '{kind} sent back',
  withdrawn: '{kind} withdrawn',
  test: '{kind} tested',
} as const satisfies Readonly<Record<Ending, Text>>

const capital = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1)
const kindOf = (event: string) =>
  kinds[event.split('.')[0] as Beginning] as (typeof kinds)[Beginning] | undefined

/** Returns an event in words, such as `Entry published`; the name itself for one of another version. */
export function eventWords(event: string, { t }: Pick<Wording, 't'>): string {
  const kind = kindOf(event)
  const done = doneTexts[event.split('.').at(-1) as Ending] as (typeof doneTexts)[Ending] | undefined
  if (!kind || !done) return event
  return event === 'locale.published' ? t('Translation published') : capital(t(done, { kind: t(kind[0]) }))
}

/** Returns the group of an event in forms. */
export const eventGroup = (event: string, { t }: Pick<Wording, 't'>): string =>
  t(kindOf(event)?.[1] ?? 'Content')
