import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { forbidden } from '../../src/errors.js'
import { authenticationBy } from '../../src/middleware/authenticate.js'
import { htmlPolicy, storageOrigins } from '../../src/middleware/content-security-policy.js'
import { htmlHeaders, nonceOf } from '../../src/middleware/headers.js'
import { endpoints } from '../../src/routes/endpoints.js'
import { htmlErrors } from '../../src/routes/html-errors.js'
import { openApiDocument } from '../../src/routes/openapi/document.js'
import { surface } from '../../src/routes/surface.js'
import { RouteUpdate } from '../../src/services/content/routes.js'
import { testApp } from '../support/app.js'

const app = await testApp({ bucket_media: 'm' }, { limited: true })
const { services, config, parts } = app
const authentication = authenticationBy(services, () => config)

const Everything = z.object({
  title: z.string().min(1),
  note: z.string().optional(),
  count: z.int().optional(),
  price: z.number().nullable().optional(),
  open: z.boolean().optional(),
  parent: z.string().nullable().optional(),
  roles: z.array(z.string()).optional(),
  weights: z.array(z.int()).optional(),
  state: z.enum(['on', 'off']).optional(),
  fields: z.record(z.string(), z.string()).optional(),
  settings: z.object({ min: z.int() }).optional(),
})

/** A small surface of pages, from the same pieces as the product's. */
function pages() {
  const look = { errors: htmlErrors(parts.ports.log, { signIn: '/pages/sign-in' }) }
  const router = endpoints('pages', authentication, look)
  const open = endpoints(
    'pages',
    { ...authentication, rateLimiter: { consume: async () => undefined } },
    look,
  )
  const echo = { summary: 'What was understood', form: Everything, limited: true } as const
  open.post('/echo', 'public', echo, (c, { body }) => c.json(body))
  const gate = () => {
    throw forbidden('the gate is closed')
  }
  router.post('/gate', 'routes:update', { summary: 'x', form: Everything, refuseForm: gate }, c => c.json({}))
  router.post('/routes', 'routes:update', { summary: 'x', form: RouteUpdate }, (c, { body }) => c.json(body))
  router.post('/limited', 'public', { summary: 'x', limited: true, form: z.object({}) }, c => c.json({}))
  router.get('/page', 'routes:read', { summary: 'x', query: z.object({ q: z.string() }) }, c =>
    c.html(`<script nonce="${nonceOf(c)}"></script>`),
  )
  router.get('/broken', 'public', { summary: 'x' }, () => {
    throw new Error('the cause')
  })
  const policy = (nonce: string) => htmlPolicy(nonce, { media: ['https://cdn.example'], trustedTypes: ['x'] })
  const made = surface({
    prefix: '/pages',
    routers: [router, open],
    errors: look.errors,
    headers: htmlHeaders(false, parts.ports.random, policy),
  })
  return { made, declarations: open.declarations }
}
const { made, declarations } = pages()

const cookie = (caller: string) => ({ Cookie: `cms_session=${caller}-secret-of-this-test` })
const urlEncoded = { 'Content-Type': 'application/x-www-form-urlencoded' }

async function ask(path: string, init: RequestInit & { duplex?: 'half' } = {}, address = '127.0.0.1') {
  const request = new Request(`http://localhost/pages${path}`, init)
  const answer = await made.fetch(request, { address, requestId: 'R1' })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: () => JSON.parse(text) }
}
const post = (body: BodyInit, headers: Record<string, string> = urlEncoded, path = '/echo') =>
  ask(path, { method: 'POST', body, headers, ...(body instanceof ReadableStream ? { duplex: 'half' } : {}) })

describe('a form', () => {
  it.each([
    ['title=a+b%26c&count=12', { title: 'a b&c', count: 12 }],
    ['title=%C3%A4%F0%9F%9A%B2', { title: 'ä🚲' }],
    ['title=ä', { title: 'ä' }],
    ['title=x&price=&parent=', { title: 'x', price: null, parent: null }],
    ['title=x&price=-1.5&parent=P', { title: 'x', price: -1.5, parent: 'P' }],
    ['title=x&open=false', { title: 'x', open: false }],
    ['title=x&open=false&open=true', { title: 'x', open: true }],
    ['title=x&roles=', { title: 'x', roles: [] }],
    ['title=x&roles=&roles=a&roles=b', { title: 'x', roles: ['a', 'b'] }],
    ['title=x&weights=3', { title: 'x', weights: [3] }],
    ['title=x&fields.headline=H&fields.text=', { title: 'x', fields: { headline: 'H', text: '' } }],
    ['title=x&settings.min=2', { title: 'x', settings: { min: 2 } }],
    ['title=x&settings={"min":2}', { title: 'x', settings: { min: 2 } }],
    ['title=a%0D%0Ab', { title: 'a\nb' }],
    ['title=x&unknown=y&state=on&', { title: 'x', state: 'on' }],
    ['title=123', { title: '123' }],
  ])('%s means what its schema says', async (body, meant) => {
    const answer = await post(body)
    expect([answer.status, answer.json()]).toEqual([200, meant])
  })

  it.each([
    ['a name twice', 'title=x&title=y', 400, 'title: is given twice'],
    ['an unknown name twice', 'title=x&u=1&u=2', 400, 'u: is given twice'],
    ['an object and a member of it', 'title=x&settings={}&settings.min=1', 400, 'settings'],
    ['a boolean of two kinds', 'title=x&open=true&open=false', 400, 'open: is given twice'],
    ['a NUL', 'title=%00', 400, 'title: contains a NUL character'],
    ['a lone surrogate', 'title=%ED%A0%80', 400, 'not percent-encoded UTF-8'],
    ['a broken escape', 'title=%zz', 400, 'not percent-encoded UTF-8'],
    ['a NUL in a name', 'a%00b=1', 400, 'invalid member name'],
    ['a prototype', 'title=x&__proto__.a=1', 400, 'is not allowed'],
    [
      'too many groups of members',
      Array.from({ length: 300 }, (_, i) => `a${i}.b.c.d.e.f.g.h=1`).join('&'),
      400,
      'more than 1000 groups of members',
    ],
    ['too deep a name', `title=x&${'a.'.repeat(12)}b=1`, 400, 'nested deeper than 12'],
    ['too many members', `title=x${'&a=1'.repeat(1000)}`, 400, 'more than 1000 members'],
    ['what the schema refuses', 'title=', 400, 'title: '],
    ['no number', 'title=x&count=many', 400, 'count: '],
    ['an infinite number', 'title=x&price=1e999', 400, 'price: '],
    ['no JSON', 'title=x&settings={', 400, 'settings: '],
    ['a member twice inside JSON', 'title=x&settings={"min":1,"min":2}', 400, 'settings: '],
    ['too long', `title=${'x'.repeat(5 * 2 ** 20)}`, 413, 'larger than'],
  ])('with %s is refused', async (_, body, status, sentence) => {
    const answer = await post(body)
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(sentence)])
  })

  it.each([
    ['JSON', '{"title":"x"}', { 'Content-Type': 'application/json' }, 415],
    ['text', 'title=x', { 'Content-Type': 'text/plain' }, 415],
    ['no type', new Uint8Array([120]), {}, 415],
    ['another charset', 'title=x', { 'Content-Type': `${urlEncoded['Content-Type']}; charset=latin1` }, 415],
    ['gzip', 'title=x', { ...urlEncoded, 'Content-Encoding': 'gzip' }, 415],
    ['multipart, which is for files', '--b--', { 'Content-Type': 'multipart/form-data; boundary=b' }, 415],
    ['bytes that are no UTF-8', new Uint8Array([116, 61, 0xff]), urlEncoded, 400],
  ])('that is %s is refused', async (_, body, headers, status) => {
    expect((await post(body as BodyInit, headers as unknown as Record<string, string>)).status).toBe(status)
  })

  it('takes no body without end', async () => {
    let pieces = 0
    const endless = new ReadableStream({
      pull(controller) {
        pieces++
        controller.enqueue(new TextEncoder().encode('title=x&'.repeat(8192)))
      },
    })
    expect((await post(endless)).status).toBe(413)
    expect(pieces).toBeLessThan(200)
  })

  it('is parsed by the schema of the service, and needs the right that is declared', async () => {
    const send = (caller: string) =>
      post('slug=/new&status=10', { ...urlEncoded, ...cookie(caller) }, '/routes')
    expect((await send('viewer')).status).toBe(403)
    const answer = await send('editor')
    expect([answer.status, answer.json()]).toEqual([200, { slug: '/new', status: 10 }])
  })

  it('has at most 5,000 members where somebody is signed in', async () => {
    const headers = { ...urlEncoded, ...cookie('editor') }
    const send = (count: number) => post(`slug=/new${'&a=1'.repeat(count)}`, headers, '/routes')
    expect((await send(4999)).text).toContain('a: is given twice')
    expect((await send(5000)).text).toContain('more than 5000 members')
  })

  it('is looked at by its gate before its members are', async () => {
    const answer = await post('title=&open=perhaps', { ...urlEncoded, ...cookie('editor') }, '/gate')
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('the gate is closed')])
  })

  it('is counted by its address where it is public, or the service does not start', () => {
    const router = endpoints('pages', authentication)
    expect(() => router.post('/open', 'public', { summary: 'x', form: Everything }, c => c.json({}))).toThrow(
      'the form at /open is public, so it must be limited',
    )
  })

  it('is described by its type', () => {
    const document = openApiDocument(declarations, { version: '1', cookieName: 'c' }) as {
      paths: Record<string, { post: { requestBody: { content: Record<string, unknown> } } }>
    }
    expect(Object.keys(document.paths['/echo']?.post.requestBody.content ?? {})).toEqual([
      'application/x-www-form-urlencoded',
    ])
  })
})

describe('an error of a surface of pages', () => {
  it('is a page with the sentence, the code and the id of the request, and escapes both', async () => {
    const answer = await post('%3Cb%3E=1&%3Cb%3E=2')
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    for (const part of ['<html lang="en">', '<h1>', '&lt;b&gt;: is given twice', 'invalid', 'R1'])
      expect(answer.text).toContain(part)
    expect(answer.text).not.toContain('<b>')
  })

  it('is also what an unknown path, a wrong method and an unforeseen failure look like', async () => {
    const missing = await ask('/nowhere')
    expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('not_found')])
    const method = await ask('/echo', { method: 'DELETE' })
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'POST'])
    expect(method.text).toContain('method_not_allowed')
    const broken = await ask('/broken')
    expect([broken.status, broken.text]).toEqual([500, expect.stringContaining('internal server error')])
    expect(broken.text).not.toContain('the cause')
    expect(app.logged.at(-1)).toMatchObject({ level: 'error', fields: { request_id: 'R1' } })
  })

  it('sends those to the sign-in who look at a page and are nobody, and nobody else', async () => {
    const nobody = await ask('/page?q=a%26b')
    expect([nobody.status, nobody.headers.get('location')]).toEqual([
      303,
      `/pages/sign-in?to=${encodeURIComponent('/pages/page?q=a%26b')}`,
    ])
    expect((await post('slug=/x', urlEncoded, '/routes')).status).toBe(403)
    expect((await ask('/page?q=1', { headers: cookie('viewer') })).status).toBe(200)
  })

  it('says when to try again', async () => {
    const answers = []
    for (let i = 0; i < 11; i++)
      answers.push(await ask('/limited', { method: 'POST', body: '', headers: urlEncoded }, '198.51.100.250'))
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429])
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('a content security policy', () => {
  it('of pages lets only those scripts run that carry the nonce of this one answer', async () => {
    const answers = await Promise.all([1, 2].map(() => ask('/page?q=1', { headers: cookie('viewer') })))
    const nonces = answers.map(({ text }) => /nonce="([^"]+)"/.exec(text)?.[1] ?? '')
    expect(new Set(nonces).size).toBe(2)
    answers.forEach(({ headers }, i) => {
      expect(headers.get('content-security-policy')).toBe(
        `default-src 'none'; script-src 'nonce-${nonces[i]}'; style-src 'self' 'nonce-${nonces[i]}'; ` +
          "img-src 'self' https://cdn.example data:; media-src 'self' https://cdn.example; connect-src 'self'; " +
          "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
          'trusted-types x',
      )
      expect(headers.get('x-request-id')).toBe('R1')
    })
    const error = await ask('/nowhere')
    const nonce = /<style nonce="([^"]+)"/.exec(error.text)?.[1]
    expect(error.headers.get('content-security-policy')).toContain(`'nonce-${nonce}'`)
  })

  it('of the API allows nothing, and that of its documentation only its own style and script', async () => {
    const api = await app.call('GET', '/api/v1/health', { as: 'nobody' })
    expect(api.headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    )
    const docs = await app.call('GET', '/api/docs', { as: 'nobody' })
    expect(docs.headers.get('content-security-policy')).toMatch(
      /style-src 'self' 'nonce-[^']+' 'sha256-[^']+';/,
    )
    expect(docs.text).not.toMatch(/ style=| on\w+=| src=/)
    const [, script = '', ...others] = docs.text.split(/<script>|<\/script>/)
    expect(others).toHaveLength(1)
    const hash = createHash('sha256').update(script).digest('base64')
    expect(docs.headers.get('content-security-policy')).toMatch(
      new RegExp(`script-src 'nonce-[^']+' 'sha256-${hash.replaceAll(/[+/]/g, '\\$&')}';`),
    )
    const wrong = await app.call('POST', '/api/docs', { as: 'nobody' })
    expect([wrong.status, wrong.headers.get('content-type')]).toEqual([
      405,
      expect.stringMatching(/^text\/html/),
    ])
  })

  it('names the stores that the configuration names', () => {
    const at = (address: string) => ({ urlOf: () => address })
    expect(storageOrigins([at('https://a.example/b/'), at('https://a.example/c/'), at('')])).toEqual([
      'https://a.example',
    ])
    expect(storageOrigins([services.media, services.adminMedia])).toEqual([])
  })
})

it('takes a parameter of the query once', async () => {
  expect((await ask('/page?q=1&q=2', { headers: cookie('viewer') })).status).toBe(400)
})

it('mounts no handler that came without a declaration', () => {
  const open = endpoints('open', authentication)
  open.app.get('/open', c => c.text('x'))
  const { headers, errors } = {
    headers: htmlHeaders(false, parts.ports.random, htmlPolicy),
    errors: htmlErrors(parts.ports.log),
  }
  expect(() => surface({ prefix: '/x', routers: [open], errors, headers })).toThrow(
    'GET /x/open is not declared',
  )
})
