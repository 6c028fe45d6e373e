import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { errorSentences, errorSentencesDocument } from '../support/error-sentences.js'

const { sentences, unknown } = errorSentences()

it('every sentence of an error is found in the source', () => {
  expect(unknown.map(({ place, source }) => `${place}: ${source}`)).toEqual([])
  expect(new Set(sentences.map(({ sentence }) => sentence)).size).toBeGreaterThan(600)
})

it('docs/error-sentences.md lists them; npm run docs writes it', () => {
  expect(readFileSync('docs/error-sentences.md', 'utf8')).toBe(errorSentencesDocument())
})

it('every error of the story is one of them', () => {
  const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  // A member is named by its whole path, and of several problems the first is told.
  const patterns = new Set(
    sentences.map(
      ({ code, sentence }) => `${code} ${sentence.replace(/^[\w.…[\]]+: (?=.*\p{L}{2})/u, '…: ')}`,
    ),
  )
  const isWorded = (pattern: string) => !pattern.startsWith('invalid') || /\p{L}{2}/u.test(pattern.slice(8))
  const expressions = [...patterns]
    .filter(isWorded)
    .map(pattern => new RegExp(`^${pattern.split('…').map(escaped).join('.*')}$`, 's'))
  const told = ['identity', 'identity-staged'].flatMap(name => [
    ...readFileSync(`test/whole/${name}.golden.txt`, 'utf8').matchAll(
      /"error":("(?:[^"\\]|\\.)*"),"code":"(\w+)"/g,
    ),
  ])
  const others = told
    .map(([, sentence = '""', code]) => `${code} ${JSON.parse(sentence).replace(/ \(and \d+ more\)$/, '')}`)
    // What a schema says about the body as a whole.
    .map(text => text.replace(/^malformed body: /, 'invalid body: '))
    .filter(text => !expressions.some(expression => expression.test(text)))
  expect(others).toEqual([])
  expect(told.length).toBeGreaterThan(100)
})
