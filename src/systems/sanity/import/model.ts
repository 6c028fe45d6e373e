import { badRequest } from '../../../errors.js'
import { datatypeName, keyName } from '../../../services/body-parts.js'
import type { Notes } from '../../../services/import/notes.js'
import { camelCase } from '../../../services/text.js'
import { takeName } from '../../imports.js'
import type { SanityDocument, SanityExport } from './export.js'
import { FieldFacts, type FieldPlan, fieldPlan, mediaTypesIn } from './fields.js'
import { contentOf, isPart, type SanityObject, typeOf } from './objects.js'

/** The plan for all documents and parts of a type. */
export interface TypePlan {
  readonly original: string
  readonly name: string
  readonly children: string | undefined
  readonly fields: ReadonlyMap<string, FieldPlan>
}

/** The name of a field in notes. */
export const placeOf = (type: string, field: string): string => `${type.slice(0, 100)}.${field.slice(0, 100)}`

/** The types of an export by their names in Sanity. */
export type Model = ReadonlyMap<string, TypePlan>

interface Candidate {
  isOfParts: boolean
  readonly types: Set<string>
}

const isPartList = (value: unknown): value is readonly SanityObject[] =>
  Array.isArray(value) && value.length > 0 && value.every(isPart)

const entryIn = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Of each type the field with the parts of a page: of several that with the most types of them, or else the first. */
function childrenFields(documents: Iterable<SanityDocument>, notes: Notes): ReadonlyMap<string, string> {
  const types = new Map<string, Map<string, Candidate>>()
  const visit = (object: SanityObject): void => {
    const fields = entryIn(types, typeOf(object) ?? '', () => new Map<string, Candidate>())
    for (const [name, value] of contentOf(object)) {
      if (Array.isArray(value) && value.length === 0) continue
      const candidate = entryIn(fields, name, () => ({ isOfParts: true, types: new Set<string>() }))
      if (!isPartList(value)) candidate.isOfParts = false
      else
        for (const part of value) {
          candidate.types.add(typeOf(part) ?? '')
          visit(part)
        }
    }
  }
  for (const document of documents) visit(document)
  const chosen = new Map<string, string>()
  for (const [type, fields] of types) {
    const lists = [...fields].filter(([, { isOfParts }]) => isOfParts)
    const [first, ...others] = lists.sort(([, a], [, b]) => b.types.size - a.types.size)
    if (first) chosen.set(type, first[0])
    for (const [name] of others)
      notes.add(
        'One list of objects becomes the child entries; further lists become JSON fields',
        `${type}.${name}`,
      )
  }
  return chosen
}

class Names {
  private readonly taken = new Set<string>()

  /** @param originals all names, so that none of them is given to another */
  constructor(originals: Iterable<string>, valid: typeof keyName) {
    for (const name of originals) if (valid.safeParse(name).success) this.taken.add(name)
  }

  of(original: string, changed: () => void): string {
    if (this.taken.has(original)) return original
    changed()
    return takeName(camelCase(original).slice(0, 200), this.taken)
  }
}

const firstFields = ['title', 'name', 'slug']
const rankOf = (name: string): number => {
  const at = firstFields.indexOf(name)
  return at < 0 ? firstFields.length : at
}

const maxTypesOrFields = 1000

function refuseMany(count: number, whose: string, of: string): void {
  if (count > maxTypesOrFields)
    throw badRequest(`${whose.slice(0, 100)} have more than ${maxTypesOrFields} ${of}`)
}

/** Gets each object of the documents, and each of its values but its parts, which are objects of their own. */
interface Visitor {
  object(type: string, isPart: boolean): void
  value(type: string, name: string, value: unknown): void
}

function visitAll(
  documents: Iterable<SanityDocument>,
  children: ReadonlyMap<string, string>,
  visitor: Visitor,
): void {
  const visit = (object: SanityObject, isPart: boolean): void => {
    const type = typeOf(object) ?? ''
    visitor.object(type, isPart)
    for (const [name, value] of contentOf(object))
      if (name !== children.get(type)) visitor.value(type, name, value)
      else if (isPartList(value)) for (const part of value) visit(part, true)
  }
  for (const document of documents) visit(document, false)
}

/**
 * Finds out the types of documents and of the parts of pages. It reads the documents three times and keeps no value.
 * @throws HttpError 400 for too many of them, or of fields
 */
export function modelOf(
  { documents, index }: Pick<SanityExport, 'documents' | 'index'>,
  notes: Notes,
): Model {
  const children = childrenFields(documents, notes)
  /** The types of images and files that each field has. */
  const types = new Map<string, Map<string, Set<string>>>()
  const partTypes = new Set<string>()
  visitAll(documents, children, {
    object(type, isPart) {
      entryIn(types, type, () => new Map<string, Set<string>>())
      if (isPart) partTypes.add(type)
    },
    value(type, name, value) {
      const fields = entryIn(types, type, () => new Map<string, Set<string>>())
      const media = entryIn(fields, name, () => new Set<string>())
      for (const one of mediaTypesIn(value)) media.add(one)
    },
  })
  refuseMany(types.size, 'the documents', 'types')
  for (const [type, fields] of types) refuseMany(fields.size, `documents of the type ${type}`, 'fields')
  const names = new Names(types.keys(), datatypeName)
  const typeNames = new Map(
    [...types.keys()].map(type => [
      type,
      names.of(type, () => notes.add('Types with invalid names are renamed', type)),
    ]),
  )
  const typesOfEntries = new Map(index.map(({ id, type }) => [id, typeNames.get(type)]))
  const documentTypes = new Set(index.map(({ type }) => type))
  const facts = new Map(
    [...types].map(([type, fields]) => [
      type,
      new Map(
        [...fields].map(([name, media]) => [name, new FieldFacts(media, key => typesOfEntries.get(key))]),
      ),
    ]),
  )
  visitAll(documents, children, {
    object: () => undefined,
    value: (type, name, value) => facts.get(type)?.get(name)?.add(value),
  })
  return new Map(
    [...facts].map(([original, fields]) => {
      if (documentTypes.has(original) && partTypes.has(original))
        notes.add(
          'Types of documents that are also parts of other documents become one datatype, and its lists include the parts',
          original,
        )
      const name = typeNames.get(original) ?? original
      const plan = {
        original,
        name,
        children: children.get(original),
        fields: fieldsOf(original, fields, notes),
      }
      return [original, plan]
    }),
  )
}

function fieldsOf(
  type: string,
  fields: ReadonlyMap<string, FieldFacts>,
  notes: Notes,
): ReadonlyMap<string, FieldPlan> {
  const names = new Names(fields.keys(), keyName)
  const sorted = [...fields].sort(([a], [b]) => rankOf(a) - rankOf(b))
  return new Map(
    sorted.map(([original, facts]) => {
      const place = placeOf(type, original)
      const name = names.of(original, () => notes.add('Fields with invalid names are renamed', place))
      return [original, fieldPlan(original, name, facts, notes, place)]
    }),
  )
}
