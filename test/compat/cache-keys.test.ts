import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { blog } from './sample.js'

const site = await blog()
const { call } = site.app

it('answers nobody with the project of another caller in the addresses of pictures', async () => {
  const query = encodeURIComponent('*[_type == "post" && defined(cover)][0]{"url": cover.asset->url}')
  const urlFor = async (project?: string) => {
    const headers: Record<string, string> = project === undefined ? {} : { 'X-Sanity-Project-Id': project }
    const path = `/compat/sanity/v1/data/query/production?query=${query}`
    return (await call('GET', path, { as: 'nobody', headers })).body.result.url
  }
  for (const project of ['other', undefined, 'third', undefined, 'other'])
    expect([project, await urlFor(project)]).toEqual([
      project,
      expect.stringContaining(`/images/${project ?? 'site'}/production/`),
    ])
  expect(await urlFor('Not a project/..')).toContain('/images/site/')
})

it('reads headers in one place, which makes the cache key too', () => {
  // Pictures and event streams are cached for nobody.
  const uncached = ['accept', 'last-event-id']
  for (const name of readdirSync('src/systems', { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name === 'root.ts') continue
    const read = [
      ...readFileSync(`src/systems/${name}`, 'utf8').matchAll(/\.header\('([^']*)'\)|\.headers\b/g),
    ]
    expect([name, read.filter(([, header = '']) => !uncached.includes(header))]).toEqual([name, []])
  }
})

const tokenOf = (state: object) => Buffer.from(JSON.stringify(state)).toString('base64url')
const state = {
  ...{ from: 1, since: 1, to: null, until: 1, phase: 'entries', after: null, waiting: [] },
  ...{ type: 'all', contentType: null, limit: 10 },
}
const most = 2 ** 48 - 1

it.each([
  [{ since: Number.MAX_SAFE_INTEGER, from: 0 }, 400],
  [{ from: Number.MAX_SAFE_INTEGER }, 400],
  [{ to: Number.MAX_SAFE_INTEGER }, 400],
  [{ until: Number.MAX_SAFE_INTEGER }, 400],
  [{ after: 'a\0b' }, 400],
  [{ from: most, since: most, to: most, until: most }, 200],
  [{ from: 0, since: most, to: null, until: most }, [200, 400]],
  [{ contentType: 'a\0b', type: 'Entry' }, [200, 400]],
])('reads a sync_token with odd values without failing (%o)', async (more, wanted) => {
  const token = tokenOf({ ...state, ...more })
  const path = `/compat/contentful/spaces/site/sync?sync_token=${token}`
  const { status, body } = await call('GET', path, { as: 'key' })
  expect([wanted].flat()).toContain(status)
  if (status === 400) expect(JSON.stringify(body)).toContain('sync_token')
})
