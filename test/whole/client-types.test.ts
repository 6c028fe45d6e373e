import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { typeScriptOf } from '../../src/services/delivery/model-types.js'
import { operators } from '../../src/services/delivery/query/query-request.js'
import { testApp } from '../support/app.js'
import { compiled } from '../support/compiled.js'

const app = await testApp()
const { slugline } = await import(pathToFileURL('packages/client/index.js').href)

const same = `type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <_ extends true>() => undefined
`

it('has the types and operators of the service, no more and no fewer', async () => {
  const types = typeScriptOf([])
  const names = ['Reference', 'MediaVariant', 'Media']
  const program = `${same}
import type * as client from '@slugline/client'
import type * as service from './types.js'
${names.map(name => `is<Same<client.${name}, service.${name}>>()`).join('\n')}
is<Same<keyof client.Entry, keyof service.Entry<string, object>>>()
is<Same<client.Entry['locale' | 'published_at' | 'slug'], service.Entry<string, object>['locale' | 'published_at' | 'slug']>>()
is<Same<client.Operator, ${operators.map(one => `'${one}'`).join(' | ')}>>()
`
  expect(await compiled(types, program)).toEqual([])
  // The same program finds a member that one of them lacks.
  const drifted = await compiled(types.replace('  thumbhash: string | null\n', ''), program)
  expect(drifted).toEqual([expect.stringMatching(/TS2344$/)])
})

it('has a function for each endpoint that delivers content, and reads any other', async () => {
  const { body } = await app.call('GET', '/api/v1/openapi.json')
  const delivering = /^(delivery|query|search|previews|events)$/
  const reads = Object.entries<Record<string, { tags?: string[] }>>(body.paths).flatMap(([path, { get }]) =>
    get?.tags?.some(tag => delivering.test(tag)) ? [path] : [],
  )
  const asked: string[] = []
  const fetch = async (address: string) => {
    asked.push(new URL(address).pathname.replace('/api/v1', ''))
    return new Response(null, { status: 404 })
  }
  const url = 'http://service.test'
  const [open, keyed] = [slugline({ url, fetch }), slugline({ url, key: 'slk', fetch })]
  const follow = async (changes: AsyncIterable<unknown>) => {
    for await (const _ of changes) return
  }
  await open.page('/a')
  await keyed.page('/a')
  await keyed.globals()
  await keyed.globals('menu')
  await open.query('post').list()
  await open.query('post').get('id')
  await open.search('a')
  await open.preview('t')
  await follow(open.changes())
  await follow(open.changes({ token: 't' }))
  const isAt = (path: string, at: string) =>
    new RegExp(`^${path.replace(/\{slug\}/, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(at)
  const left = reads.filter(path => !asked.some(at => isAt(path, at)))
  // For editors and builds, by `get`.
  expect(left.toSorted()).toEqual([
    '/content/preview-links',
    '/content/preview-links/{preview_link_id}',
    '/types.ts',
  ])
  for (const path of left) await keyed.get(path)
  expect(asked.slice(-left.length)).toEqual(left.map(path => encodeURI(path)))
})

/** Examples of the parameters that a path or a question needs. */
const needed: Record<string, string> = {
  q: 'a',
  token: 'none',
  slug: 'a',
  datatype_name: 'post',
  entry: 'none',
}

it('reads every endpoint for reading, as the service answers it', async () => {
  const { body: document } = await app.call('GET', '/api/v1/openapi.json')
  const { body: made } = await app.call('POST', '/api/v1/tokens', { body: { label: 'Site' } })
  const send = (request: Request) => app.app.fetch(request, { address: '127.0.0.1' })
  const keyed = slugline({
    url: 'http://service.test',
    key: made.token,
    fetch: (address: string, given: RequestInit) => send(new Request(address, given)),
  })
  const headers = { Authorization: `Bearer ${made.token}` }
  const answerOf = async (at: string) => {
    const address = new URL(`/api/v1${at}`, 'http://service.test')
    const response = await send(new Request(address, { headers, redirect: 'manual' }))
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, body: isJson ? JSON.parse(text) : text }
  }
  /** The id of a row, so that an endpoint for one has one to read. */
  const idIn = async (list: string, name: string) => {
    const { body } = await answerOf(list)
    const rows = Array.isArray(body) ? body : (body?.data ?? [])
    return rows[0]?.[name] ?? '01ARZ3NDEKTSV4RRFFQ69G5FAV'
  }
  /** What an answer is made of, without what differs between two moments. */
  const shapeOf = (data: unknown) =>
    typeof data === 'object' && data ? Object.keys(data).toSorted() : typeof data

  const statuses: number[] = []
  const reads = Object.entries<Record<string, { parameters?: object[] }>>(document.paths).filter(
    ([path, { get }]) => get && !/\/events$|^\/\{slug\}$/.test(path),
  )
  for (const [path, { get }] of reads) {
    const [, list = '', name = ''] = /^(.*)\/\{(\w+_id)\}/.exec(path) ?? []
    const id = name && (await idIn(list, name))
    const at = path.replaceAll(/\{(\w+)\}/g, (_, one) => needed[one] ?? id)
    const asked = (get?.parameters ?? []) as { in: string; name: string; required?: boolean }[]
    const parameters = Object.fromEntries(
      asked.flatMap(one => (one.in === 'query' && one.required ? [[one.name, needed[one.name] ?? '']] : [])),
    )
    const wanted = await answerOf(`${at}?${new URLSearchParams(parameters)}`)
    const { data, error } = await keyed.get(at, parameters)
    statuses.push(wanted.status)
    if (wanted.status === 200)
      expect([at, error, shapeOf(data)]).toEqual([at, undefined, shapeOf(wanted.body)])
    else
      expect([at, error?.status, error?.code]).toEqual([
        at,
        wanted.status,
        wanted.status < 400 ? 'moved' : wanted.body.code,
      ])
  }
  expect(reads.length).toBeGreaterThan(100)
  // Most have something to read; the others refuse, because nothing is there.
  expect(statuses.filter(status => status === 200).length).toBeGreaterThan(60)
})
