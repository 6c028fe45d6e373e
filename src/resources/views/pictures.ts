import type { Services } from '../../services/index.js'
import type { MediaRecord } from '../../services/media/record.js'
import { all, type Entry, type Model, type ModelField, type SpaceParts } from '../entries.js'

interface MediaParts extends SpaceParts {
  readonly services: SpaceParts['services'] & { readonly media: Pick<Services['media'], 'items'> }
}

const maxValues = 4000
const isId = (text: string) => /^[0-9A-Z]{26}$/.test(text)

/** The id in the value of a media field, or the first one of a list. */
const firstId = (value: string): string | undefined => value.match(/[0-9A-Z]+/g)?.find(isId)

const isMedia = ({ field_type }: ModelField) => field_type === 'media'

/**
 * Returns the first picture in the media fields of each entry, by the entry's id. Two statements for all of them; an entry
 * without a picture is left out.
 */
export async function picturesOf(
  entries: readonly Pick<Entry, 'content_data_id' | 'datatype_id'>[],
  model: Model,
  { services: { space, media } }: MediaParts,
): Promise<ReadonlyMap<string, MediaRecord>> {
  const kinds = [...new Set(entries.map(({ datatype_id }) => datatype_id))]
  const fields = kinds.flatMap(kind => (model.fieldsOf.get(kind) ?? []).filter(isMedia))
  if (fields.length === 0) return new Map()
  const field_id = fields.map(field => field.field_id)
  const content_data_id = entries.map(entry => entry.content_data_id)
  const values = await all(space.contentFields.list({ content_data_id, field_id }, { limit: maxValues }))
  const order = new Map(field_id.map((id, i) => [id, i]))
  const placeOf = (value: { field_id: string }) => order.get(value.field_id) ?? 0
  const wanted = values
    .toSorted((a, b) => placeOf(a) - placeOf(b) || (a.locale < b.locale ? -1 : 1))
    .flatMap(value => ({ entry: value.content_data_id, media: firstId(value.field_value) ?? '' }))
    .filter(({ media }) => media !== '')
  const found = await media.items.some([...new Set(wanted.map(one => one.media))])
  const images = new Map(
    found.filter(({ mimetype }) => mimetype.startsWith('image/')).map(item => [item.media_id, item]),
  )
  const pictures = new Map<string, MediaRecord>()
  for (const { entry, media: id } of wanted) {
    const image = images.get(id)
    if (image && !pictures.has(entry)) pictures.set(entry, image)
  }
  return pictures
}
