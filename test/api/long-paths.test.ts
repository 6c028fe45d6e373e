import { expect, it } from 'vitest'
import { slugOfPath } from '../../src/services/text.js'
import { testApp } from '../support/app.js'

const { call } = await testApp({ trusted_proxies: ['127.0.0.1'] })

/** As long as a request line may be. */
const length = 15_900
const run = (text: string) => text.repeat(Math.floor(length / text.length))
/** Each taking the square of its length would be minutes. */
const amount = 400

it.each([
  ['slashes with an end', `/a${run('/')}x`],
  ['slashes at the end', `/a${run('/')}`],
  ['slashes in front', `${run('/')}x`],
  ['encoded slashes with an end', `/a${run('%2F')}x`],
  ['dots and slashes', `/a${run('/.')}x`],
  ['empty segments of the API', `/api/v1${run('/')}x`],
  ['the API after slashes', `${run('/')}api/v1/health`],
  ['a page of the API', `/api/v1/page/a${run('/')}x`],
  ['a broken encoding at the end', `/a${run('%41')}%`],
  ['blanks in the query', `/a?format=clean&locale=${run('+')}x`],
  ['hyphens in the locale', `/a?format=clean&locale=de${run('-')}x`],
])('answers a path in a time that grows with its length: %s', async (_, path) => {
  for (let i = 0; i < amount; i++) expect((await call('GET', path)).status).toBeLessThan(500)
})

it.each([
  ['If-None-Match', `${run('W/ ')}x`],
  ['If-None-Match', run(',')],
  ['Authorization', `Bearer ${run(' ')}x`],
  ['Cookie', run('; ')],
  ['Cookie', `cms_session=${run('=')}`],
  ['X-Forwarded-For', `${run(', ')}x`],
])('reads a header in a time that grows with its length: %s', async (name, value) => {
  for (let i = 0; i < amount / 10; i++)
    for (const path of ['/a?format=clean', '/api/v1/auth/me', '/api/v1/roles'])
      expect((await call('GET', path, { headers: { [name]: value } })).status).toBeLessThan(500)
})

it('reads no path that is longer than any slug', async () => {
  const slug = `/${'ä'.repeat(255)}`
  expect(slugOfPath(encodeURI(slug), '')).toBe(slug)
  expect(slugOfPath(`//${encodeURI(slug)}//`, '')).toBe(slug)
  expect(slugOfPath(`/api/v1/page//a/b//`, '/api/v1/page')).toBe('/a/b')
  for (const path of [`/${run('a')}`, `/${run('a/')}`, `/${run('%61')}`, `${encodeURI(slug)}${run('/')}`]) {
    expect(slugOfPath(path, '')).toBeUndefined()
    expect((await call('GET', path)).status).toBe(400)
    expect((await call('GET', path.slice(0, 6001))).status).toBe(404)
  }
})
