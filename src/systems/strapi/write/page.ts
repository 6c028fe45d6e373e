import type { LeanValue } from '../../../db/queries/trees.js'
import { addByName, type FormatContext, valuesIn, whole } from '../../../services/delivery/formats/format.js'
import { objectOf } from '../../../services/delivery/formats/json-text.js'
import { changedAt, type References, typedValue } from '../../../services/delivery/formats/typed-value.js'
import {
  type ContentTree,
  type LinkedEntry,
  type Node,
  type NodeValue,
  nestedJson,
  walk,
} from '../../../services/delivery/tree.js'
import { atOnce, type Pieces } from '../../../turns.js'
import { toStrapiBlocks } from '../rich-text.js'
import { attributesOfFile, strapiFile } from './files.js'
import { plainModel, type StrapiModel } from './model.js'
import {
  behind,
  everything,
  localizationsIn,
  localizationsKey,
  nothing,
  only,
  type StrapiShown,
} from './shown.js'

type Written = Record<string, string>
type Nodes = ReadonlyMap<string, Node>
type Datatype = Node['datatype']

const hasOwnLocalizations = (model: StrapiModel, datatype: Datatype): boolean =>
  model.zoneOf(datatype) === localizationsKey ||
  model.fieldsOf(datatype).some(({ name }) => name === localizationsKey)

/** An entry in another locale in which it has values. */
export interface Localization {
  readonly context: FormatContext
  readonly route: ContentTree['route']
}

/** @param fields those that will be written; undefined for all */
export type LocalizationsOf = (
  node: Node,
  route: ContentTree['route'],
  fields: ReadonlySet<string> | undefined,
) => readonly Localization[]

interface Writing {
  readonly context: FormatContext
  readonly model: StrapiModel
  readonly inTree: Nodes
  /** The response format of Strapi 4 wraps every document that is referred to. */
  readonly wrapped: boolean
  /** True if slug and title are the fields of these names, and the route's slug has no slash in front. */
  readonly ownNames: boolean
  readonly localizations?: LocalizationsOf | undefined
}

function attributesOf(
  { entry, values }: Pick<Node, 'entry' | 'values'>,
  route: ContentTree['route'],
  { ownNames }: Writing,
): Written {
  const written: Written = {}
  const isOwn = (name: string) => ownNames && values.some(({ field }) => field.name === name)
  if (route && !isOwn('title')) written.title = JSON.stringify(route.title)
  if (route && !isOwn('slug'))
    written.slug = JSON.stringify(ownNames ? route.slug.slice(1) || '/' : route.slug)
  written.createdAt = `"${entry.date_created}"`
  written.updatedAt = `"${changedAt({ entry, values })}"`
  written.publishedAt = entry.status === 'published' ? JSON.stringify(entry.published_at) : 'null'
  return written
}

const asData = (json: string, wrapped: boolean): string => (wrapped ? `{"data":${json}}` : json)

function filesOf({ ids, many }: References, shown: StrapiShown, { context, wrapped }: Writing): string {
  const files = ids.flatMap(id => {
    const media = context.media.get(id)
    if (!media) return []
    const file = wrapped
      ? { id: media.numeric_id, attributes: only(attributesOfFile(media), shown) }
      : strapiFile(media, shown, context.ids)
    return [JSON.stringify(file)]
  })
  return asData(many && files.length > 0 ? `[${files.join(',')}]` : (files[0] ?? 'null'), wrapped)
}

function sortedTargets(
  ids: readonly string[],
  sort: NonNullable<StrapiShown['sort']>,
  { context }: Writing,
): readonly string[] {
  const memberKey = (id: string, name: string): string | number | undefined => {
    const target = context.linked.get(id)
    if (!target) return undefined
    const { node, route } = target
    const value = valuesIn(node, context).find(({ field }) => field.name === name)
    const typed = value && typedValue(value)
    if (typed?.kind === 'plain')
      return typeof typed.json === 'number' ? typed.json : String(typed.json).toLowerCase()
    const columns: Record<string, string | number | undefined> = {
      id: node.entry.numeric_id,
      documentId: context.ids?.get(id) ?? id,
      createdAt: node.entry.date_created,
      updatedAt: changedAt(node),
      publishedAt: node.entry.published_at ?? undefined,
      title: route?.title,
      slug: route?.slug,
    }
    return Object.hasOwn(columns, name) ? columns[name] : undefined
  }
  const order = (a: string, b: string): number => {
    for (const { name, descending } of sort) {
      const [first, second] = [memberKey(a, name), memberKey(b, name)]
      if (first === second) continue
      if (first === undefined || second === undefined) return first === undefined ? 1 : -1
      return first < second === descending ? 1 : -1
    }
    return 0
  }
  return [...ids].sort(order)
}

function targetsOf(
  { ids, many }: References,
  field: NodeValue['field'],
  shown: StrapiShown,
  isNamed: boolean,
  writing: Writing,
): string {
  const { context, inTree, model, wrapped } = writing
  const isParts = model.namesComponents(field)
  const inOrder = shown.sort ? sortedTargets(ids, shown.sort, writing) : ids
  const targets = inOrder.flatMap(id => {
    const own = inTree.get(id)
    const target = context.linked.get(id) ?? (own && { node: own, route: undefined })
    if (!target) return []
    return isParts
      ? partOf(target.node, many, shown, isNamed, writing)
      : targetOf(target, shown, isNamed, writing)
  })
  return asData(many ? `[${targets.join(',')}]` : (targets[0] ?? 'null'), wrapped && !isParts)
}

/** A component that an entry stands for: neither version wraps it, and of several each says what it is. */
function partOf(node: Node, many: boolean, shown: StrapiShown, isNamed: boolean, writing: Writing): string {
  const name = writing.model.componentOf(node.datatype)
  const id = String(node.entry.numeric_id)
  const part: Written = many ? { __component: JSON.stringify(name), id } : { id }
  return objectOf(isNamed ? part : addValues(part, node, writing, shown.on?.get(name) ?? shown))
}

function targetOf(target: LinkedEntry, shown: StrapiShown, isNamed: boolean, writing: Writing): string {
  const { context, model } = writing
  const { node, route } = target
  const every = attributesOf(node, route, writing)
  if (context.locale && (route || model.isLocalized(node))) every.locale = JSON.stringify(context.locale)
  const plain = only(every, shown)
  if (isNamed) return identified(node, plain, writing)
  const attributes = addValues(plain, node, writing, shown)
  return identified(node, addLocalizations(attributes, target, writing, shown), writing)
}

const documentIdOf = ({ ids }: FormatContext, id: string): string => JSON.stringify(ids?.get(id) ?? id)

function identified({ entry }: Node, attributes: Written, { wrapped, context }: Writing): string {
  const id = String(entry.numeric_id)
  if (wrapped) return `{"id":${id},"attributes":${objectOf(attributes)}}`
  return objectOf({ id, documentId: documentIdOf(context, entry.content_data_id), ...attributes })
}

function addLocalizations(
  into: Written,
  { node, route }: LinkedEntry,
  writing: Writing,
  shown: StrapiShown,
): Written {
  const { localizations, model, wrapped } = writing
  const further = localizationsIn(shown)
  if (!localizations || !further || hasOwnLocalizations(model, node.datatype)) return into
  const others = localizations(node, route, further.fields).map(({ context, route: address }) => {
    const there = { ...writing, context, localizations: undefined }
    const attributes = attributesOf(node, address, there)
    attributes.locale = JSON.stringify(context.locale)
    return identified(node, addValues(only(attributes, further), node, there, further), there)
  })
  into[localizationsKey] = asData(`[${others.join(',')}]`, wrapped)
  return into
}

/** True if a field that is not a reference is shown; JSON may be a component to a front end that populates it. */
const showsPlain = ({ fields, populate }: StrapiShown, name: string): boolean =>
  !fields || fields.has(name) || (typeof populate === 'object' && populate.has(name))

function valuesOf(node: Node, { context, model }: Writing, into: Written): NodeValue<LeanValue>[] {
  const stored: NodeValue<LeanValue>[] = valuesIn(node, context)
  const known = new Set(stored.map(({ field }) => field.field_id))
  const { content_data_id } = node.entry
  const empty = model
    .fieldsOf(node.datatype)
    .filter(({ field_id, name }) => !known.has(field_id) && !Object.hasOwn(into, name))
    .map(field => ({
      field,
      value: { content_data_id, field_id: field.field_id, locale: '', field_value: '' },
    }))
  return [...stored, ...empty]
}

function richText({ field, value }: NodeValue<LeanValue>, html: string, { context, model }: Writing): string {
  if (!model.isBlocks(field)) return JSON.stringify(html)
  return JSON.stringify(context.rich?.get(value) ?? toStrapiBlocks(html, context.media))
}

function addValues(into: Written, node: Node, writing: Writing, shown: StrapiShown): Written {
  const read = (value: NodeValue<LeanValue>): string | undefined => {
    const { name, field_type } = value.field
    const isReference = field_type === 'relation' || field_type === 'media'
    const further = isReference ? behind(shown, name) : undefined
    // Undefined leaves it out; fields that are named do not choose among references.
    if (isReference ? !further : !showsPlain(shown, name)) return undefined
    const typed = typedValue(value)
    if (typed.kind === 'empty') return 'null'
    if (typed.kind === 'plain') return JSON.stringify(typed.json)
    if (typed.kind === 'rich') return richText(value, typed.html, writing)
    if (typed.kind === 'relation')
      return targetsOf(typed, value.field, further ?? nothing, shown.populate === 'names', writing)
    return filesOf(typed, further ?? nothing, writing)
  }
  addByName(into, valuesOf(node, writing, into), read, writing.model.zoneOf(node.datatype))
  return into
}

/** How much of each component is written, in trees whose parents are written before their children. */
class Components {
  private readonly written = new Map<string, { datatype: Datatype; shown: StrapiShown }>()

  constructor(
    private readonly root: StrapiShown,
    private readonly zone: StrapiShown | undefined,
    private readonly model: StrapiModel,
  ) {}

  shown({ entry: { content_data_id, parent_id }, datatype }: Node): StrapiShown {
    const { root, zone, model } = this
    const above = this.written.get(parent_id ?? '')
    const named = above && typeof above.shown.populate === 'object'
    // A component that says nothing of its own children has them as the zone has its components.
    const from = (named && behind(above.shown, model.zoneOf(above.datatype))) || zone || nothing
    const own = from.on?.get(model.componentOf(datatype)) ?? { fields: from.fields, populate: from.populate }
    const shown = root.populate === 'everything' ? everything : own
    this.written.set(content_data_id, { datatype, shown })
    return shown
  }

  /** True if an empty list of children is shown: always where Strapi has children, otherwise only on request. */
  saysEmpty({ entry, datatype }: Node): boolean {
    if (!this.model.isLeaf(datatype)) return true
    const populate = this.written.get(entry.content_data_id)?.shown.populate
    return typeof populate === 'object' && populate.has(this.model.zoneOf(datatype))
  }
}

function* documentOf(
  { route, root }: ContentTree,
  context: FormatContext,
  { wrapped, ownNames, model, localizations }: Omit<Writing, 'context' | 'inTree'>,
  shown: StrapiShown,
): Pieces<string> {
  const inTree = new Map([...walk(root)].map(node => [node.entry.content_data_id, node]))
  const writing = { context, inTree, wrapped, ownNames, model, localizations }
  const { numeric_id, content_data_id } = root.entry
  const zone = behind(shown, model.zoneOf(root.datatype))
  const components = new Components(shown, zone, model)
  const own = (node: Node) => {
    if (node === root) {
      const ids = wrapped
        ? {}
        : { id: String(numeric_id), documentId: documentIdOf(context, content_data_id) }
      const attributes = attributesOf(root, route, writing)
      attributes.locale = JSON.stringify(context.locale || null)
      const document = addValues({ ...ids, ...only(attributes, shown) }, root, writing, shown)
      return objectOf(addLocalizations(document, { node: root, route }, writing, shown))
    }
    const named = {
      __component: JSON.stringify(model.componentOf(node.datatype)),
      id: String(node.entry.numeric_id),
    }
    return objectOf(addValues(named, node, writing, components.shown(node)))
  }
  const zoneOf = ({ datatype }: Node) => model.zoneOf(datatype)
  const attributes = zone
    ? yield* nestedJson(root, zoneOf, own, node => node === root || components.saysEmpty(node))
    : own(root)
  return wrapped ? `{"id":${numeric_id},"attributes":${attributes}}` : attributes
}

/** A document of a list, in the shape of version 5 or `wrapped` of version 4. */
export const strapiDocument = (
  tree: ContentTree,
  context: FormatContext,
  shown: StrapiShown,
  how: Pick<Writing, 'wrapped' | 'model' | 'localizations'>,
): string => atOnce(documentOf(tree, context, { ...how, ownNames: true }, shown))

const page = (wrapped: boolean) =>
  whole(function* (tree, context) {
    const data = yield* documentOf(tree, context, { wrapped, ownNames: false, model: plainModel }, everything)
    return `{"data":${data},"meta":{}}`
  })

/** The flat shape of version 5, with our id as `documentId`. */
export const strapi = page(false)

/** The shape of version 4, which Strapi 5 too gives under the header `Strapi-Response-Format: v4`. */
export const strapi4 = page(true)
