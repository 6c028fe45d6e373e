import type { Notes } from '../../../services/import/notes.js'
import type { ImportedField } from '../../../services/import/site.js'
import { isSlugText } from '../../../services/text.js'
import { isObject, memberOf, memberText } from '../../imports.js'
import { labelOf, textType } from '../../text-types.js'
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
}

const isReference = (value: unknown): boolean => referenceOf(value) !== undefined

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

type IsMedia = (value: unknown) => boolean

/** Finds images of types of their own, such as `mainImage`: some of a field may have no asset. */
function mediaIn(values: readonly unknown[]): IsMedia {
  const types = new Set<string | undefined>()
  for (const value of values)
    for (const one of listOf(value)) if (assetOf(one) !== undefined) types.add(typeOf(one))
  types.delete(undefined)
  return value => isMedia(value) || types.has(typeOf(value))
}

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

/** The facts about the rest of the export that fields need. */
export interface FieldWorld {
  readonly notes: Notes
  typeOfEntry(key: string): string | undefined
}

function typeAndData(
  name: string,
  kind: Kind,
  values: readonly unknown[],
  world: FieldWorld,
  lose: (sentence: string) => void,
): Pick<ImportedField, 'type' | 'data'> {
  const many = kind === 'references' || kind === 'mediaList' ? { cardinality: 'many' } : {}
  switch (kind) {
    case 'text':
      return {
        type: textType(
          name,
          values.filter(value => typeof value === 'string' && value !== '') as string[],
          lose,
        ),
      }
    case 'number':
    case 'boolean':
    case 'slug':
      return { type: kind }
    case 'reference':
    case 'references': {
      const keys = values.flatMap(listOf).flatMap(value => referenceOf(value) ?? [])
      const targets = [...new Set(keys.flatMap(key => world.typeOfEntry(key) ?? []))]
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
    case 'mediaList': {
      const isAllImages = values
        .flatMap(listOf)
        .every(value => isImage(value) || (isObject(value) && !isMedia(value)))
      return { type: 'media', data: { ...many, ...(isAllImages ? { kinds: ['image'] } : {}) } }
    }
    case 'blocks':
      return { type: 'richtext' }
    default:
      return { type: 'json' }
  }
}

/**
 * @param original the name in Sanity
 * @param name the name here
 * @param values all values of the field
 * @param place what notes call it, such as `post.cover`
 */
export function fieldPlan(
  original: string,
  name: string,
  values: readonly unknown[],
  world: FieldWorld,
  place: string,
): FieldPlan {
  const lose = (sentence: string) => world.notes.add(sentence, place)
  const isMediaHere = mediaIn(values)
  const known = values.flatMap(value => kindOf(value, isMediaHere) ?? [])
  const isBlank = known.length === 0 && values.includes('')
  const kind = isBlank ? 'text' : commonKind(new Set(known), lose)
  const field = {
    name,
    label: labelOf(original) || name,
    ...typeAndData(original, kind, values, world, lose),
  }
  return { field, kind }
}

/** The path of a slug; undefined if it is not a valid slug here. */
export function slugOf(value: unknown): string | undefined {
  const current = memberOf(value, 'current')
  return typeof current === 'string' && isSlugText(current) ? current : undefined
}
