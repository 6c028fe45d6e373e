import type { Model, ModelField } from '../resources/entries.js'
import { controlOf as described, isMany, targetsOf } from '../resources/entry-fields.js'
import { entryChoices } from '../resources/views/search.js'
import { anyIds } from '../services/content/field-values.js'
import type { Wording } from '../texts/wording.js'
import type { PanelContext } from './context.js'
import type { Choice, Field, Picked } from './controls.js'
import { mediaChoices } from './pickers.js'

const maxChoices = 200

async function choicesOf(
  field: ModelField,
  chosen: readonly string[],
  model: Model,
  context: PanelContext,
  wording: Wording,
): Promise<Choice[]> {
  const find = (filter: { ids: readonly string[] } | { of: readonly string[] }) =>
    field.field_type === 'media'
      ? mediaChoices(filter, maxChoices, context, wording)
      : entryChoices(filter, maxChoices, model, context, wording)
  const [known, others] = [await find({ ids: chosen }), await find({ of: targetsOf(field) })]
  const inOrder = chosen.map(id => known.find(({ value }) => value === id) ?? { value: id, word: id })
  return [...inOrder, ...others.filter(({ value }) => !chosen.includes(value))]
}

async function picker(
  field: ModelField,
  base: Pick<Field, 'name' | 'label' | 'hint' | 'help'>,
  { stored, model }: { stored: string; model: Model },
  context: PanelContext,
  wording: Wording,
): Promise<Field> {
  const chosen = anyIds(stored)
  const choices = await choicesOf(field, chosen, model, context, wording)
  const picked = field.field_type === 'media' ? { kind: 'media' } : { kind: 'entries', of: targetsOf(field) }
  const all = { ...base, choices, picked: picked as Picked }
  return isMany(field)
    ? { ...all, kind: 'choices', value: chosen }
    : { ...all, kind: 'choice', none: '–', value: chosen[0] ?? '' }
}

/** Returns the control of a field with its stored value. */
export async function controlOf(
  field: ModelField,
  stored: string,
  model: Model,
  context: PanelContext,
  wording: Wording,
): Promise<Field> {
  const { t } = wording
  const control = described(field, stored)
  const hint = [
    field.required ? t('required') : '',
    field.data.altRequired === true ? t('alt text required') : '',
  ]
    .filter(Boolean)
    .join(', ')
  if (field.field_type !== 'media' && field.field_type !== 'relation') return { ...control, hint }
  const { name, label, help } = control
  const base = { name, label, hint, ...(help ? { help } : {}) }
  return picker(field, base, { stored, model }, context, wording)
}
