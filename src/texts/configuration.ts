import { configuration as de } from './de/configuration.js'
import { configuration as fr } from './fr/configuration.js'

type Words = readonly [label: string, meaning: string]

const translations: Readonly<Record<string, Readonly<Record<string, Words>>>> = { de, fr }

/** The label and the meaning of a setting; undefined in English, where its schema has them. */
export const configurationWords = (name: string, language: string): Words | undefined =>
  translations[language]?.[name]
