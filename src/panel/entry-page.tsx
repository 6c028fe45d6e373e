import { all, type Entry, type ModelField, modelOf, valuesOf } from '../resources/entries.js'
import { type State, stateWord, treeOf, waitingIn } from '../resources/trees.js'
import { talkOf } from '../resources/views/talk.js'
import { markOfField } from './comments.js'
import { Fields } from './controls.js'
import { crumbsTo } from './entry-crumbs.js'
import { controlOf } from './entry-fields.js'
import { EntryMenu } from './entry-menu.js'
import { type Asked, isShared, isWritten, type Shown } from './entry-shown.js'
import { Side } from './entry-side.js'
import { sourcesIn, withSource } from './entry-source.js'
import { tokenMember } from './form-token.js'
import { Page } from './layout.js'
import { whyReadOnly } from './limited.js'
import { headFields, headLocale, PageHead, pageMark } from './page-head.js'
import { DeleteDialog, Form, Moment, Note, State as StateOf } from './parts.js'
import { readOnly } from './read-only.js'
import { mayAsk, ReviewNote } from './review.js'
import { TreePane } from './tree.js'
import { partsIn } from './tree-parts.js'
import type { View } from './view.js'

/** The fields with values in a locale: all of them without a locale, else the translatable ones. */
export const translated = (fields: readonly ModelField[], locale: string): readonly ModelField[] =>
  locale === '' ? fields : fields.filter(({ translatable }) => translatable)

const pathOf = (id: string) => `/content/entry/${id}`

async function besideIn({ tree: { beside } }: View, { context }: Asked): Promise<Entry | undefined> {
  if (beside === undefined) return undefined
  const [found] = await all(context.services.space.content.list({ content_data_id: beside }, { limit: 1 }))
  return found
}

/** The page of an entry: its tree on the left, its form in the middle, its publication on the right. */
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
  const mayChange = await view.mayChange(id)
  const talk = context.isVisited ? await talkOf(entry, context) : undefined
  const shown: Shown = { ...asked, view, entry, model, tree, title, slug: route?.slug, talk, mayChange }
  const type = model.datatypes.get(entry.datatype_id)?.label ?? ''
  return (
    <Page
      view={view}
      title={title}
      crumbs={await crumbsTo(entry, context, view)}
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
          isFixed={await fixedIn(shown)}
        />
      }
      side={await Side(shown)}
    >
      <NotUndone {...shown} />
      <NotChanged {...shown} />
      <ReviewNote {...shown} />
      {await Editor(shown, node?.state)}
      {view.can('content:delete') && isShared(shown) && (
        <DeleteDialog
          view={view}
          path={pathOf(id)}
          name={title}
          also={view.t('This deletes the entry, all entries under it and their versions.')}
          counted={id}
        />
      )}
    </Page>
  )
}

/** Returns which entries of the tree the limits of the user's role keep as they are. */
async function fixedIn({ view, tree }: Shown): Promise<(id: string) => boolean> {
  const mayChange = await view.mayChangeEach(tree.nodes.map(({ entry }) => entry.content_data_id))
  return id => !isShared({ mayChange: mayChange(id) })
}

/** Says why the entry is shown to read only. */
function NotChanged(shown: Shown) {
  const { view, mayChange, locale } = shown
  const why = whyReadOnly(mayChange, locale, view)
  if (why === undefined) return null
  return (
    <Note view={view}>
      <p>{why}</p>
    </Note>
  )
}

/** Says why an undo was refused. */
function NotUndone({ view, notUndone }: Shown) {
  if (notUndone === undefined) return null
  const name = notUndone?.by ?? view.t('Somebody else')
  return (
    <Note view={view} kind="bad">
      <div data-refused="undo" tabindex={-1}>
        <b>{view.t('Not undone: {name} has changed this since.', { name })}</b>
        {notUndone && (
          <>
            {' '}
            <Moment view={view} at={notUndone.at} />
          </>
        )}
      </div>
    </Note>
  )
}

function Actions(shown: Shown) {
  const { view, id, entry, tree } = shown
  const count = waitingIn(tree, id)
  const waits = entry.status === 'draft' || count > 0
  const isNext = waits && view.can('content:publish') && isShared(shown)
  const isAsked = mayAsk(shown) && isWritten(shown)
  // The next step is on top of the page then.
  const isAnswered = shown.talk?.request?.status === 'open'
  return (
    <>
      <EntryMenu {...shown} />
      {isWritten(shown) && (
        <button type="submit" form="form" class={`button ${isNext || isAsked ? '' : 'next'}`}>
          {view.t('Save')}
        </button>
      )}
      {isNext && (
        <button
          type="submit"
          form="form"
          name="next"
          value="publish"
          class={isAnswered ? 'button' : 'button next'}
        >
          {view.t('Publish')}
          {count > 0 && <span class="wide">{view.count(count, '{n} change', '{n} changes')}</span>}
        </button>
      )}
      {isAsked && (
        <button type="submit" form="form" name="next" value="review" class="button next">
          {view.t('Request review')}
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
  // The default language shows what is written for every language, so that it is not missing there.
  const emptyIn = (code: string, isDefault: boolean) => {
    const written = values.filter(
      ({ locale, field_value }) => field_value !== '' && (locale === code || (isDefault && locale === '')),
    )
    const filled = new Set(written.map(({ field_id }) => field_id))
    return fields.filter(({ translatable, field_id }) => translatable && !filled.has(field_id)).length
  }
  return (
    <nav class="tabs" aria-label={view.t('Language')}>
      <a href={`${view.base}${pathOf(id)}`} aria-current={locale === '' ? 'page' : undefined}>
        {view.t('All languages')}
      </a>
      {locales.map(({ code, label, is_default }) => (
        <a
          href={`${view.base}${pathOf(id)}?locale=${encodeURIComponent(code)}`}
          aria-current={locale === code ? 'page' : undefined}
          lang={code}
        >
          {label}
          {emptyIn(code, is_default) > 0 && ` · ${view.t('{n} empty', { n: emptyIn(code, is_default) })}`}
        </a>
      ))}
    </nav>
  )
}

function Head(shown: Shown & { state: State | undefined; titled: string }) {
  const { view, context, entry, model, tree, title, draft, titled, state } = shown
  const { route } = tree
  const isPublic = entry.status === 'published'
  const isLive = context.config().publish_mode === 'live'
  const isTyped = isHeadWritten(shown, titled)
  return (
    <div>
      {route && isTyped ? (
        <PageHead view={view} route={route} locale={titled} draft={draft} />
      ) : (
        <h1>{title}</h1>
      )}
      <p class="meta">
        {state && <StateOf kind={state.kind}>{stateWord(state, view)}</StateOf>}
        {route && entry.route_id !== null && !isTyped && <code>{route.slug}</code>}
        <span>{model.datatypes.get(entry.datatype_id)?.label}</span>
        <span>{view.parts('Edited {time}', { time: <Moment view={view} at={entry.date_modified} /> })}</span>
        {isPublic && isLive && isWritten(shown) && <span>{view.t('What you save is public at once')}</span>}
        {isPublic && !isLive && isTyped && <span>{view.t('Title and address are public at once')}</span>}
      </p>
    </div>
  )
}

/** Whether title and address are fields of the form. */
const isHeadWritten = (shown: Shown, titled: string): boolean =>
  shown.entry.route_id !== null && shown.view.can('routes:update') && isWritten({ ...shown, locale: titled })

async function Editor(shown: Shown, state: State | undefined) {
  const { view, context, id, locale, draft, since, entry, model, tree } = shown
  const fields = translated(model.fieldsOf.get(entry.datatype_id) ?? [], locale)
  const values = await valuesOf(id, context)
  const sources = await sourcesIn(locale, context, view)
  const controls = await Promise.all(
    fields.map(async field => {
      const stored = values.find(row => row.field_id === field.field_id && row.locale === locale)
      const control = await controlOf(field, stored?.field_value ?? '', model, context, view)
      return withSource(control, field, values, sources)
    }),
  )
  const query = locale === '' ? '' : `?locale=${encodeURIComponent(locale)}`
  const at = `${pathOf(id)}${query}`
  const titled = await headLocale(locale, context)
  const head = isHeadWritten(shown, titled) ? tree.route : undefined
  const empty = controls.length === 0 && <p class="lead">{view.t('This datatype has no fields.')}</p>
  if (!isWritten(shown))
    return (
      <>
        <Head {...shown} state={state} titled={titled} />
        {await Languages(shown)}
        {empty}
        <Fields
          view={view}
          fields={controls.map(control => readOnly(control, view))}
          markOf={markOfField(shown, fields)}
        />
      </>
    )
  return (
    <Form view={view} action={at} id="form" draft={at}>
      <Head {...shown} state={state} titled={titled} />
      {await Languages(shown)}
      <span
        data-upload-to={
          view.can('media:create') ? `${view.base}/media-upload?${tokenMember}=${view.token}` : undefined
        }
        data-media-from={context.services.media.urlOf('')}
      />
      {empty}
      <Fields
        view={view}
        fields={controls}
        listed={[...(head ? headFields(head, titled, view) : []), ...controls]}
        draft={draft}
        seen={pageMark(entry, entry.route_id === null ? undefined : tree.route, context)}
        since={since}
        begins={view.isNew}
        markOf={markOfField(shown, fields)}
      />
    </Form>
  )
}
