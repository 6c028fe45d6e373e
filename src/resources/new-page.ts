import { duplicate, HttpError } from '../errors.js'
import type { Wording } from '../texts/wording.js'
import type { Model, SpaceParts } from './entries.js'
import type { Field, Texts } from './form-field.js'
import { startsOfPages } from './kinds.js'

/** Returns the fields of the form for a new page. */
export const newPageFields = async (model: Model, parts: SpaceParts, { t }: Wording): Promise<Field[]> => [
  { name: 'title', label: t('Title'), required: true },
  { name: 'slug', label: t('Address'), mono: true, hint: t('leave empty to create it from the title') },
  {
    name: 'datatype_id',
    label: t('Datatype'),
    kind: 'choice',
    choices: await startsOfPages(model, parts),
  },
]

/** The texts of the form; an empty slug is left out, to be created from the title. */
export const askedPage = ({ slug, ...texts }: Texts): Texts => ({ ...texts, ...(slug ? { slug } : {}) })

/** Does work that takes an address. @throws 409 that suggests a free address if another page has this one */
export async function withFreeSlug<T>(
  slug: string | undefined,
  { services: { space } }: SpaceParts,
  { t }: Wording,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isTaken = error instanceof HttpError && error.code === 'duplicate' && error.member === 'slug'
    if (!isTaken || slug === undefined) throw error
    const free = await space.slugs.free(slug)
    throw duplicate(t('{slug} is taken, {free} is available', { slug, free }), 'slug')
  }
}
