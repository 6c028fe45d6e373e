import { expect, it } from 'vitest'
import { z } from 'zod'
import '../../src/services/body-parts.js'

const sentence = (schema: z.ZodType, given: unknown) => schema.safeParse(given).error?.issues[0]?.message

it.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, 'is required'],
  [z.string(), 1, 'must be text'],
  [z.number(), '1', 'must be a number'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.int(), 'a', 'must be a number'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.array(z.string()), {}, 'must be an array'],
  [z.object({}), [], 'must be an object'],
  [z.record(z.string(), z.string()), null, 'must be an object'],
  [z.enum(['draft', 'published']), 'live', 'must be one of draft, published'],
  [z.enum(['draft', 'published']), 'Publish', 'must be one of draft, published: did you mean published?'],
  [z.literal('api_key'), 'key', 'must be api_key'],
  [z.string().min(1), '', 'must have at least 1 character'],
  [z.string().max(3), 'four', 'must have at most 3 characters'],
  [z.number().min(1), 0, 'must be at least 1'],
  [z.int32(), 2 ** 31, 'must be at most 2147483647'],
  [z.array(z.string()).min(1), [], 'must have at least 1 item'],
  [z.iso.datetime(), 'now', 'must be a time such as 2026-12-31T00:00:00Z'],
  [z.string('must be a name'), 1, 'must be a name'],
])('what a schema refuses is told in plain words: case %#', (schema, given, expected) => {
  expect(sentence(schema, given)).toBe(expected)
})
