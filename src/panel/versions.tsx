import { type Ctx, idParam } from '../middleware/context.js'
import { modelOf, namesOf, titlesById } from '../resources/entries.js'
import { VersionCreate } from '../services/content/versions.js'
import type { PanelContext } from './context.js'
import { Page } from './layout.js'
import { Table } from './list.js'
import { type Pages, saved } from './pages.js'
import { Act, Empty, Moment } from './parts.js'
import { type Difference, TextDifference, type WithPieces, withPieces } from './text-difference.js'
import { panelActor } from './view.js'

/** More versions of an entry than are kept. */
const maxVersions = 1000

const idIn = (c: Ctx) => idParam(c, 'entry_id')
const pathOf = (id: string) => `/content/entry/${id}`
const words: Readonly<Record<string, string>> = {
  publish: 'Published',
  manual: 'Kept by hand',
  restore: 'Before a restore',
  schedule: 'Published by plan',
}

/** The versions of an entry, and what waits for a publish. */
export function versionPages(set: Pages, context: PanelContext): void {
  listPage(set, context)
  comparePage(set, context)
  changesPage(set, context)
  const { versions, changes } = context.services.space
  const at = '/content/entry/:entry_id'
  set.act(`${at}/versions`, 'content:update', async c => {
    await versions.create(panelActor(c), VersionCreate.parse({ content_data_id: idIn(c) }))
    return saved(`${pathOf(idIn(c))}/versions`)
  })
  set.act(`${at}/versions/:version_id/restore`, 'content:update', async c => {
    await versions.restore(panelActor(c), idParam(c, 'version_id'))
    return saved(pathOf(idIn(c)))
  })
  set.act(`${at}/changes/drop`, 'content:update', async c => {
    await changes.drop(panelActor(c), idIn(c))
    return saved(pathOf(idIn(c)))
  })
}

async function nameOf(id: string, context: PanelContext): Promise<string> {
  const entry = await context.services.space.content.get(id)
  return (await namesOf([entry], await modelOf(context), context)).get(id) ?? ''
}

function listPage({ get }: Pages, context: PanelContext): void {
  const { versions } = context.services.space
  get('/content/entry/:entry_id/versions', 'content:update', async (view, c) => {
    const id = idIn(c)
    const name = await nameOf(id, context)
    const found = await versions.summaries(id, maxVersions)
    const own = pathOf(id)
    return (
      <Page view={view} title="Versions" crumbs={[{ word: name, path: own }]} column>
        <div class="head">
          <h1>Versions of {name}</h1>
        </div>
        {found.length === 0 ? (
          <Empty>A version is kept at each publish.</Empty>
        ) : (
          <Table
            view={view}
            caption="Versions, newest first"
            records={found}
            columns={[
              { label: 'Version', of: ({ version_number }) => `v${version_number}` },
              {
                label: 'Why',
                wide: true,
                of: ({ trigger, label, locale }) =>
                  [words[trigger] ?? trigger, label, locale].filter(Boolean).join(' · '),
              },
              { label: 'When', of: ({ date_created }) => <Moment view={view} at={date_created} /> },
              {
                label: 'Before it',
                of: version => {
                  const before = found[found.indexOf(version) + 1]
                  return before ? (
                    <a
                      href={`${view.base}${own}/compare?from=${before.content_version_id}&to=${version.content_version_id}`}
                    >
                      Compare
                    </a>
                  ) : (
                    '–'
                  )
                },
              },
              {
                label: 'Restore',
                of: ({ content_version_id }) => (
                  <Act view={view} action={`${own}/versions/${content_version_id}/restore`}>
                    Restore
                  </Act>
                ),
              },
            ]}
          />
        )}
      </Page>
    )
  })
}

interface Changed extends Difference {
  /** Left out where all are of one entry. */
  readonly content_data_id?: string
  readonly field: string
  readonly locale: string
}

const Differences = ({
  values,
  titles,
}: {
  values: readonly WithPieces<Changed>[]
  titles?: ReadonlyMap<string, string>
}) => (
  <dl class="differences">
    {values.map(({ content_data_id, field, locale, ...difference }) => (
      <div>
        <dt>
          {content_data_id !== undefined && `${titles?.get(content_data_id) ?? content_data_id} · `}
          {field} {locale && <code>{locale}</code>}
        </dt>
        <dd>
          <TextDifference of={difference} />
        </dd>
      </div>
    ))}
  </dl>
)

const changeWords = { created: 'new', updated: 'changed', moved: 'moved', deleted: 'deleted' }

/** The titles of entries, as far as they are still there. */
const titlesIn = (ids: readonly string[], context: PanelContext) =>
  titlesById([...new Set(ids)].slice(0, 200), context)

async function fieldNames(context: PanelContext): Promise<ReadonlyMap<string, string>> {
  const { fieldsOf } = await modelOf(context)
  return new Map([...fieldsOf.values()].flat().map(({ field_id, label }) => [field_id, label]))
}

function comparePage({ get }: Pages, context: PanelContext): void {
  const { versions } = context.services.space
  get('/content/entry/:entry_id/compare', 'content:update', async (view, c) => {
    const found = await versions.difference(c.req.query('from') ?? '', c.req.query('to') ?? '')
    const names = await fieldNames(context)
    const ids = [...found.values.map(one => one.content_data_id), ...found.added, ...found.removed]
    const titles = await titlesIn(ids, context)
    const values = await withPieces(
      found.values.map(one => ({ ...one, field: names.get(one.field_id) ?? one.field_id })),
    )
    const own = pathOf(idIn(c))
    const nothing = values.length + found.added.length + found.removed.length === 0
    return (
      <Page
        view={view}
        title="Compare"
        crumbs={[
          { word: await nameOf(idIn(c), context), path: own },
          { word: 'Versions', path: `${own}/versions` },
        ]}
        column
      >
        <div class="head">
          <h1>What changed</h1>
        </div>
        {nothing && <Empty>Nothing but places.</Empty>}
        {found.added.map(id => (
          <p>
            Added: <ins>{titles.get(id) ?? id}</ins>
          </p>
        ))}
        {found.removed.map(id => (
          <p>
            Removed: <del>{titles.get(id) ?? id}</del>
          </p>
        ))}
        <Differences values={values} titles={titles} />
      </Page>
    )
  })
}

function changesPage({ get }: Pages, context: PanelContext): void {
  get('/content/entry/:entry_id/changes', 'content:update', async (view, c) => {
    const { changes } = await context.services.space.changes.list(idIn(c))
    const titles = await titlesIn(
      changes.map(one => one.content_data_id),
      context,
    )
    const names = await fieldNames(context)
    const values = await withPieces(
      changes.flatMap(({ fields }) =>
        fields.map(one => ({
          field: names.get(one.field_id) ?? one.name,
          locale: one.locale,
          before: one.public,
          after: one.working,
        })),
      ),
    )
    const sections: ((typeof changes)[number] & { values: typeof values })[] = []
    for (const change of changes) sections.push({ ...change, values: values.splice(0, change.fields.length) })
    const own = pathOf(idIn(c))
    return (
      <Page
        view={view}
        title="Waiting for publish"
        crumbs={[{ word: await nameOf(idIn(c), context), path: own }]}
        column
        actions={
          changes.length > 0 && (
            <Act view={view} action={`${own}/changes/drop`} kind="bad">
              Drop all
            </Act>
          )
        }
      >
        <div class="head">
          <h1>Waiting for publish</h1>
        </div>
        {changes.length === 0 && <Empty>Nothing waits: the public sees what is here.</Empty>}
        {sections.map(({ content_data_id, change, values }) => (
          <section>
            <h2>
              {change === 'deleted' ? (
                'A deleted entry'
              ) : (
                <a href={`${view.base}${pathOf(content_data_id)}`}>
                  {titles.get(content_data_id) ?? content_data_id}
                </a>
              )}{' '}
              <span class="hint">{changeWords[change]}</span>
            </h2>
            <Differences values={values} />
          </section>
        ))}
      </Page>
    )
  })
}
