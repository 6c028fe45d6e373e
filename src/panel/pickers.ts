import { isUlid, storedId } from '../ids.js'
import type { Ctx } from '../middleware/context.js'
import { all, isTitle, type Model, modelOf } from '../resources/entries.js'
import { datatypesOf } from '../resources/entry-fields.js'
import { entryChoices, type Filter, mediaById, mediaName } from '../resources/views/search.js'
import type { Wording } from '../texts/wording.js'
import type { PanelContext } from './context.js'
import type { Choice } from './controls.js'
import { pages } from './pages.js'
import { tileOf, wholeOf } from './pictures.js'

const maxFound = 30

type Media = Awaited<ReturnType<PanelContext['services']['media']['items']['get']>>

const mediaChoice = (media: Media, { t }: Wording) => ({
  value: media.media_id,
  word: mediaName(media),
  alt: media.alt_text,
  hint: media.alt_text || (media.mimetype.startsWith('image/') ? t('No alt text') : ''),
  picture: tileOf(media),
  ...(media.mimetype.startsWith('image/') && {
    preview: wholeOf(media),
    focal: `${media.focal_x ?? 50} ${media.focal_y ?? 50}`,
  }),
})

export async function mediaChoices(
  filter: Filter,
  limit: number,
  context: PanelContext,
  wording: Wording,
): Promise<Choice[]> {
  const { items } = context.services.media
  const found = 'ids' in filter ? await mediaById(filter.ids, context) : await all(items.list({}, { limit }))
  return found.map(media => mediaChoice(media, wording))
}

async function searched(q: string, of: readonly string[], { services }: PanelContext): Promise<string[]> {
  const types = of.length > 0 ? [...new Set(of)] : undefined
  // Words that the search rejects can still be found in titles.
  const found = await services.space.search
    .find('reader', { words: q, types, limit: maxFound })
    .catch(() => undefined)
  return found?.results.map(({ id }) => id) ?? []
}

/** Finds entries by their titles, drafts too. */
function called(q: string, of: readonly string[], model: Model, { services }: PanelContext) {
  const fields = datatypesOf(model, of).flatMap(id => model.fieldsOf.get(id)?.find(isTitle)?.field_id ?? [])
  return services.space.matchingEntries(q, fields, maxFound)
}

async function onPages(
  q: string,
  of: readonly string[],
  model: Model,
  { services: { space } }: PanelContext,
) {
  const { keys: route_id } = await space.matchingRoutes(q)
  if (route_id.length === 0) return []
  const types = new Set(datatypesOf(model, of))
  const roots = await all(space.content.list({ route_id }, { limit: maxFound }))
  const byRoute = new Map(roots.map(root => [root.route_id, root]))
  return route_id.flatMap(id => {
    const root = byRoute.get(id)
    return root && types.has(root.datatype_id) ? [root.content_data_id] : []
  })
}

/** Finds entries by id, by the title of their page, by their own title, and by their texts. */
async function findEntries(
  q: string,
  of: readonly string[],
  context: PanelContext,
  wording: Wording,
): Promise<Choice[]> {
  const model = await modelOf(context)
  if (q === '') return entryChoices({ of }, maxFound, model, context, wording)
  const ids = isUlid(q)
    ? [q]
    : [
        ...(await onPages(q, of, model, context)),
        ...(await called(q, of, model, context)),
        ...(await searched(q, of, context)),
      ]
  const unique = [...new Set(ids)].slice(0, maxFound)
  const found = await entryChoices({ ids: unique }, maxFound, model, context, wording)
  const byId = new Map(found.map(choice => [choice.value, choice]))
  return unique.flatMap(id => byId.get(id) ?? [])
}

async function findMedia(text: string, kind: 'images' | 'media', context: PanelContext, wording: Wording) {
  const filter = { ...(text === '' ? {} : { text }), ...(kind === 'images' ? { type: 'image' } : {}) }
  const { items } = context.services.media
  const found = isUlid(text) ? [await items.get(text)] : await all(items.list(filter, { limit: maxFound }))
  if (kind === 'media') return found.map(media => mediaChoice(media, wording))
  return found.map(media => ({
    ...mediaChoice(media, wording),
    address: media.url,
    width: media.width,
    height: media.height,
  }))
}

async function findPages(q: string, { services: { space } }: PanelContext): Promise<Choice[]> {
  const route_id = q === '' ? [] : (await space.matchingRoutes(q)).keys
  if (q !== '' && route_id.length === 0) return []
  const found = await all(space.routes.list(q === '' ? {} : { route_id }, { limit: maxFound }))
  const byId = new Map(found.map(route => [route.route_id, route]))
  const inOrder = q === '' ? found : route_id.flatMap(id => byId.get(id) ?? [])
  return inOrder.map(({ slug, title }) => ({ value: slug, word: title, hint: slug }))
}

const textIn = (c: Ctx) => storedId((c.req.query('q') ?? '').trim().slice(0, 200))

/** Responses to the pickers of the script. Without the script a form has the first choices. */
export function pickerAnswers(context: PanelContext) {
  const set = pages(context, 'pickers')
  const answer = (c: Ctx, found: readonly object[]) => {
    c.header('Cache-Control', 'no-store')
    return c.json(found)
  }
  const of = (c: Ctx) => (c.req.query('of') ?? '').split(',').filter(Boolean)
  set.get('/pick/entries', 'content:update', async (view, c) =>
    answer(c, await findEntries(textIn(c), of(c), context, view)),
  )
  set.get('/pick/pages', 'content:update', async (_view, c) => answer(c, await findPages(textIn(c), context)))
  for (const kind of ['media', 'images'] as const)
    set.get(`/pick/${kind}`, 'media:read', async (view, c) =>
      answer(c, await findMedia(textIn(c), kind, context, view)),
    )
  return set
}
