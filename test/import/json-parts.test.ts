import { expect, it } from 'vitest'
import { type JsonPart, jsonParts, PartsProblem, parsed } from '../../src/systems/json-parts.js'

async function partsOf(text: string, length: number, mostLevels = 5): Promise<JsonPart[]> {
  const pieces = async function* () {
    for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
  }
  const found: JsonPart[] = []
  for await (const part of jsonParts(pieces(), mostLevels)) {
    if (part.kind !== 'list') parsed(part.json)
    found.push(part)
  }
  return found
}

const text = `\n{ "a" : [ 1,-2.5e3 , "x]\\"", {"b":["}"]},[]], "empty":[ ],
  "c\\u0064": {"e":[{"f":null}]}, "g":true,"h":"\\\\" }\n`

it.each([1, 2, 3, 7, 1000])('gives the parts of an object whose text comes in pieces of %d', async length => {
  expect(await partsOf(text, length)).toEqual([
    { kind: 'list', name: 'a' },
    ...['1', '-2.5e3', '"x]\\""', '{"b":["}"]}', '[]'].map(json => ({ kind: 'item', name: 'a', json })),
    { kind: 'list', name: 'empty' },
    { kind: 'member', name: 'cd', json: '{"e":[{"f":null}]}' },
    { kind: 'member', name: 'g', json: 'true' },
    { kind: 'member', name: 'h', json: '"\\\\"' },
  ])
  expect(await partsOf('{}', length)).toEqual([])
})

it.each([
  ...[
    '',
    '   ',
    '[]',
    '"a"',
    '1',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":[',
    '{"a":[1',
    '{"a":[1,',
    '{"a":"b',
  ],
  ...[
    '{a:1}',
    '{"a" 1}',
    '{"a":1,}',
    '{,}',
    '{"a":[1,]}',
    '{"a":[,]}',
    '{"a":}',
    '{"a":[1 2]}',
    '{"a":1 "b":2}',
  ],
  ...['{"a":1}}', '{"a":1} x', '{"a":[1}}', '{1:2}', '{"\\x":1}', '\uFEFF{}'],
])('refuses what is no JSON object: %j', async broken => {
  for (const length of [1, 1000])
    await expect(partsOf(broken, length)).rejects.toMatchObject({ isDeep: false })
})

it('refuses more levels than it is told', async () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  await expect(partsOf(`{"a":${nested(4)},"b":{"c":${nested(3)}}}`, 3)).resolves.toBeDefined()
  for (const deep of [`{"a":${nested(5)}}`, `{"a":{"b":${nested(4)}}}`])
    await expect(partsOf(deep, 3)).rejects.toEqual(new PartsProblem(true))
})
