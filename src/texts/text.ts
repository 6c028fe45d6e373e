import { browserTexts } from './en/browser.js'
import { contentTexts } from './en/content.js'
import { mediaTexts } from './en/media.js'
import { settingsTexts } from './en/settings.js'

/** Every text of the panel, in English. A text that is not in this list does not compile. */
export const texts = [...browserTexts, ...contentTexts, ...mediaTexts, ...settingsTexts] as const

/** A text of the panel: its English words are its name. `{name}` stands for a value. */
export type Text = (typeof texts)[number]

/** A text without values. */
export type PlainText = Exclude<Text, `${string}{${string}`>

/** The names of the values in a text. */
type ValuesOf<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValuesOf<Rest>
  : never

/** The values that a text needs: none, or one for each name. */
export type Values<T extends string, V> = [ValuesOf<T>] extends [never]
  ? []
  : [values: Readonly<Record<ValuesOf<T>, V>>]

type Counted<T extends string> = T extends string ? ([ValuesOf<T>] extends ['n'] ? T : never) : never
/** A text whose only value is its number `n`. */
export type CountedText = Counted<Text>

/** The values that a counted text needs beside its number `n`. */
export type OtherValues<T extends string> = [Exclude<ValuesOf<T>, 'n'>] extends [never]
  ? [values?: { readonly n: string }]
  : [values: Readonly<Record<Exclude<ValuesOf<T>, 'n'>, string | number>>]

/** A text, or its forms for one and for several. */
export type Translated = string | readonly [one: string, other: string]

/** The texts of a language other than English. A missing one does not compile. */
export type Translation = Readonly<Record<Text, Translated>>
