import { all, modelOf, titlesOf } from '../../resources/entries.js'
import { VersionCreate } from '../../services/content/versions.js'
import { type ListKey, listView } from '../screen/list.js'
import { confirmView, pageView, type Row } from '../screen/over.js'
import { bold, dim, green, red } from '../screen/style.js'
import type { AnyView, Shell } from '../screen/view.js'
import type { Session } from '../session.js'
import { timeWord } from './words.js'

type Version = Awaited<ReturnType<Session['services']['space']['versions']['summaries']>>[number]

/** More versions of an entry than are kept. */
const maxVersions = 1000
const reads = 'content:update'
const words: Readonly<Record<string, string>> = {
  publish: 'Published',
  manual: 'Kept by hand',
  restore: 'Before a restore',
  schedule: 'Published by plan',
}

/** The versions of an entry, the newest first. */
export function versionsScreen(session: Session, id: string, title: string): AnyView {
  const { versions } = session.services.space
  let found: Version[] = []
  const keys: ListKey<Version>[] = [
    {
      key: 'Enter',
      does: 'compare with the one before',
      run(shell, version) {
        const before = found[found.indexOf(version) + 1]
        if (before) compare(session, shell, before, version)
        else shell.say('It is the first one.')
      },
    },
    {
      key: 'c',
      does: 'compare with the newest',
      run(shell, version) {
        const [newest] = found
        if (newest) compare(session, shell, version, newest)
      },
    },
    {
      key: 'r',
      does: 'restore',
      run: (shell, version) =>
        shell.open(
          confirmView(
            'Restore',
            `Bring back version ${version.version_number} of “${title}”?\nWhat is there now is kept as a version.`,
            {
              word: 'restore it',
              act: () =>
                shell.work(reads, async () => {
                  const { restored, recreated } = await versions.restore(
                    session.actor,
                    version.content_version_id,
                  )
                  shell.back()
                  shell.say(`Restored: ${restored} values and ${recreated.length} entries are other now.`)
                  return state => state
                }),
            },
          ),
        ),
    },
    {
      key: 'n',
      does: 'keep what is there now',
      ofList: true,
      run: shell =>
        shell.work(reads, async () => {
          const kept = await versions.create(session.actor, VersionCreate.parse({ content_data_id: id }))
          found = [kept, ...found]
          shell.say(`Kept as version ${kept.version_number}.`)
          return state => ({ ...state, records: found, total: found.length })
        }),
    },
  ]
  return listView<Version>({
    title: `Versions of ${title}`,
    access: reads,
    async load() {
      found = await versions.summaries(id, maxVersions)
      return { records: found, total: found.length }
    },
    keyOf: ({ content_version_id }) => content_version_id,
    empty: 'A version is kept at each publish.',
    columns: [
      {
        label: 'Version',
        of: ({ version_number, trigger, label, locale }) =>
          [`v${version_number} ${words[trigger] ?? trigger}`, label, locale].filter(Boolean).join(' · '),
      },
      { label: 'When', of: ({ date_created }) => timeWord(date_created) },
    ],
    keys,
  })
}

interface Difference {
  readonly content_data_id: string
  readonly field: string
  readonly locale: string
  readonly before: string | null
  readonly after: string | null
}

const rowsOf = (values: readonly Difference[], titles: ReadonlyMap<string, string>): Row[] =>
  values.flatMap(({ content_data_id, field, locale, before, after }): Row[] => [
    {
      text: [titles.get(content_data_id) ?? content_data_id, field, locale].filter(Boolean).join(' · '),
      style: bold,
    },
    ...(before ? [{ text: `- ${before}`, style: red, indent: 2 }] : []),
    ...(after ? [{ text: `+ ${after}`, style: green, indent: 2 }] : []),
    { text: '' },
  ])

/** The titles of entries, as far as they are still there. */
async function titlesIn(ids: readonly string[], session: Session) {
  const content_data_id = [...new Set(ids)].slice(0, 200)
  const found = await all(session.services.space.content.list({ content_data_id }, { limit: 200 }))
  return titlesOf(found, await modelOf(session), session)
}

/** What changed from one version to another. */
function compare<S>(session: Session, shell: Shell<S>, from: Version, to: Version): void {
  shell.work(reads, async () => {
    const { versions } = session.services.space
    const found = await versions.difference(from.content_version_id, to.content_version_id)
    const { fieldsOf } = await modelOf(session)
    const names = new Map([...fieldsOf.values()].flat().map(({ field_id, label }) => [field_id, label]))
    const ids = [...found.values.map(one => one.content_data_id), ...found.added, ...found.removed]
    const titles = await titlesIn(ids, session)
    const rows: Row[] = [
      ...found.added.map(id => ({ text: `+ ${titles.get(id) ?? id}`, style: green })),
      ...found.removed.map(id => ({ text: `- ${titles.get(id) ?? id}`, style: red })),
      ...rowsOf(
        found.values.map(one => ({ ...one, field: names.get(one.field_id) ?? one.field_id })),
        titles,
      ),
    ]
    const nothing = [{ text: 'Nothing but places.', style: dim }]
    shell.open(
      pageView(`From v${from.version_number} to v${to.version_number}`, rows.length > 0 ? rows : nothing),
    )
    return state => state
  })
}

/** What the next publish makes public, and the way to drop it. */
export function changesScreen<S>(session: Session, shell: Shell<S>, id: string): void {
  const { changes } = session.services.space
  shell.work(reads, async () => {
    const waiting = (await changes.list(id)).changes
    const titles = await titlesIn(
      waiting.map(one => one.content_data_id),
      session,
    )
    const rows = waiting.flatMap(({ content_data_id, change, fields }): Row[] => [
      { text: `${titles.get(content_data_id) ?? content_data_id}: ${change}`, style: bold },
      ...rowsOf(
        fields.map(one => ({
          content_data_id,
          field: one.name,
          locale: one.locale,
          before: one.public,
          after: one.working,
        })),
        titles,
      ),
    ])
    const drop = {
      key: 'X',
      does: 'drop all of it',
      run: (inner: Shell<never>) =>
        inner.open(
          confirmView(
            'Drop',
            'Take everything in this tree back to what the public sees? It is kept as a version.',
            {
              word: 'drop it',
              act: () =>
                inner.work(reads, async () => {
                  const { dropped } = await changes.drop(session.actor, id)
                  inner.back()
                  inner.say(`${dropped} entries are what they were.`)
                  return state => state
                }),
            },
          ),
        ),
    }
    const nothing = [{ text: 'Nothing waits: the public sees what is here.', style: dim }]
    shell.open(
      pageView(
        'Waiting for publish',
        waiting.length > 0 ? rows : nothing,
        waiting.length > 0 ? [drop as never] : [],
      ),
    )
    return state => state
  })
}
