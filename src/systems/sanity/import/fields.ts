import type { Notes } from '../../../services/import/notes.js'
import type { ImportedField } from '../../../services/import/site.js'
import { isSlugText } from '../../../services/text.js'
import { isObject, memberOf, memberText } from '../../imports.js'
import { labelOf, TextFacts } from '../../text-types.js'
import { assetOf, isBlock, isImage, isMedia, isPart, referenceOf, typeOf } from './objects.js'

/** Finds out what fields are: an export has values alone, and no model. */

type Kind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'slug'
  | 'reference'
  | 'references'
  | 'media'
  | 'mediaList'
  | 'blocks'
  | 'parts'
  | 'objects'
  | 'json'

/** How a field is taken over. */
export interface FieldPlan {
  readonly field: ImportedField
  readonly kind: Kind
  /** Whether all references are weak: what they name may be deleted. */
  readonly isWeak: boolean
}

/** An object with `_ref` and without a type is shown as it was, so it stays JSON. */
const isReference = (value: unknown): boolean =>
  referenceOf(value) !== undefined && typeOf(value) !== undefined

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

type IsMedia = (value: unknown) => boolean

/** The types of the images and files in a value, such as `mainImage`: others of the type may have no asset. */
export const mediaTypesIn = (value: unknown): string[] =>
  listOf(value).flatMap(one => (assetOf(one) === undefined ? [] : (typeOf(one) ?? [])))

function kindOfList(list: readonly unknown[], isMediaHere: IsMedia): Kind {
  if (list.every(isReference)) return 'references'
  if (list.every(isMediaHere)) return 'mediaList'
  if (!list.every(isObject)) return 'json'
  if (list.some(isBlock)) return 'blocks'
  return list.every(isPart) ? 'parts' : 'objects'
}

/** @returns undefined for what says nothing, such as an empty list or text */
function kindOf(value: unknown, isMediaHere: IsMedia): Kind | undefined {
  if (typeof value === 'string') return value === '' ? undefined : 'text'
  if (typeof value === 'number') return Number.isFinite(value) ? 'number' : 'json'
  if (typeof value === 'boolean') return 'boolean'
  if (Array.isArray(value)) return value.length === 0 ? undefined : kindOfList(value, isMediaHere)
  if (typeOf(value) === 'slug') return memberText(value, 'current') === undefined ? undefined : 'slug'
  if (isMediaHere(value)) return 'media'
  return isReference(value) ? 'reference' : 'json'
}

const embeddable: ReadonlySet<Kind> = new Set(['blocks', 'mediaList', 'parts', 'objects'])

function commonKind(kinds: ReadonlySet<Kind>, lose: (sentence: string) => void): Kind {
  const [kind = 'json'] = kinds
  if (kinds.size <= 1) return kind
  if (kinds.has('blocks') && [...kinds].every(one => embeddable.has(one))) return 'blocks'
  lose('Fields with values of several types become JSON fields')
  return 'json'
}

/** Gathers what the values of a field are, and keeps none of them. */
export class FieldFacts {
  readonly kinds = new Set<Kind>()
  readonly texts = new TextFacts()
  /** Types of the documents that references name. */
  readonly targets = new Set<string>()
  isAllImages = true
  hasBlank = false
  private references = 0
  private weak = 0

  /** @param mediaTypes of all values of the field */
  constructor(
    private readonly mediaTypes: ReadonlySet<string>,
    private readonly typeOfEntry: (key: string) => string | undefined,
  ) {}

  add(value: unknown): void {
    const kind = kindOf(value, one => isMedia(one) || this.mediaTypes.has(typeOf(one) ?? ''))
    if (kind !== undefined) this.kinds.add(kind)
    if (value === '') this.hasBlank = true
    else if (typeof value === 'string') this.texts.add(value)
    for (const one of listOf(value)) {
      const key = referenceOf(one)
      const target = key === undefined ? undefined : this.typeOfEntry(key)
      if (target !== undefined) this.targets.add(target)
      if (key !== undefined) this.references++
      if (key !== undefined && memberOf(one, '_weak') === true) this.weak++
      this.isAllImages &&= isImage(one) || (isObject(one) && !isMedia(one))
    }
  }

  get isWeak(): boolean {
    return this.weak > 0 && this.weak === this.references
  }
}

function typeAndData(name: string, kind: Kind, facts: FieldFacts): Pick<ImportedField, 'type' | 'data'> {
  const many = kind === 'references' || kind === 'mediaList' ? { cardinality: 'many' } : {}
  switch (kind) {
    case 'text': {
      // Times are texts there: they are answered as they were written, and sorted as texts.
      const type = facts.texts.typeFor(name, () => undefined)
      return { type: type === 'datetime' && facts.texts.hasSeveralZones ? 'text' : type }
    }
    case 'number':
    case 'boolean':
    case 'slug':
      return { type: kind }
    case 'reference':
    case 'references': {
      const targets = [...facts.targets]
      const [target] = targets
      return {
        type: 'relation',
        data: {
          ...many,
          ...(target === undefined ? {} : { target: targets.length === 1 ? target : targets }),
        },
      }
    }
    case 'media':
    case 'mediaList':
      return { type: 'media', data: { ...many, ...(facts.isAllImages ? { kinds: ['image'] } : {}) } }
    case 'blocks':
      return { type: 'richtext' }
    default:
      return { type: 'json' }
  }
}

/**
 * @param original the name in Sanity
 * @param name the name here
 * @param facts what all values of the field are
 * @param place what notes call it, such as `post.cover`
 */
export function fieldPlan(
  original: string,
  name: string,
  facts: FieldFacts,
  notes: Notes,
  place: string,
): FieldPlan {
  const lose = (sentence: string) => notes.add(sentence, place)
  const isBlank = facts.kinds.size === 0 && facts.hasBlank
  const kind = isBlank ? 'text' : commonKind(facts.kinds, lose)
  const field = {
    name,
    label: labelOf(original) || name,
    ...typeAndData(original, kind, facts),
  }
  const isWeak = facts.isWeak && field.type === 'relation'
  return { field, kind, isWeak }
}

/** The path of a slug; undefined if it is not a valid slug here. */
export function slugOf(value: unknown): string | undefined {
  const current = memberOf(value, 'current')
  return typeof current === 'string' && isSlugText(current) ? current : undefined
}
