import { all, type Model, type ModelField, titlesOf } from '../../resources/entries.js'
import { controlOf, datatypesOf, isMany, targetsOf } from '../../resources/entry-fields.js'
import type { Choice } from '../../resources/form-field.js'
import { sizeWords } from '../../resources/media.js'
import { anyIds } from '../../services/content/field-values.js'
import type { Find, FormField } from '../screen/form-state.js'
import type { Session } from '../session.js'

/** How many are shown of what is looked for. */
const maxFound = 100
/** How many entries a text is looked for in. */
const maxLooked = 1000

function mediaFind({ services: { media } }: Session): Find {
  return {
    access: 'media:read',
    async look(text) {
      const items = await all(media.items.list(text === '' ? {} : { text }, { limit: maxFound }))
      return items.map(({ media_id, display_name, name, mimetype, size }) => ({
        value: media_id,
        word: display_name || name,
        hint: `${mimetype} ${sizeWords(size)}`,
      }))
    },
  }
}

function entryFind(session: Session, field: ModelField, model: Model): Find {
  const datatype_id = datatypesOf(model, targetsOf(field))
  let known: Promise<readonly Choice[]> | undefined
  const read = async () =>
    choicesOf(
      await all(session.services.space.content.list({ datatype_id }, { limit: maxLooked })),
      model,
      session,
    )
  return {
    access: 'content:update',
    async look() {
      known ??= read()
      return known
    },
  }
}

async function choicesOf(
  entries: readonly { content_data_id: string; datatype_id: string }[],
  model: Model,
  session: Session,
): Promise<Choice[]> {
  const titles = await titlesOf(entries, model, session)
  return entries.map(({ content_data_id, datatype_id }) => ({
    value: content_data_id,
    word: titles.get(content_data_id) ?? content_data_id,
    hint: model.datatypes.get(datatype_id)?.label ?? '',
  }))
}

/** What the chosen ones are called. */
async function chosenOf(
  { field_type }: ModelField,
  ids: readonly string[],
  model: Model,
  session: Session,
): Promise<Choice[]> {
  if (ids.length === 0) return []
  if (field_type === 'relation') {
    const found = await all(
      session.services.space.content.list({ content_data_id: ids.slice(0, maxFound) }, { limit: maxFound }),
    )
    return choicesOf(found, model, session)
  }
  const { items } = session.services.media
  const found = await Promise.all(ids.slice(0, maxFound).map(id => items.get(id).catch(() => undefined)))
  return found.flatMap(one => (one ? [{ value: one.media_id, word: one.display_name || one.name }] : []))
}

interface Stored {
  readonly field: ModelField
  readonly stored: string
}

/** How what is typed is written. */
const writings: Readonly<Record<string, string>> = {
  html: 'HTML',
  json: 'JSON',
  date: 'as 2027-01-31',
  datetime: 'in UTC, as 2027-01-31T12:00',
}

async function shownOf({ field, stored }: Stored, model: Model, session: Session): Promise<FormField> {
  const { field_type, required } = field
  const control = controlOf(field, stored)
  const { help, placeholder, kind = '' } = control
  const example = placeholder === undefined ? undefined : `For example: ${placeholder}`
  const hint = [writings[kind], help, example].filter(Boolean).join(' · ')
  if (field_type !== 'media' && field_type !== 'relation') return { ...control, required, hint }
  const ids = anyIds(stored)
  const { name, label } = control
  const find = field_type === 'media' ? mediaFind(session) : entryFind(session, field, model)
  const base = { name, label, required, hint, choices: await chosenOf(field, ids, model, session), find }
  return isMany(field)
    ? { ...base, kind: 'choices', value: ids }
    : { ...base, kind: 'choice', none: '–', value: ids[0] ?? '' }
}

/** The controls of fields, with what is stored. */
export const controlsOf = (fields: readonly Stored[], model: Model, session: Session): Promise<FormField[]> =>
  Promise.all(fields.map(one => shownOf(one, model, session)))
