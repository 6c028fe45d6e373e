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
