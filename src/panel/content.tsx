import { z } from 'zod'
import { type Ctx, idParam } from '../middleware/context.js'
import { all, type Entry, modelOf, startsOf, valuesOf } from '../resources/entries.js'
import { changedValues, memberOf } from '../resources/entry-fields.js'
import { readMark, unlessEdited } from '../resources/entry-mark.js'
import { withFreeSlug } from '../resources/new-page.js'
import { ContentCreate, ContentUpdate } from '../services/content/content-input.js'
import { commentPages } from './comment-actions.js'
import type { SavedFields } from './conflict.js'
import { contentList } from './content-list.js'
import type { PanelContext } from './context.js'
import { placement, publication } from './entry-actions.js'
import { entryPage, translated } from './entry-page.js'
import { selectionActions } from './entry-selection.js'
import { Page } from './layout.js'
import { newPagePages } from './new-page.js'
import {
  headChange,
  headChanged,
  headLocale,
  headNames,
  partsOfMark,
  type Route,
  routeOf,
  unlessRenamed,
} from './page-head.js'
import { type Draft, formText, type Pages, pages, saved, seenMember, showPage, type Texts } from './pages.js'
import { Act, Empty } from './parts.js'
import { previewLinkPages } from './preview-links.js'
import { notPublished } from './refused-publish.js'
import { askForReview, reviewPages } from './review-actions.js'
import { savedSince } from './saved-since.js'
import { lastSave } from './savers.js'
import { withUndoOf } from './undo-last.js'
import { versionPages } from './versions.js'
import { panelActor, type View } from './view.js'
import { workActions } from './work-actions.js'
import { entryPath } from './work-table.js'

/** All of these pages show drafts. */
const reads = 'content:update'

/** Pages, their trees and their entries. */
export function contentPages(context: PanelContext) {
  const set = pages(context, 'content', { hasTexts: true })
  contentList(set, context)
  newPagePages(set, context)
  routePage(set, context)
  editor(set, context)
  placement(set, context)
  publication(set, context)
  selectionActions(set, context)
  workActions(set, context)
  versionPages(set, context)
  if (context.isVisited) {
    previewLinkPages(set, context)
    commentPages(set, context)
    reviewPages(set, context)
  }
  return set
}

const idIn = (c: Ctx) => idParam(c, 'entry_id')

const Start = z.object({ datatype_id: z.string() })

function routePage({ get, submit }: Pages, context: PanelContext): void {
  const { space } = context.services
  get('/content/:route_id', reads, async (view, c) => {
    const route = await space.routes.get(idParam(c, 'route_id'))
    const [root] = await all(space.content.list({ route_id: route.route_id }, { limit: 1 }))
    if (root) return c.redirect(`${view.base}${entryPath(root.content_data_id)}`, 303)
    const model = await modelOf(context)
    return (
      <Page view={view} title={route.title} crumbs={[{ word: view.t('Content'), path: '/content' }]} column>
        <div class="head">
          <h1>{route.title}</h1>
          <code>{route.slug}</code>
        </div>
        <Empty>
          <p>{view.t('This address has no page. Create one with the datatype')}</p>
          <div class="actions centred">
            {view.can('content:create') &&
              startsOf(model, undefined).map(({ value, word }) => (
                <Act view={view} action={`/content/${route.route_id}/start`} values={{ datatype_id: value }}>
                  {word}
                </Act>
              ))}
          </div>
        </Empty>
      </Page>
    )
  })
  submit('/content/:route_id/start', 'content:create', Start, c => ({
    names: [],
    async save({ body }) {
      const route_id = idParam(c, 'route_id')
      const made = await space.content.create(panelActor(c), ContentCreate.parse({ ...body, route_id }))
      return entryPath(made.content_data_id)
    },
  }))
  submit('/content-global', 'content:create', Start, c => ({
    names: [],
    async save({ body }) {
      const made = await space.content.create(panelActor(c), ContentCreate.parse(body))
      return entryPath(made.content_data_id)
    },
  }))
}

const Then = z.object({ next: z.enum(['', 'publish', 'review']).default('') })

function editor({ get, submit }: Pages, context: PanelContext): void {
  const { space } = context.services
  const at = '/content/entry/:entry_id'
  const localeIn = (c: Ctx) => c.req.query('locale') ?? ''
  get(at, reads, (view, c) => entryPage(view, { context, id: idIn(c), locale: localeIn(c) }))
  submit(at, 'content:update', Then, async c => {
    const [id, locale] = [idIn(c), localeIn(c)]
    const entry = await space.content.get(id)
    const model = await modelOf(context)
    const fields = translated(model.fieldsOf.get(entry.datatype_id) ?? [], locale)
    const stored = await valuesOf(id, context)
    const route = await routeOf(entry, context)
    const titled = await headLocale(locale, context)
    let texts: Texts = {}
    return {
      names: [...fields.map(memberOf), ...(route ? headNames(titled) : [])],
      prepare(given) {
        texts = given
        return { next: given.next ?? '' }
      },
      async save({ body, seen, view }) {
        const changes = changedValues(
          fields,
          field =>
            stored.find(row => row.field_id === field.field_id && row.locale === locale)?.field_value ?? '',
          texts,
        )
        const patch = ContentUpdate.parse({ fields: changes, ...(locale ? { locale } : {}) })
        const entryPatch = Object.keys(changes).length > 0 ? patch : undefined
        const did = await save({ id, seen, route, titled, texts, patch: entryPatch, view }, c, context)
        if (body.next !== '')
          try {
            if (body.next === 'publish') await publish(c, id, context)
            else await askForReview(c, id, context)
          } catch (error) {
            const { status, ...draft } = await notPublished(
              error,
              { id, locale, fields, model, wording: view },
              context,
            )
            return showPage(c, await entryPage(view, { context, id, locale, draft }), status)
          }
        return doneWith({ next: body.next, entry, locale, did }, context)
      },
      redraw: async (view, draft) => {
        const since = draft.changed ? await sinceOf(draft, { context, id, locale }) : undefined
        return entryPage(view, { context, id, locale, draft, since })
      },
    }
  })
}

/** The changes of a save. */
type Did = 'save' | 'rename' | undefined

interface Finished {
  next: string
  /** As it was. */
  entry: Entry
  locale: string
  did: Did
}

/** Returns the path of the page after a save, with a mark to undo it. The former state behind a later publish is not stored. */
function doneWith({ next, entry, locale, did }: Finished, context: PanelContext): Promise<string> | string {
  const { content_data_id: id, status } = entry
  const done = saved(`${entryPath(id)}${locale ? `?locale=${encodeURIComponent(locale)}` : ''}`)
  if (next === 'publish') return status === 'draft' ? withUndoOf(done, 'publish', id, context) : done
  return next === '' && did ? withUndoOf(done, did, id, context) : done
}

interface Saving {
  view: View
  id: string
  seen: string
  route: Route | undefined
  /** The locale of title and address. */
  titled: string
  texts: Texts
  patch: z.output<typeof ContentUpdate> | undefined
}

/**
 * Saves an entry and, if it is a page, its title and address with it.
 * @throws 403 if the user may not rename pages
 */
async function save(
  { view, id, seen, route, titled, texts, patch }: Saving,
  c: Ctx,
  context: PanelContext,
): Promise<Did> {
  const { access, space } = context.services
  const actor = panelActor(c)
  const check = unlessEdited(partsOfMark(seen).entry)
  const renamed = route && headChange(texts, route, titled)
  if (!renamed) {
    if (patch) await space.content.update(actor, id, patch, check)
    return patch && 'save'
  }
  await access.need(c.env.identity, 'routes:update')
  const slug = 'slug' in renamed ? renamed.slug : undefined
  await withFreeSlug(slug, context, view, () =>
    space.content.updatePage(actor, id, {
      route: { patch: renamed, check: unlessRenamed(seen, renamed, titled, context) },
      entry: patch && { patch, check },
    }),
  )
  return patch ? 'save' : 'rename'
}

async function sinceOf(
  draft: Draft,
  { context, id, locale }: { context: PanelContext; id: string; locale: string },
): Promise<SavedFields | undefined> {
  const mark = formText(draft.texts, seenMember)
  const seen = readMark(partsOfMark(mark).entry)
  if (!seen) return undefined
  const entry = await context.services.space.content.get(id)
  const { last, fields } = await savedSince(entry, seen, locale, context)
  const route = await routeOf(entry, context)
  const titled = await headLocale(locale, context)
  const renamed = route ? headChanged(mark, route, titled, context) : []
  const model = await modelOf(context)
  const known = model.fieldsOf.get(entry.datatype_id) ?? []
  return {
    last: route && renamed.length > 0 ? await lastSave(route.route_id, context) : last,
    members:
      fields && new Set([...known.filter(({ field_id }) => fields.has(field_id)).map(memberOf), ...renamed]),
  }
}

/** Publishes an entry. @throws 403 without the permission, and refusals with the ids of their entries */
async function publish(c: Ctx, id: string, context: PanelContext): Promise<void> {
  const { access, space } = context.services
  await access.need(c.env.identity, 'content:publish')
  await space.publishing.publish(panelActor(c), { content_data_id: id })
}
