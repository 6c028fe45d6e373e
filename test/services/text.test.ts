import { describe, expect, it } from 'vitest'
import { checkValue } from '../../src/services/content/field-values.js'
import { label, slug, slugOfPath } from '../../src/services/text.js'

const hidden: Record<string, string> = {
  'a zero-width space': 'a\u200bb',
  'a mark that turns the direction': 'a\u202eb',
  'an isolate': 'a\u2066b',
  'next line': 'a\u0085b',
  'a line end': 'a\nb',
  'an escape': 'a\u001bb',
  'a byte order mark': 'a\ufeffb',
  'a word joiner': 'a\u2060b',
  'a soft hyphen': 'a\u00adb',
  'a line separator': 'a\u2028b',
  'a tag': 'a\u{e0061}b',
  'a selector that selects nothing': 'a\ufe0fb',
  'a joiner between Latin letters': 'a\u200db',
  'a joiner at the end': 'می\u200c',
  'a filler': 'a\u3164b',
  'an annotation': 'a\ufff9b',
}
const seen: Record<string, string> = {
  'a joined emoji': '👩\u200d💻',
  'a joined emoji with selectors': '👩\u200d❤\ufe0f\u200d👨',
  'an emoji with its colour': '👍🏽',
  'a keycap': '1\ufe0f\u20e3',
  'Persian with its joiner': 'می\u200cخواهم',
  'Devanagari with its joiner': 'क्\u200dष',
  Hangul: '한국어',
  Turkish: 'Iıİi',
}

describe.each(Object.entries(hidden))('%s', (_, text) => {
  it('is refused in labels, slugs and addresses', () => {
    expect(label().safeParse(text).success).toBe(false)
    expect(slug.safeParse(`/${text}`).success).toBe(false)
    expect(slugOfPath(`/${encodeURIComponent(text)}`, '')).toBeUndefined()
    const field = { name: 'x', required: false, data: {} }
    for (const field_type of ['url', 'slug'])
      expect(() => checkValue({ ...field, field_type }, `/${text}`)).toThrow()
  })
})

describe.each(Object.entries(seen))('%s', (_, text) => {
  it('is taken as it is', () => {
    expect(label().parse(text)).toBe(text)
    expect(slug.parse(`/${text}`)).toBe(`/${text}`)
    expect(slugOfPath(`/${encodeURIComponent(text)}`, '')).toBe(`/${text}`)
  })
})

it('composes labels, slugs and requested paths as NFC says', () => {
  const [composed, taken] = ['caf\u00e9', 'cafe\u0301']
  expect(label().parse(taken)).toBe(composed)
  expect(slug.parse(`/${taken}`)).toBe(`/${composed}`)
  expect(slugOfPath(`/${encodeURIComponent(taken)}/`, '')).toBe(`/${composed}`)
})

it.each([
  ['about', '/about'],
  ['about/', '/about'],
  ['/about/', '/about'],
  ['//blog/first-post//', '/blog/first-post'],
  ['/', '/'],
  ['//', '/'],
])('puts the slashes of the slug %j right', (given, meant) => {
  expect(slug.parse(given)).toBe(meant)
})

it.each(['', 'api', 'admin/', '//api/v1', 'a//b', '../x', 'https://x', ' /x'])(
  'takes no %j for a slug',
  given => {
    expect(slug.safeParse(given).success).toBe(false)
  },
)

it('counts the characters and bytes of what is stored', () => {
  // Composed, this letter is two characters.
  expect(label(2).safeParse('\u0958').success).toBe(true)
  expect(label(1).safeParse('\u0958').success).toBe(false)
})

it.each(['//evil.example', '/\\evil.example', '/\t/evil.example', '\\\\evil.example', '/\n/evil.example'])(
  'takes no %j for an address on the site itself',
  value => {
    const field = { name: 'x', field_type: 'url', required: false, data: {} }
    expect(() => checkValue(field, value)).toThrow()
    for (const own of ['/', '/a', '/a//b', '#', '#part', '/?x=//y'])
      expect(checkValue(field, own)).toEqual({ media: [], content: [] })
  },
)
