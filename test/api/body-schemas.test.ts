import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { refuseAnyJsonIn } from '../../src/routes/body-schemas.js'
import { anyJson, settings } from '../../src/services/body-parts.js'
import { testApp } from '../support/app.js'

const inEach: Readonly<Record<string, (inner: z.ZodType) => z.ZodType>> = {
  itself: inner => inner,
  member: inner => z.object({ a: z.object({ b: inner.optional() }) }),
  list: inner => z.array(inner).max(3),
  record: inner => z.record(z.string(), inner),
  union: inner => z.union([z.string(), inner]),
  intersection: inner => z.intersection(z.object({ a: z.string() }), z.object({ b: inner })),
  tuple: inner => z.tuple([z.string(), inner]),
  changed: inner => z.object({ a: inner.nullable().default(null) }).transform(value => value),
  lazy: inner => z.lazy(() => z.object({ a: inner })),
}

it.each(Object.entries(inEach))('refuses z.json() in a body schema at the start (%s)', (_, schema) => {
  expect(() => refuseAnyJsonIn(schema(z.json()), 'POST /x')).toThrow('the body of POST /x contains z.json()')
  expect(() => refuseAnyJsonIn(schema(anyJson), 'POST /x')).not.toThrow()
  expect(() => refuseAnyJsonIn(schema(settings), 'POST /x')).not.toThrow()
})

it('takes a schema that contains itself', () => {
  const tree: z.ZodType = z.object({ children: z.lazy(() => z.array(tree)) })
  expect(() => refuseAnyJsonIn(tree, 'POST /x')).not.toThrow()
})

it('takes 64 KiB of anybody, and 5 MiB where a permission is needed', async () => {
  const { call } = await testApp()
  const long = 'x'.repeat(64 * 2 ** 10)
  const statusOf = async (path: string, body: object, as: 'nobody' | 'admin') => {
    const { status, body: told } = await call('POST', path, { as, body })
    return [status, told.code ?? told.error?.description ?? told.error]
  }
  for (const [path, body] of [
    ['/api/v1/auth/login', { email: 'a@example.com', password: long }],
    ['/api/v1/auth/register', { email: 'a@example.com', password: long }],
    ['/api/v1/auth/request-password-reset', { email: long }],
  ] as const)
    expect([path, await statusOf(path, body, 'nobody')]).toEqual([path, [413, 'too_large']])
  const [status] = await statusOf(
    '/compat/sanity/v1/data/query/x',
    { query: '1', params: { long } },
    'nobody',
  )
  expect(status).toBe(413)
  const whole = await statusOf(
    '/compat/sanity/v1/data/query/x',
    { query: `"${'x'.repeat(40_000)}"` },
    'nobody',
  )
  expect(whole[0]).toBe(200)
  const { status: created } = await call('POST', '/api/v1/datatypes', {
    body: { label: 'Long', type: 'content', ui_config: { long } },
  })
  expect(created).not.toBe(413)
})

it('parses a body once, however many look at it', async () => {
  const { call } = await testApp()
  const { body: route } = await call('POST', '/api/v1/routes', { body: { slug: '/once', title: 'Once' } })
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  const title = 'a title that is seen once'
  const changed = await call('PUT', '/api/v1/routes', {
    body: { ...route, title },
    headers: { 'Idempotency-Key': 'once' },
  })
  expect(changed.body.title).toBe(title)
  const bodies = parse.mock.calls.filter(([text]) => String(text).includes(title))
  // And the answer, by this test.
  expect(bodies).toHaveLength(2)
})
