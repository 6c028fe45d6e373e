import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config, webhook_enabled: true })
const { call, audits, services } = app
const upload = uploader(app)
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

type As = 'admin' | 'editor' | 'viewer' | 'nobody'
const put = (id: string, tags: unknown, as: As = 'editor', space = '') =>
  call('PUT', `/api/v1${space}/media/?q=${id}`, { body: { tags }, as })
const file = async (name: string, fields: Record<string, string> = {}) =>
  (await upload(name, name, { fields })).body
const found = async (query: string, as: As = 'editor') => {
  const { body } = await call('GET', `/api/v1/media?${query}`, { as })
  return body.map(({ name }: { name: string }) => name)
}

describe('tags of media', () => {
  it('are trimmed, unique without regard to case, in their order, and one audit event and one media event', async () => {
    const plain = await file('plain.txt')
    expect(plain).not.toHaveProperty('tags')
    await app.subscribe(['media.updated'])
    const [before, sent] = [(await audits()).length, (await app.deliveries()).length]
    const { status, body } = await put(plain.media_id, [' Winter', 'ÉTÉ', 'winter ', 'été', 'Team photo'])
    expect([status, body.tags]).toEqual([200, ['Winter', 'ÉTÉ', 'Team photo']])
    expect((await audits()).slice(before).map(({ new_values }) => new_values)).toEqual([{ tags: body.tags }])
    expect((await app.deliveries()).length).toBe(sent + 1)
    // The same again changes nothing, and an empty list removes all.
    await put(plain.media_id, body.tags)
    expect((await audits()).length).toBe(before + 1)
    expect((await put(plain.media_id, [])).body).not.toHaveProperty('tags')
    expect((await audits()).at(-1)?.new_values).toEqual({ tags: null })
  })

  it('are given at an upload, and stay when other texts change', async () => {
    const media = await file('given.txt', { tags: ' a, B ,,a , c d' })
    expect(media.tags).toEqual(['a', 'B', 'c d'])
    const { body } = await call('PUT', `/api/v1/media/?q=${media.media_id}`, { body: { caption: 'x' } })
    expect([body.caption, body.tags]).toEqual(['x', ['a', 'B', 'c d']])
    const refused = await upload('much.txt', 'x', { fields: { tags: 'x'.repeat(41) } })
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('tags')])
  })

  it('find whole tags without regard to case, and nothing else', async () => {
    await file('one.txt', { tags: '100% Wolle_x!, Öl' })
    await file('two.txt', { tags: 'Ölfarbe', caption: 'Öl', description: '\u001föl\u001f' })
    expect(await found('tag=%C3%96L')).toEqual(['one.txt'])
    expect(await found('tag=o%CC%88l')).toEqual(['one.txt'])
    expect(await found('tag=%20100%25%20wolle_x!%20')).toEqual(['one.txt'])
    for (const tag of ['100', '%25', '_', 'wolle', 'nothing']) expect(await found(`tag=${tag}`)).toEqual([])
    expect(await found('text=%C3%B6lfarb')).toEqual(['two.txt'])
    expect(await found('tag=%C3%B6l&type=image')).toEqual([])
    const { headers } = await call('GET', '/api/v1/media?tag=%C3%B6l&limit=1')
    expect(headers.get('x-total-count') ?? '1').toBe('1')
  })

  it('are of each space by itself', async () => {
    const { body } = await upload('own.txt', 'x', {
      space: '/admin',
      as: 'admin',
      fields: { tags: 'inside' },
    })
    expect(body.tags).toEqual(['inside'])
    expect(await found('tag=inside')).toEqual([])
    expect((await call('GET', '/api/v1/admin/media?tag=INSIDE', { as: 'admin' })).body).toHaveLength(1)
    expect(await services.media.items.usedTags()).not.toContain('inside')
  })

  it.each([
    ['a text', 'x'],
    ['null', null],
    ['a number inside', [1]],
    ['an empty one', ['  ']],
    ['41 characters', ['x'.repeat(41)]],
    ['21 of them', Array.from({ length: 21 }, (_, n) => `t${n}`)],
    ['a hundred thousand', Array.from({ length: 100_000 }, () => 'x')],
    ['a million characters', ['x'.repeat(1_000_000)]],
    ['a comma', ['a,b']],
    ['a line break', ['a\nb']],
    ['a control character', ['a\u001fb']],
    ['a NUL', ['a\u0000b']],
    ['half a character', ['\ud83d']],
  ])('are refused: %s', async (_, tags) => {
    const { media_id } = await file('refused.txt', { tags: 'kept' })
    const refused = await put(media_id, tags)
    expect([refused.status, String(refused.body.error)]).toEqual([400, expect.stringContaining('tags')])
    expect((await call('GET', `/api/v1/media/?q=${media_id}`)).body.tags).toEqual(['kept'])
  })

  it('are refused to whoever may not update media, and as a filter that is no tag', async () => {
    const { media_id } = await file('closed.txt')
    for (const as of ['viewer', 'nobody'] as const) expect((await put(media_id, ['x'], as)).status).toBe(403)
    expect((await put(media_id, ['x'], 'editor', '/admin')).status).toBe(404)
    expect((await put(missing, ['x'])).status).toBe(404)
    for (const tag of ['', '%20', 'a,b', 'a%00', 'x'.repeat(41), 'x'.repeat(5000)])
      expect([tag, (await call('GET', `/api/v1/media?tag=${tag}`)).status]).toEqual([tag, 400])
    expect((await call('GET', '/api/v1/media?tag=x', { as: 'nobody' })).status).toBe(403)
  })

  it('are listed by name with each change of this process', async () => {
    const { media_id } = await file('listed.txt', { tags: 'zebra, Aal' })
    const used = await services.media.items.usedTags()
    expect([used.indexOf('Aal') >= 0, used.indexOf('Aal') < used.indexOf('zebra')]).toEqual([true, true])
    await put(media_id, ['yak'])
    const now = await services.media.items.usedTags()
    expect([now.includes('yak'), now.includes('zebra')]).toEqual([true, false])
  })
})
