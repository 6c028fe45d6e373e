import { all, type Entry, type ModelField, modelOf, valuesOf } from '../resources/entries.js'
import { entryMark } from '../resources/entry-mark.js'
import { treeOf, waitingIn } from '../resources/trees.js'
import { Fields } from './controls.js'
import { controlOf } from './entry-fields.js'
import { type Asked, type Shown, Side } from './entry-side.js'
import { tokenMember } from './form-token.js'
import { Page } from './layout.js'
import { DeleteDialog, DeleteLink, Form, Moment, State } from './parts.js'
import { TreePane } from './tree.js'
import { partsIn } from './tree-parts.js'
import type { View } from './view.js'

/** The fields that have a value in a locale: all of them where none is named. */
export const translated = (fields: readonly ModelField[], locale: string): readonly ModelField[] =>
  locale === '' ? fields : fields.filter(({ translatable }) => translatable)

const pathOf = (id: string) => `/content/entry/${id}`

/** The entry that was moved, where it is still there. */
async function besideIn({ tree: { beside } }: View, { context }: Asked): Promise<Entry | undefined> {
  if (beside === undefined) return undefined
  const [found] = await all(context.services.space.content.list({ content_data_id: beside }, { limit: 1 }))
  return found
}

/** The tree at the left, the entry in the middle, what the world sees of it at the right. */
export async function entryPage(view: View, asked: Asked) {
  const { context, id } = asked
  const entry = await context.services.space.content.get(id)
  const model = await modelOf(context)
  const tree = await treeOf(entry, model, context, {
    asked: partsIn(view.tree.shown),
    beside: await besideIn(view, asked),
  })
  const route = tree.route
  const node = tree.nodes.find(one => one.entry.content_data_id === id)
  const title = node?.title ?? ''
  const shown: Shown = { ...asked, view, entry, model, tree, title, slug: route?.slug }
  const type = model.datatypes.get(entry.datatype_id)?.label ?? ''
  return (
    <Page
      view={view}
      title={title}
      crumbs={[{ word: 'Content', path: '/content' }]}
      column
      actions={<Actions {...shown} />}
      tree={
        <TreePane
          view={view}
          tree={tree}
          title={route?.title ?? type}
          slug={route?.slug}
          open={id}
          locale={asked.locale}
        />
      }
      side={await Side(shown)}
    >
      <div>
        <h1>{title}</h1>
        <p class="meta">
          {node && <State kind={node.state.kind}>{node.state.word}</State>}
          <span>{type}</span>
          <span>
            Edited <Moment view={view} at={entry.date_modified} />
          </span>
          {entry.status === 'published' && context.config().publish_mode === 'live' && (
            <span>What you save is public at once</span>
          )}
        </p>
      </div>
      {await Languages(shown)}
      {await Editor(shown)}
      {view.can('content:delete') && (
        <DeleteDialog
          view={view}
          path={pathOf(id)}
          name={title}
          also="This deletes the entry with everything under it and their versions."
          counted={id}
        />
      )}
    </Page>
  )
}

/** The next step is to publish where something waits for it. */
function Actions({ view, id, entry, tree, title }: Shown) {
  const count = waitingIn(tree, id)
  const waits = entry.status === 'draft' || count > 0
  const isNext = waits && view.can('content:publish')
  return (
    <>
      {view.can('content:delete') && (
        <span class="wide">
          <DeleteLink view={view} path={`${pathOf(id)}/delete`} name={title} />
        </span>
      )}
      <button type="submit" form="form" class={`button ${isNext ? '' : 'next'}`}>
        Save
      </button>
      {isNext && (
        <button type="submit" form="form" name="next" value="publish" class="button next">
          Publish
          {count > 0 && (
            <span class="wide">
              {count} {count === 1 ? 'change' : 'changes'}
            </span>
          )}
        </button>
      )}
    </>
  )
}

async function Languages({ view, context, id, locale, entry, model }: Shown) {
  const fields = model.fieldsOf.get(entry.datatype_id) ?? []
  if (!context.config().i18n_enabled || !fields.some(({ translatable }) => translatable)) return null
  const locales = []
  for await (const batch of context.services.locales.list({ is_enabled: true }, { limit: 200 }))
    locales.push(...batch)
  const values = await valuesOf(id, context)
  const emptyIn = (code: string) =>
    fields.filter(
      ({ translatable, field_id }) =>
        translatable &&
        !values.some(row => row.field_id === field_id && row.locale === code && row.field_value !== ''),
    ).length
  return (
    <nav class="tabs" aria-label="Language">
      <a href={`${view.base}${pathOf(id)}`} aria-current={locale === '' ? 'page' : undefined}>
        Every language
      </a>
      {locales.map(({ code, label }) => (
        <a
          href={`${view.base}${pathOf(id)}?locale=${encodeURIComponent(code)}`}
          aria-current={locale === code ? 'page' : undefined}
          lang={code}
        >
          {label}
          {emptyIn(code) > 0 && ` · ${emptyIn(code)} empty`}
        </a>
      ))}
    </nav>
  )
}

async function Editor({ view, context, id, locale, draft, since, entry, model }: Shown) {
  const fields = translated(model.fieldsOf.get(entry.datatype_id) ?? [], locale)
  const values = await valuesOf(id, context)
  const controls = await Promise.all(
    fields.map(field => {
      const stored = values.find(row => row.field_id === field.field_id && row.locale === locale)
      return controlOf(field, stored?.field_value ?? '', model, context)
    }),
  )
  const query = locale === '' ? '' : `?locale=${encodeURIComponent(locale)}`
  const at = `${pathOf(id)}${query}`
  return (
    <Form view={view} action={at} id="form" draft={at}>
      {view.can('media:create') && (
        <span data-upload-to={`${view.base}/media-upload?${tokenMember}=${view.token}`} />
      )}
      {controls.length === 0 && <p class="lead">An entry of this kind has nothing to write.</p>}
      <Fields
        view={view}
        fields={controls}
        draft={draft}
        seen={entryMark(entry)}
        since={since}
        begins={view.isNew}
      />
    </Form>
  )
}
