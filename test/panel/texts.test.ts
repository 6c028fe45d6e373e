import { describe, expect, it } from 'vitest'
import { translation as de } from '../../src/texts/de.js'
import { browserTexts } from '../../src/texts/en/browser.js'
import { contentTexts } from '../../src/texts/en/content.js'
import { mediaTexts } from '../../src/texts/en/media.js'
import { settingsTexts } from '../../src/texts/en/settings.js'
import { translation as fr } from '../../src/texts/fr.js'
import { english, type languages, preferredLanguage, wordingIn } from '../../src/texts/language.js'
import { texts } from '../../src/texts/text.js'
import { wording } from '../../src/texts/wording.js'
import { filesOf, literalsIn, shownTextsIn } from '../support/source-texts.js'

/** The files whose texts are in the catalogue. */
const files = filesOf(/^src\/(panel|resources)\//).filter(file => !file.endsWith('/all-parts.tsx'))
/** Names, codes and commands, which are the same in every language. */
const names = new Set([
  ...[
    'Slugline',
    'UTC',
    'content:publish',
    'preview_url',
    'slugline backup restore',
    'slugline login',
    'viewer',
  ],
])

const areas: Readonly<Record<string, readonly string[]>> = {
  browser: browserTexts,
  content: contentTexts,
  media: mediaTexts,
  settings: settingsTexts,
}
const translations = Object.entries({ de, fr }).flatMap(([language, list]) =>
  Object.entries(list).map(([text, translated]) => ({ language, text, forms: [translated].flat() })),
)
const placeholdersIn = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()
const told = ({ language, text }: { language: string; text: string }) => `${language}: ${text}`

describe('the texts of the panel', () => {
  it('are each in one area, once', () => {
    const twice = texts.filter((text, i) => texts.indexOf(text) !== i)
    const where = (text: string) => Object.keys(areas).filter(area => areas[area]?.includes(text))
    expect(twice.map(text => `${text}: ${where(text)}`)).toEqual([])
  })

  it('are each used in the source', () => {
    const used = literalsIn(filesOf(/^src\/(panel|resources|services\/content)\//))
    expect(texts.filter(text => !used.has(text))).toEqual([])
  })

  it('are not written in the source beside the catalogue', () => {
    const known = new Set<string>(texts)
    const beside = shownTextsIn(files).filter(({ text }) => !known.has(text) && !names.has(text))
    expect(beside.map(({ place, text }) => `${place} ${text}`)).toEqual([])
  })

  it('have the same values in every language', () => {
    const other = translations.filter(({ text, forms }) =>
      forms.some(form => String(placeholdersIn(form)) !== String(placeholdersIn(text))),
    )
    expect(other.map(told)).toEqual([])
  })

  it('end with a full stop where they say that there is nothing', () => {
    const empty = texts.filter(text => /^(?:No .* yet|No results|No connection|There is nothing)/.test(text))
    expect(empty.filter(text => !text.endsWith('.'))).toEqual([])
    expect(empty.length).toBeGreaterThan(20)
  })

  it('are not empty, and have no blanks at their ends', () => {
    const bad = translations.filter(({ forms }) => forms.some(form => form === '' || form !== form.trim()))
    expect(bad.map(told)).toEqual([])
  })

  it('have two forms in German and in French if one of them does', () => {
    const plural = (language: string) =>
      translations.filter(one => one.language === language && one.forms.length === 2).map(({ text }) => text)
    expect(plural('de').sort()).toEqual(plural('fr').sort())
    expect(plural('de')).toContain('{n} files')
    expect(plural('de').filter(text => !text.includes('{n}'))).toEqual([])
  })

  it('have a no-break space before high punctuation in French, and „…“ in German', () => {
    const isBad = {
      fr: /[^\u00a0\u202f][;!?»](\s|$)|[^\u00a0\u202f]:(\s|$)|«[^\u00a0\u202f]| [:;!?»%]|["“”]/,
      de: /["”]|(^|[\s(])“/,
    }
    const plain = (form: string) => form.replaceAll(/\b(?:https|mailto|tel):/g, '')
    const bad = translations.filter(({ language, forms }) =>
      forms.some(form => isBad[language as 'de' | 'fr'].test(plain(form))),
    )
    expect(bad.map(told)).toEqual([])
  })
})

describe('a wording', () => {
  it('fills in values, also those that are elements', () => {
    const some = wording<'Deleted by {name} {time}'>('de', {
      'Deleted by {name} {time}': 'Gelöscht {time} von {name}',
    })
    expect(some.t('Deleted by {name} {time}', { name: '{time}', time: 'heute' })).toBe(
      'Gelöscht heute von {time}',
    )
    const element = { an: 'element' }
    expect(some.parts('Deleted by {name} {time}', { name: 'Eva', time: element })).toEqual([
      'Gelöscht ',
      element,
      ' von ',
      'Eva',
      '',
    ])
  })

  it('counts by the rules of the language', async () => {
    const counted = async (language: keyof typeof languages) => {
      const { count } = await wordingIn(language)
      return [0, 1, 2].map(n => count(n, '{n} file', '{n} files'))
    }
    expect(await counted('en')).toEqual(['0 files', '1 file', '2 files'])
    expect(await counted('de')).toEqual(['0 Dateien', '1 Datei', '2 Dateien'])
    expect(await counted('fr')).toEqual(['0 fichier', '1 fichier', '2 fichiers'])
    expect(english.count(1200, '{n} file', '{n} files', { n: '1,200' })).toBe('1,200 files')
  })

  it('is that of the first language that the browser asks for and the panel has', () => {
    const headers = ['', 'de-AT,en;q=0.8', 'nl, fr-CA;q=0.9', '*']
    expect(headers.map(preferredLanguage)).toEqual(['en', 'de', 'fr', 'en'])
    expect(preferredLanguage(undefined)).toBe('en')
    expect(preferredLanguage(`constructor,${'x,'.repeat(100_000)}de`)).toBe('en')
  })
})
