import { all, type Model, type ModelField } from '../../resources/entries.js'
import { controlOf, isMany, targetsOf } from '../../resources/entry-fields.js'
import type { Choice } from '../../resources/form-field.js'
import { sizeWords } from '../../resources/media.js'
import { entryChoices, mediaById, mediaName } from '../../resources/views/search.js'
import { anyIds } from '../../services/content/field-values.js'
import { t } from '../../texts/terminal.js'
import type { Find, FormField } from '../screen/form-state.js'
import type { Session } from '../session.js'
import { timeField } from '../times.js'

const maxFound = 100
const maxLooked = 1000

function mediaFind({ services: { media } }: Session): Find {
  return {
    access: 'media:read',
    async look(text) {
      const items = await all(media.items.list(text === '' ? {} : { text }, { limit: maxFound }))
      return items.map(media => ({
        value: media.media_id,
        word: mediaName(media),
        hint: `${media.mimetype} ${sizeWords(media.size)}`,
      }))
    },
  }
}

function entryFind(session: Session, field: ModelField, model: Model): Find {
  let known: Promise<readonly Choice[]> | undefined
  return {
    access: 'content:update',
    async look() {
      known ??= entryChoices({ of: targetsOf(field) }, maxLooked, model, session, session)
      return known
    },
  }
}

async function chosenOf(
  { field_type }: ModelField,
  chosen: readonly string[],
  model: Model,
  session: Session,
): Promise<Choice[]> {
  const ids = chosen.slice(0, maxFound)
  if (field_type === 'relation') return entryChoices({ ids }, maxFound, model, session, session)
  return (await mediaById(ids, session)).map(one => ({ value: one.media_id, word: mediaName(one) }))
}

interface Stored {
  readonly field: ModelField
  readonly stored: string
}

const writings: Readonly<Record<string, string>> = {
  html: 'HTML',
  json: 'JSON',
  date: t('as 2027-01-31'),
}

async function shownOf({ field, stored }: Stored, model: Model, session: Session): Promise<FormField> {
  const { field_type, required } = field
  const control = controlOf(field, stored)
  const { help, placeholder, kind = '' } = control
  const example =
    placeholder === undefined ? undefined : t('For example: {example}', { example: placeholder })
  const hint = [writings[kind], help, example].filter(Boolean).join(' · ')
  if (field_type !== 'media' && field_type !== 'relation')
    return timeField({ ...control, required, hint }, undefined, session)
  const ids = anyIds(stored)
  const { name, label } = control
  const find = field_type === 'media' ? mediaFind(session) : entryFind(session, field, model)
  const base = { name, label, required, hint, choices: await chosenOf(field, ids, model, session), find }
  return isMany(field)
    ? { ...base, kind: 'choices', value: ids }
    : { ...base, kind: 'choice', none: '–', value: ids[0] ?? '' }
}

/** Returns the controls of fields with their stored values. */
export const controlsOf = (fields: readonly Stored[], model: Model, session: Session): Promise<FormField[]> =>
  Promise.all(fields.map(one => shownOf(one, model, session)))
