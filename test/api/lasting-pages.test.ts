import { expect, it, onTestFinished, vi } from 'vitest'
import { DatabaseAwayError } from '../../src/errors.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

/** A page in memory of an instance whose database does not answer. */
async function without() {
  const app = await testApp({ output_format: 'clean' })
  const { datatype, route, entry } = factories(app)
  const { datatype_id } = await datatype('Page')
  const { route_id } = await route('/kept')
  const { content_data_id } = await entry(datatype_id, { route_id }, { status: 'published' })
  const get = async (path: string, headers = {}, as = 'nobody' as 'nobody' | 'admin') => {
    const { status, headers: given, text } = await app.call('GET', path, { as, headers })
    return {
      status,
      age: given.get('age'),
      etag: given.get('etag') ?? '',
      cache: given.get('cache-control'),
      text,
    }
  }
  const before = await get('/kept')
  expect(before).toMatchObject({ status: 200, age: null })
  const fail = (seconds: number | undefined) => {
    const spies = [
      vi.spyOn(app.db.outage, 'isOn', 'get').mockReturnValue(true),
      vi.spyOn(app.db.foreign, 'secondsBehind').mockReturnValue(seconds),
      vi.spyOn(app.db, 'query').mockRejectedValue(new DatabaseAwayError()),
    ]
    const mend = () => spies.forEach(spy => void spy.mockRestore())
    onTestFinished(mend)
    return mend
  }
  return { ...app, get, before, fail, content_data_id }
}

it('are the same pages, with their age, for ten minutes', async () => {
  const { get, before, fail } = await without()
  for (const [seconds, age] of [
    [0.4, '0'],
    [599.9, '599'],
  ] as const) {
    const mend = fail(seconds)
    expect(await get('/kept')).toEqual({ ...before, age })
    expect(await get('/kept', { 'If-None-Match': before.etag })).toMatchObject({ status: 304, age })
    expect(await get('/other')).toMatchObject({ status: 503, age: null })
    mend()
  }
  for (const seconds of [600.1, undefined]) {
    const mend = fail(seconds)
    expect(await get('/kept')).toMatchObject({ status: 503, age: null })
    mend()
  }
  expect(await get('/kept')).toEqual(before)
})

it('are public pages only, and none that a commit of the own has changed', async () => {
  const { get, fail, call, content_data_id } = await without()
  // By a session, with the working state in memory too.
  expect((await get('/api/v1/page/kept', {}, 'admin')).status).toBe(200)
  let mend = fail(1)
  expect((await get('/api/v1/page/kept', {}, 'admin')).status).toBe(503)
  mend()
  expect((await call('POST', '/api/v1/content/unpublish', { body: { content_data_id } })).status).toBe(200)
  mend = fail(1)
  expect((await get('/kept')).status).toBe(503)
  mend()
  expect((await get('/kept')).status).toBe(404)
})
