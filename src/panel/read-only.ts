import { formattedText } from '../services/content/rich-text/formatted.js'
import type { Wording } from '../texts/wording.js'
import type { Field } from './controls.js'

function wordsOf(field: Field, { t }: Wording): string | readonly string[] | undefined {
  const { value } = field
  const chosen = [value ?? []].flat()
  switch (field.kind) {
    case 'choice':
    case 'choices':
      return chosen.flatMap(one => field.choices.find(choice => choice.value === one)?.word ?? one)
    case 'switch':
      return chosen.includes('true') ? t('Yes') : t('No')
    case 'html':
      return chosen.map(html => formattedText(html)?.text ?? html)
    default:
      return value
  }
}

/** Returns a field as people read it who may not change it. */
export function readOnly(field: Field, wording: Wording): Field {
  const { name, label, code, help } = field
  const value = wordsOf(field, wording)
  return {
    ...{ name, label, kind: 'fixed' },
    ...(value === undefined ? {} : { value }),
    ...(code === undefined ? {} : { code }),
    ...(help === undefined ? {} : { help }),
  }
}
