import type { RowOf } from '../../../db/columns.js'
import type { LeanEntry, LeanValue } from '../../../db/queries/trees.js'
import type { ContentSpace } from '../../../db/tables.js'
import type { MediaById, MediaRecord } from '../../media/record.js'
import { type Paths, pathsBehind } from '../expand.js'
import { htmlOf, safeHtml } from '../rich-text/html.js'
import { type Node, nestedJson, walk } from '../tree.js'
import { WriteBudget } from '../write-budget.js'
import { childrenKey, type FormatContext, valuesIn, whole } from './format.js'
import { typedValue } from './typed-value.js'

type Written = Record<string, unknown>
type Values = ReturnType<typeof valuesIn<LeanValue>>
type Route = Pick<RowOf<ContentSpace['routes']>, 'slug' | 'title'>

/** An entry with its values, as much of it as this format shows. */
export interface NativeNode extends Pick<Node<LeanEntry, LeanValue>, 'datatype' | 'values'> {
  readonly entry: { readonly content_data_id: string; readonly published_at: string | null }
}

/** The id and the names of an entry: enough for a link to it. */
export interface NativeReference {
  readonly id: string
  readonly type: string
  readonly slug: string | null
  readonly title: string | null
}

/** The parts that entries are written with. */
export interface NativeWriting {
  readonly context: Pick<FormatContext, 'locale' | 'chain' | 'rich'>
  readonly media: MediaById
  /** Returns an entry that a value refers to; undefined for an entry that nobody sees. */
  target(id: string): { readonly node: NativeNode; readonly route: Route | undefined } | undefined
  readonly budget?: WriteBudget | undefined
}

interface Shown {
  readonly expand?: Paths | undefined
  readonly only?: ReadonlySet<string> | undefined
}

export const titleNames = ['title', 'name', 'label']

/**
 * Returns the reference to an entry: by its route or, without a route, by its own slug field and a field such as title
 * or name.
 * @param known the values that a reader sees, where they are known
 */
export function referenceTo(
  node: NativeNode,
  route: Route | undefined,
  context: Pick<FormatContext, 'locale' | 'chain'>,
  known?: Values,
): NativeReference {
  const { entry, datatype } = node
  const [id, type] = [entry.content_data_id, datatype.name]
  if (route) return { id, type, slug: route.slug, title: route.title }
  let slug: string | null = null
  let title: string | null = null
  let best = titleNames.length + 1
  for (const { field, value } of known ?? valuesIn(node, context)) {
    const text = value.field_value
    if (text === '') continue
    if (field.field_type === 'slug') slug ??= text
    if (field.field_type !== 'text') continue
    const at = titleNames.indexOf(field.name)
    const rank = at < 0 ? titleNames.length : at
    if (rank < best) [title, best] = [text, rank]
  }
  return { id, type, slug, title }
}

function pictureOf({ media_id, url, focal_x, focal_y, variants, ...media }: MediaRecord): Written {
  const focal = focal_x === null || focal_y === null ? null : { x: focal_x, y: focal_y }
  return {
    id: media_id,
    url,
    alt: media.alt_text || null,
    caption: media.caption || null,
    mimetype: media.mimetype,
    width: media.width,
    height: media.height,
    focal,
    thumbhash: media.thumbhash,
    variants: variants.map(({ name, width, height, fit, mimetype, url }) => ({
      name,
      width,
      height,
      fit,
      mimetype,
      url,
    })),
  }
}

function valueJson(shown: Values[number], writing: NativeWriting, expand: Paths): string {
  const { field, value } = shown
  const { context, media, budget } = writing
  budget?.take('characters', value.field_value.length)
  const typed = typedValue(shown)
  if (typed.kind === 'empty') return 'null'
  if (typed.kind === 'plain') return JSON.stringify(typed.json)
  if (typed.kind === 'rich') return JSON.stringify(context.rich?.get(value) ?? safeHtml(value.field_value))
  const picture = (id: string) => {
    const item = media.get(id)
    if (item) budget?.take('references')
    return item && JSON.stringify(pictureOf(item))
  }
  const behind = pathsBehind(expand, field.name)
  const one = typed.kind === 'media' ? picture : (id: string) => referred(id, writing, behind)
  const found = typed.ids.flatMap(id => one(id) ?? [])
  return typed.many ? `[${found.join(',')}]` : (found[0] ?? 'null')
}

function fieldsJson(values: Values, writing: NativeWriting, { expand = [], only }: Shown): string {
  const written = new Map<string, string>()
  for (const shown of values) {
    const { name } = shown.field
    if (!only || only.has(name)) written.set(name, valueJson(shown, writing, expand))
  }
  let text = ''
  // Names of fields are letters, digits and "_".
  for (const [name, json] of written) text += `${text === '' ? '' : ','}"${name}":${json}`
  return `{${text}}`
}

function referred(id: string, writing: NativeWriting, paths: Paths | undefined): string | undefined {
  const target = writing.target(id)
  if (!target) return undefined
  if (paths) return nativeEntry(target.node, target.route, writing, { expand: paths })
  writing.budget?.take('references')
  return JSON.stringify(referenceTo(target.node, target.route, writing.context))
}

/** `{id, type, slug, title, locale, published_at, fields}` of one entry, as JSON. @throws 400 when the budget is used up */
export function nativeEntry(
  node: NativeNode,
  route: Route | undefined,
  writing: NativeWriting,
  shown: Shown = {},
): string {
  writing.budget?.take('entries')
  const values = valuesIn(node, writing.context)
  const called = JSON.stringify(referenceTo(node, route, writing.context, values)).slice(0, -1)
  const locale = JSON.stringify(writing.context.locale || null)
  const since = JSON.stringify(node.entry.published_at)
  return `${called},"locale":${locale},"published_at":${since},"fields":${fieldsJson(values, writing, shown)}}`
}

/** Slugline's own shape: every entry in the same one, with its children. See docs/formats.md. */
export const native = whole(
  ({ route, root }, context) => {
    const inTree = new Map([...walk(root)].map(node => [node.entry.content_data_id, node]))
    const { expand } = context
    const writing: NativeWriting = {
      context,
      media: context.media,
      budget: expand && new WriteBudget('expand'),
      target(id) {
        const linked = context.linked.get(id)
        const node = linked?.node ?? inTree.get(id)
        return node && { node, route: linked?.route ?? (node === root ? route : undefined) }
      },
    }
    return nestedJson(
      root,
      childrenKey,
      node => nativeEntry(node, node === root ? route : undefined, writing, { expand }),
      () => true,
    )
  },
  text => htmlOf(text),
)
