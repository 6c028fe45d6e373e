import type { MayChange } from '../services/limited/may-change.js'
import type { PlainText } from '../texts/text.js'
import type { Wording } from '../texts/wording.js'

/** Returns the sentence about a refusal that people see often, in their language; undefined for any other. */
export const toldOf = (code: string, { t }: Wording): string | undefined =>
  code === 'outside_limits'
    ? t('Your role may change only a part of the site, and this change is outside of it.')
    : undefined

const reasons = {
  datatypes: 'Read only: your role may change entries of other datatypes only.',
  routes: 'Read only: your role may change other pages only.',
  own: 'Read only: your role may change your own entries only.',
  locales: 'Read only: your role may change texts in other languages only.',
} as const satisfies Record<string, PlainText>

/** Whether every change of the entry would be refused, in all languages. */
export const isOutside = ({ outside }: MayChange): boolean => outside !== undefined && outside !== 'locales'

/** Returns why the values of an entry cannot be changed in a language; undefined if they can. */
export function whyReadOnly({ outside, inLocale }: MayChange, locale: string, { t }: Wording) {
  return outside === undefined || inLocale(locale) ? undefined : t(reasons[outside])
}
