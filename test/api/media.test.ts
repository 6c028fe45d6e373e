import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { thumbHashToApproximateAspectRatio, thumbHashToAverageRGBA } from 'thumbhash'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { progressBar, regenerateMedia } from '../../src/cli/media.js'
import { adminTables, internalTables, tables } from '../../src/db/tables.js'
import { unavailable } from '../../src/errors.js'
import { testApp } from '../support/app.js'
import { animation, picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config, i18n_enabled: true })
const { call, send, audits, db, users } = app
const upload = uploader(app)
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

const keyOf = (url: string) => decodeURIComponent(new URL(url).pathname).split('/').slice(2).join('/')
const item = async (id: string) => (await call('GET', `/api/v1/media/?q=${id}`)).body
const field = async (label: string, field_type: string, data = {}) => {
  const { body: datatype } = await call('POST', '/api/v1/datatypes', { body: { label, type: 'content' } })
  const { body } = await call('POST', '/api/v1/fields', {
    body: { label: 'Value', field_type, parent_id: datatype.datatype_id, data },
  })
  return { datatype_id: datatype.datatype_id, field_id: body.field_id }
}
const page = async (slug: string, datatype_id: string, value: string) => {
  const { body: route } = await call('POST', '/api/v1/routes', { body: { slug, title: slug } })
  const { body } = await call('POST', '/api/v1/content', {
    body: { route_id: route.route_id, datatype_id, status: 'published', fields: { value } },
  })
  return body.content_data_id as string
}

describe('an upload', () => {
  it('keeps the file, its variants and its texts, with one audit event', async () => {
    const before = (await audits()).length
    const bytes = await picture(2000, 1000).jpeg().toBuffer()
    const { body: folder } = await call('POST', '/api/v1/media-folders', { body: { name: 'Walls' } })
    const { status, body } = await upload('Eine Wand  (1).JPG', bytes, {
      as: 'editor',
      fields: { alt_text: 'A wall 🧱', caption: 'c', folder_id: folder.folder_id, focal_x: '10' },
    })
    expect([status, body.error]).toEqual([201, undefined])
    expect(body).toMatchObject({
      name: 'Eine-Wand-1.jpg',
      display_name: 'Eine Wand  (1).JPG',
      alt_text: 'A wall 🧱',
      caption: 'c',
      description: '',
      mimetype: 'image/jpeg',
      size: bytes.byteLength,
      width: 2000,
      height: 1000,
      focal_x: 10,
      focal_y: null,
      folder_id: folder.folder_id,
      author_id: users.editor,
    })
    const sizes = body.variants.map((v: Record<string, unknown>) => [v.name, v.width, v.height, v.mimetype])
    expect(sizes).toEqual(
      [
        ['thumbnail', 300, 300],
        ['small', 640, 320],
        ['medium', 1024, 512],
        ['large', 1920, 960],
      ].flatMap(size => [
        [...size, 'image/jpeg'],
        [...size, 'image/webp'],
      ]),
    )
    expect(new Set(body.variants.map((v: Record<string, unknown>) => `${v.name} ${v.fit}`))).toEqual(
      new Set(['thumbnail cover', 'small inside', 'medium inside', 'large inside']),
    )
    for (const variant of body.variants) {
      const { bytes, type } = await storage.object(keyOf(variant.url))
      const { width, height, format } = await sharp(bytes).metadata()
      expect([width, height, `image/${format}`]).toEqual([variant.width, variant.height, variant.mimetype])
      expect([bytes.byteLength, type]).toEqual([variant.size, variant.mimetype])
    }
    const original = await storage.object(keyOf(body.url))
    expect(Buffer.compare(original.bytes, bytes)).toBe(0)
    expect([original.type, original.disposition]).toEqual(['image/jpeg', undefined])
    expect(await storage.keys()).toHaveLength(9)
    const events = (await audits()).slice(before)
    expect(events.map(event => [event.operation, event.table_name, event.user_id])).toEqual([
      ['INSERT', 'media_folders', users.admin],
      ['INSERT', 'media', users.editor],
    ])
    expect(await db.findAll(internalTables.mediaUploads)).toEqual([])
    expect(await item(body.media_id)).toEqual(body)
    expect(JSON.stringify(body)).not.toMatch(/object_key|content_hash|search_text/)
  })

  it.each([
    ['nobody', 403],
    ['viewer', 403],
  ] as const)('is refused to %s', async (as, status) => {
    const before = await storage.keys()
    expect((await upload('a.txt', 'text', { as })).status).toBe(status)
    expect(await storage.keys()).toEqual(before)
  })

  it('refuses a folder that is not there, an overlong text and a wrong focal point', async () => {
    const before = await storage.keys()
    const refusal = async (fields: Record<string, string>) => {
      const { status, body } = await upload('a.txt', 'text', { fields })
      return [status, body.error]
    }
    expect(await refusal({ folder_id: missing })).toEqual([
      400,
      'foreign key failure: folder_id names no record of media_folders',
    ])
    expect((await refusal({ alt_text: 'x'.repeat(1025) }))[1]).toMatch(/^alt_text:/)
    expect((await refusal({ focal_x: '101' }))[1]).toMatch(/^focal_x:/)
    expect((await refusal({ caption: 'a\0b' }))[1]).toMatch(/^caption:/)
    expect(await storage.keys()).toEqual(before)
  })

  it('takes its objects back when its folder is gone by the time that they are up', async () => {
    const { body: folder } = await call('POST', '/api/v1/media-folders', { body: { name: 'Short-lived' } })
    const before = await storage.keys()
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
    const large = sharp({ create: { width: 1700, height: 1700, channels: 3, background: 'white', noise } })
    const sent = upload('late.png', await large.png({ compressionLevel: 1 }).toBuffer(), {
      fields: { folder_id: folder.folder_id },
    })
    await vi.waitFor(async () => expect(await db.count(internalTables.mediaUploads)).toBe(1), {
      timeout: 180_000,
      interval: 1,
    })
    expect((await call('DELETE', `/api/v1/media-folders/${folder.folder_id}`)).status).toBe(204)
    const { status, body } = await sent
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^foreign key failure: folder_id/)])
    expect(await storage.keys()).toEqual(before)
    expect(await db.count(internalTables.mediaUploads)).toBe(0)
  })

  it('goes into the admin space, with its own right and records', async () => {
    const { status, body } = await upload('plan.txt', 'a plan', { as: 'editor', space: '/admin' })
    expect([status, body.mimetype]).toEqual([201, 'text/plain'])
    expect((await call('GET', `/api/v1/media/?q=${body.media_id}`)).status).toBe(404)
    expect((await call('GET', `/api/v1/admin/media/?q=${body.media_id}`, { as: 'viewer' })).status).toBe(403)
    expect((await call('GET', '/api/v1/admin/media')).body).toHaveLength(1)
    expect(await db.count(adminTables.media)).toBe(1)
    const health = (await call('GET', '/api/v1/media/health')).body
    expect(health).toMatchObject({ orphaned_objects: 0, missing_objects: 0 })
  })
})

describe('the list', () => {
  it('is narrowed by folder, type and text, and paged', async () => {
    const { body: folder } = await call('POST', '/api/v1/media-folders', { body: { name: 'Lists' } })
    const inFolder = { fields: { folder_id: folder.folder_id } }
    await upload('Ärger 100%.txt', 'one', inFolder)
    await upload('notes_2.txt', 'two', { fields: { description: 'Some ÄRGER too' } })
    const png = await picture(20, 20).png().toBuffer()
    await upload('dot.png', png, inFolder)
    const names = async (query: string) => {
      const { body, headers } = await call('GET', `/api/v1/media?${query}`, { as: 'viewer' })
      const found = body.map(({ name }: { name: string }) => name)
      expect(Number(headers.get('x-total-count'))).toBeGreaterThanOrEqual(found.length)
      return found
    }
    expect(await names(`folder_id=${folder.folder_id}`)).toEqual(['Ärger-100.txt', 'dot.png'])
    expect(await names(`folder_id=${folder.folder_id}&type=image`)).toEqual(['dot.png'])
    expect(await names('type=image/png')).toEqual(['dot.png'])
    expect(await names('text=ärger')).toEqual(['Ärger-100.txt', 'notes_2.txt'])
    expect(await names(`text=${encodeURIComponent('ärger'.normalize('NFD'))}`)).toEqual(
      await names('text=ärger'),
    )
    expect(await names('text=100%25')).toEqual(['Ärger-100.txt'])
    expect(await names('text=s_2')).toEqual(['notes_2.txt'])
    expect(await names('text=%25%25')).toEqual([])
    expect(await names('folder_id=root&text=notes')).toEqual(['notes_2.txt'])
    const all = await names('')
    expect(await names('limit=2&offset=1')).toEqual(all.slice(1, 3))
    const [first] = (await call('GET', '/api/v1/media?limit=1')).body
    expect(await names(`after=${first.media_id}`)).toEqual(all.slice(1))
    expect((await call('GET', '/api/v1/media?type=x;y')).status).toBe(400)
  })
})

describe('an item', () => {
  it('is updated, and pages that show it follow at once', async () => {
    const { datatype_id } = await field('Poster', 'media')
    const { body: media } = await upload('poster.png', await picture(400, 400).png().toBuffer())
    await page('/poster', datatype_id, media.media_id)
    const shown = async () => (await call('GET', '/poster?format=strapi', { as: 'nobody' })).body.data.value
    expect((await shown()).alternativeText).toBe(null)
    const before = (await audits()).length
    const { status, body } = await call('PUT', '/api/v1/media/', {
      as: 'editor',
      body: { ...media, alt_text: 'Concert', name: 'other.png', size: 1, url: 'x' },
    })
    expect([status, body.alt_text, body.name, body.size]).toEqual([200, 'Concert', 'poster.png', media.size])
    expect((await shown()).alternativeText).toBe('Concert')
    expect((await audits()).slice(before).map(event => event.new_values)).toEqual([{ alt_text: 'Concert' }])
    expect((await call('PUT', `/api/v1/media/?q=${missing}`, { body: { alt_text: 'x' } })).status).toBe(404)
    const put = (body: unknown, headers = {}) =>
      call('PUT', `/api/v1/media/?q=${media.media_id}`, { body, headers })
    expect((await put({ folder_id: missing })).status).toBe(400)
    expect((await put({ focal_x: 50.5 })).status).toBe(400)
    expect((await put({ alt_text: 'y' }, { 'If-Match': '"old"' })).status).toBe(412)
  })

  it('is rendered again around a new focal point, under new names', async () => {
    // The left half is white, the right half black.
    const bytes = await sharp({ create: { width: 1200, height: 400, channels: 3, background: 'black' } })
      .composite([
        { input: { create: { width: 600, height: 400, channels: 3, background: 'white' } }, left: 0, top: 0 },
      ])
      .png()
      .toBuffer()
    const { body: media } = await upload('halves.png', bytes)
    const brightness = async (record: typeof media) => {
      const { url } = record.variants[0]
      const { channels } = await sharp((await storage.object(keyOf(url))).bytes).stats()
      return Math.round(channels[0]?.mean ?? -1)
    }
    expect(await brightness(media)).toBeGreaterThan(100)
    expect(await brightness(media)).toBeLessThan(155)
    const put = async (body: unknown) => {
      const answer = await call('PUT', `/api/v1/media/?q=${media.media_id}`, { body })
      expect(answer.status).toBe(200)
      return answer.body
    }
    const left = await put({ focal_x: 0 })
    expect(await brightness(left)).toBe(255)
    expect(await brightness(await put({ focal_x: 100 }))).toBe(0)
    const keys = await storage.keys(`${media.media_id}/`)
    expect(keys).toHaveLength(1 + media.variants.length)
    expect(keys).not.toContain(keyOf(left.variants[0].url))
  })

  it('is refused deletion while content uses it, names who does, and can be forced', async () => {
    const { datatype_id } = await field('Gallery', 'media', { cardinality: 'many' })
    const { datatype_id: texts } = await field('Text', 'richtext')
    const { body: media } = await upload('used.png', await picture(40, 40).png().toBuffer())
    const { body: other } = await upload('other.png', await picture(40, 40).png().toBuffer())
    const gallery = await page('/gallery', datatype_id, JSON.stringify([media.media_id, other.media_id]))
    const text = await page('/text', texts, `<p><img src="${media.url}"></p>`)
    const path = `/api/v1/media/?q=${media.media_id}`
    const refused = await call('DELETE', path, { as: 'editor' })
    expect([refused.status, refused.body.error]).toEqual([
      409,
      `still used by content ${gallery}, ${text}; use force=true to delete it anyway`,
    ])
    const { body: references } = await call('GET', `/api/v1/media/${media.media_id}/references`, {
      as: 'viewer',
    })
    expect(references.map((row: { content_data_id: string }) => row.content_data_id)).toEqual([gallery, text])
    expect((await call('GET', `/api/v1/media/${missing}/references`)).status).toBe(404)
    const shown = async () => (await call('GET', '/gallery?format=strapi', { as: 'nobody' })).body.data.value
    expect(await shown()).toHaveLength(2)
    expect((await call('DELETE', `${path}&force=true`)).status).toBe(204)
    expect(await shown()).toHaveLength(1)
    expect(await storage.keys(`${media.media_id}/`)).toEqual([])
    expect((await call('DELETE', path)).status).toBe(404)
    expect((await call('DELETE', `/api/v1/media/?q=${missing}`)).status).toBe(404)
    const last = (await audits()).at(-1)
    expect([last?.operation, last?.table_name, last?.record_id]).toEqual(['DELETE', 'media', media.media_id])
  })

  it('is downloaded from a signed address', async () => {
    const { body: media } = await upload('Preis, „neu“.txt', 'prices')
    const { status, headers } = await call('GET', `/api/v1/media/${media.media_id}/download`, {
      as: 'viewer',
    })
    expect([status, headers.get('cache-control')]).toEqual([302, 'no-store'])
    const location = headers.get('location') ?? ''
    const answer = await fetch(location)
    expect([answer.status, await answer.text()]).toEqual([200, 'prices'])
    if (storage.checks) {
      const forged = location.replace(/Signature=(.)/, (_, first) => `Signature=${first === '0' ? '1' : '0'}`)
      expect((await fetch(forged)).status).toBe(403)
      expect((await fetch(media.url)).status).toBe(403)
      expect(answer.headers.get('content-disposition')).toBe(
        `attachment; filename*=UTF-8''Preis%2C%20%E2%80%9Eneu%E2%80%9C.txt`,
      )
    }
    expect((await call('GET', `/api/v1/media/${missing}/download`)).status).toBe(404)
  })

  it('moves between folders with others, all or none', async () => {
    const { body: folder } = await call('POST', '/api/v1/media-folders', { body: { name: 'Moves' } })
    const ids: string[] = []
    for (const name of ['a', 'b']) ids.push((await upload(`${name}.txt`, name)).body.media_id)
    const move = (body: unknown, as: 'admin' | 'viewer' = 'admin') =>
      call('POST', '/api/v1/media/move', { body, as })
    const places = async () => (await Promise.all(ids.map(item))).map(({ folder_id }) => folder_id)
    expect((await move({ media_ids: [...ids, missing], folder_id: folder.folder_id })).status).toBe(400)
    expect((await move({ media_ids: ids, folder_id: missing })).status).toBe(400)
    expect((await move({ media_ids: [], folder_id: null })).status).toBe(400)
    expect((await move({ media_ids: ids, folder_id: null }, 'viewer')).status).toBe(403)
    expect(await places()).toEqual([null, null])
    const { status, body } = await move({ media_ids: ids, folder_id: folder.folder_id })
    expect([status, body.map((row: { media_id: string }) => row.media_id)]).toEqual([200, ids])
    expect(await places()).toEqual([folder.folder_id, folder.folder_id])
    await move({ media_ids: ids, folder_id: null })
    expect(await places()).toEqual([null, null])
  })
})

describe('texts in other languages', () => {
  const put = (id: string, body: unknown, as: 'admin' | 'editor' | 'viewer' | 'nobody' = 'editor') =>
    call('PUT', `/api/v1/media/?q=${id}`, { body, as })

  it('are merged, shown in the requested locale, and fall back to its own', async () => {
    for (const code of ['de', 'de-AT', 'fr'])
      await call('POST', '/api/v1/locales', { body: { code, label: code } })
    const { body: media } = await upload('wall.png', await picture(40, 40).png().toBuffer(), {
      fields: { alt_text: 'A wall', caption: 'Seen at noon' },
    })
    expect(media.translations).toEqual({})
    const { datatype_id } = await field('Walls', 'media')
    await page('/walls', datatype_id, media.media_id)
    const native = async (query: string) => {
      const { body } = await call('GET', `/walls?format=native${query}`, { as: 'nobody' })
      return [body.fields.value.alt, body.fields.value.caption]
    }
    expect(await native('&locale=de')).toEqual(['A wall', 'Seen at noon'])
    const before = (await audits()).length
    const translations = {
      de: { alt_text: 'Eine Wand', display_name: 'Wand.png' },
      fr: { alt_text: 'Un mur' },
    }
    const { status, body } = await put(media.media_id, { translations })
    expect([status, body.translations, body.alt_text]).toEqual([200, translations, 'A wall'])
    expect((await audits()).slice(before).map(event => event.new_values)).toEqual([{ translations }])
    expect(await native('')).toEqual(['A wall', 'Seen at noon'])
    expect(await native('&locale=de')).toEqual(['Eine Wand', 'Seen at noon'])
    expect(await native('&locale=de-AT')).toEqual(['Eine Wand', 'Seen at noon'])
    expect(await native('&locale=fr')).toEqual(['Un mur', 'Seen at noon'])
    const found = await call('GET', '/api/v1/media?text=mur')
    expect(found.body.map(({ media_id }: { media_id: string }) => media_id)).toEqual([media.media_id])

    // The same record back changes nothing; null and an empty text remove.
    expect((await put(media.media_id, body)).body).toEqual(body)
    const less = await put(media.media_id, { translations: { fr: null, de: { display_name: '' } } })
    expect(less.body.translations).toEqual({ de: { alt_text: 'Eine Wand' } })
    const asked = await call('GET', '/api/v1/locales')
    const { locale_id } = asked.body.find(({ code }: { code: string }) => code === 'de')
    const removed = await call('DELETE', `/api/v1/locales/?q=${locale_id}`)
    expect([removed.status, removed.body.error]).toEqual([409, 'still referenced by media.translations'])

    const raw = async () => (await call('GET', '/walls?format=raw&locale=de', { as: 'nobody' })).body.media[0]
    expect([(await raw()).alt_text, (await raw()).translations]).toEqual([
      'A wall',
      { de: { alt_text: 'Eine Wand' } },
    ])
    await call('PUT', `/api/v1/locales/?q=${locale_id}`, { body: { is_enabled: false } })
    expect((await raw()).translations).toEqual({})
    const every = await call('GET', '/walls?format=contentful&locale=*', { as: 'nobody' })
    expect(every.body.includes.Asset[0].fields.description).toEqual({ en: 'A wall' })
    await call('PUT', `/api/v1/locales/?q=${locale_id}`, { body: { is_enabled: true } })
    const all = await call('GET', '/walls?format=contentful&locale=*', { as: 'nobody' })
    expect(all.body.includes.Asset[0].fields.description).toEqual({ en: 'A wall', de: 'Eine Wand' })
  })

  it.each([
    ['of no locale', { tlh: { alt_text: 'x' } }, 'translations.tlh'],
    ['of a name that is no locale', { '%': { alt_text: 'x' } }, 'translations.%'],
    ['of too many characters', { fr: { alt_text: 'x'.repeat(1025) } }, 'translations.fr.alt_text'],
    ['of an unknown member', { fr: { description: 'x' } }, 'translations.fr'],
    ['as a text', 'x', 'translations'],
  ])('are refused %s', async (_, translations, member) => {
    const { body: media } = await upload('a.txt', 'text')
    const refused = await put(media.media_id, { translations })
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining(member)])
    expect((await item(media.media_id)).translations).toEqual({})
  })

  it('are refused to whoever may not update media', async () => {
    const { body: media } = await upload('a.txt', 'text')
    const translations = { fr: { alt_text: 'x' } }
    expect((await put(media.media_id, { translations }, 'viewer')).status).toBe(403)
    expect((await put(media.media_id, { translations }, 'nobody')).status).toBe(403)
    expect((await put(missing, { translations })).status).toBe(404)
  })
})

describe('replacing the file', () => {
  type As = 'admin' | 'editor' | 'viewer' | 'nobody'
  const replace = async (
    id: string,
    content: Uint8Array | string,
    { name = 'new.jpg', as = 'editor' as As, fields = {}, headers = {} } = {},
  ) => {
    const form = new FormData()
    for (const [member, value] of Object.entries(fields)) form.append(member, String(value))
    form.append('file', new Blob([content as BlobPart]), name)
    const request = new Request('http://x/', { method: 'POST', body: form })
    const type = { 'Content-Type': request.headers.get('content-type') ?? '' }
    const body = await request.arrayBuffer()
    return send('PUT', `/api/v1/media/${id}/file`, { as, body, headers: { ...type, ...headers } })
  }
  const flat = (background: string, side = 800) =>
    sharp({ create: { width: side, height: side / 2, channels: 3, background } })
      .jpeg()
      .toBuffer()

  it('keeps id, address and texts, makes the variants again, and is one audit event and one media event', async () => {
    const { body: media } = await upload('before.jpg', await flat('red'), { fields: { alt_text: 'A wall' } })
    const { datatype_id } = await field('Replaced', 'media')
    await page('/replaced', datatype_id, media.media_id)
    const shown = () => call('GET', '/replaced?format=native', { as: 'nobody' })
    const old = await shown()
    const before = (await audits()).length
    const bytes = await flat('blue', 1200)
    const { status, body } = await replace(media.media_id, bytes)
    expect([status, body.error]).toEqual([200, undefined])
    const { variants, thumbhash, width, height, size, date_modified, ...same } = body
    expect(media).toMatchObject(same)
    expect([width, height, size]).toEqual([1200, 600, bytes.byteLength])
    expect(thumbhash).not.toBe(media.thumbhash)
    expect((await storage.object(keyOf(media.url))).bytes).toEqual(new Uint8Array(bytes))
    const keys = await storage.keys(`${media.media_id}/`)
    expect(keys).toHaveLength(1 + variants.length)
    for (const { url } of variants) expect(keys).toContain(keyOf(url))
    for (const { url } of media.variants) expect(keys).not.toContain(keyOf(url))
    const now = await shown()
    expect(now.body.fields.value).toMatchObject({ width: 1200, alt: 'A wall', url: media.url })
    expect(now.headers.get('etag')).not.toBe(old.headers.get('etag'))
    const events = (await audits()).slice(before)
    expect(events.map(event => [event.operation, event.table_name, event.record_id, event.user_id])).toEqual([
      ['UPDATE', 'media', media.media_id, users.editor],
    ])
    expect(await db.findAll(internalTables.mediaUploads)).toEqual([])
    expect(await db.findAll(internalTables.leases, { name: `file of ${media.media_id}` })).toEqual([])
    expect((await fetch(media.url)).headers.get('cache-control') ?? 'public, max-age=300').toBe(
      'public, max-age=300',
    )
    await call('DELETE', `/api/v1/media/?q=${media.media_id}&force=true`)
    expect(await storage.keys(`${media.media_id}/`)).toEqual([])
  })

  it('is refused with everything as it was', async () => {
    const { body: media } = await upload('kept.jpg', await flat('red'))
    const good = await flat('blue')
    const id = media.media_id
    const before = await storage.keys(`${id}/`)
    const progressive = await sharp({ create: { width: 20_001, height: 4, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer()
    const refusals: [Awaited<ReturnType<typeof replace>>, number, RegExp][] = [
      [await replace(id, good, { as: 'nobody' }), 403, /./],
      [await replace(id, good, { as: 'viewer' }), 403, /./],
      [await replace(missing, good), 404, /./],
      [await replace(id, ''), 400, /^file: is empty/],
      [await replace(id, 'text', { name: 'a.txt' }), 400, /^file: must be image\/jpeg, because the address/],
      [await replace(id, await picture(9, 9).png().toBuffer(), { name: 'a.png' }), 400, /^file: must be/],
      [await replace(id, good, { name: 'a.png' }), 400, /^file:/],
      [await replace(id, good.subarray(0, 900)), 400, /^file:/],
      [await replace(id, Buffer.concat([good, Buffer.from('<script>x</script>')])), 400, /HTML/],
      [await replace(id, progressive), 400, /image width 20001 exceeds/],
      [await replace(id, good, { fields: { alt_text: 'x' } }), 400, /^alt_text: cannot be changed here/],
      [await replace(id, good, { headers: { 'If-Match': '"old"' } }), 412, /./],
      [await call('PUT', `/api/v1/media/${id}/file`, { body: { file: 'x' } }), 415, /./],
    ]
    for (const [{ status, body }, wanted, words] of refusals)
      expect([status, body.error]).toEqual([wanted, expect.stringMatching(words)])
    expect(await item(id)).toEqual(media)
    expect(await storage.keys(`${id}/`)).toEqual(before)
    expect(Buffer.compare((await storage.object(keyOf(media.url))).bytes, await flat('red'))).toBe(0)
  })

  it('brings the old file back when its record cannot be written', async () => {
    const { body: media } = await upload('lost.jpg', await flat('red'))
    const before = await storage.keys(`${media.media_id}/`)
    const items = app.services.media.items as unknown as { change: () => Promise<unknown> }
    const failing = vi.spyOn(items, 'change').mockRejectedValueOnce(unavailable('no database', 1))
    expect((await replace(media.media_id, await flat('blue'))).status).toBe(503)
    failing.mockRestore()
    expect(await storage.keys(`${media.media_id}/`)).toEqual(before)
    expect(Buffer.compare((await storage.object(keyOf(media.url))).bytes, await flat('red'))).toBe(0)
    expect(await db.findAll(internalTables.mediaUploads)).toEqual([])
    expect((await replace(media.media_id, await flat('blue'))).status).toBe(200)
  })

  it('happens once at a time, so that object and record are of the same file', async () => {
    const { body: media } = await upload('raced.jpg', await flat('red'))
    const files = await Promise.all(['blue', 'green', 'white', 'black'].map(colour => flat(colour)))
    const answers = await Promise.all(files.map(bytes => replace(media.media_id, bytes)))
    expect(answers.map(({ status }) => status)).toContain(200)
    for (const { status } of answers) expect([200, 409]).toContain(status)
    const { bytes } = await storage.object(keyOf(media.url))
    const row = await db.get(tables.media, media.media_id)
    expect(row?.content_hash).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect(await storage.keys(`${media.media_id}/`)).toHaveLength(1 + (row?.variants.length ?? 0))
    expect((await replace(media.media_id, await flat('red'))).status).toBe(200)
  })
})

describe('presets', () => {
  it('are kept by label, checked, and take effect by regenerating', async () => {
    const preset = (body: unknown, method = 'POST', query = '') =>
      call(method, `/api/v1/media-dimensions${query}`, { body })
    for (const width of [0, -1, 1e9, 1.5, '300', null])
      expect((await preset({ label: 'x', width, height: 10 })).status).toBe(400)
    expect((await preset({ label: 'small', width: 10, height: 10 })).status).toBe(409)
    const { body: media } = await upload('resized.png', await picture(500, 250).png().toBuffer())
    expect(media.variants).toHaveLength(0)
    const made = await preset({ label: 'Tiny one', width: 50, height: 40 })
    expect([made.status, made.body.fit]).toEqual([201, 'cover'])
    const { status, body } = await call('POST', `/api/v1/media/${media.media_id}/regenerate`, {
      as: 'editor',
    })
    expect([status, body.variants.map((v: { name: string }) => v.name)]).toEqual([
      200,
      ['Tiny one', 'Tiny one'],
    ])
    expect(body.variants[0]).toMatchObject({ width: 50, height: 40, mimetype: 'image/png' })
    await call('DELETE', `/api/v1/media-dimensions/?q=${made.body.media_dimension_id}`)
    const again = await call('POST', `/api/v1/media/${media.media_id}/regenerate`)
    expect(again.body.variants).toEqual([])
    expect(await storage.keys(`${media.media_id}/`)).toHaveLength(1)
    const text = (await upload('plain.txt', 'text')).body.media_id
    expect((await call('POST', `/api/v1/media/${text}/regenerate`)).status).toBe(400)
    expect((await call('POST', `/api/v1/media/${missing}/regenerate`)).status).toBe(404)
  })

  it('are twenty at most', async () => {
    const made: string[] = []
    const add = async (i: number) => {
      const body = { label: `p${i}`, width: 10 + i, height: 10 }
      const answer = await call('POST', '/api/v1/media-dimensions', { body })
      if (answer.status === 201) made.push(answer.body.media_dimension_id)
      return answer.status
    }
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, i) => add(i)))
    expect(statuses.toSorted()).toEqual([...Array(16).fill(201), ...Array(4).fill(409)])
    for (const id of made) await call('DELETE', `/api/v1/media-dimensions/?q=${id}`)
    expect(await db.count(tables.mediaDimensions)).toBe(4)
  })
})

describe('media_formats', () => {
  afterAll(() => formats(['webp']))
  const formats = (media_formats: unknown, as: 'admin' | 'editor' = 'admin') =>
    call('PUT', '/api/v1/config', { as, body: { media_formats } })
  const typesOf = (body: { variants: { mimetype: string }[] }) =>
    body.variants.map(({ mimetype }) => mimetype)

  it('adds AVIF variants, to earlier images when they are made again, and takes them away', async () => {
    const before = await upload('before.jpg', await picture(400, 400).jpeg().toBuffer())
    expect((await formats(['webp', 'avif'])).status).toBe(200)
    const types = ['image/jpeg', 'image/webp', 'image/avif']
    const { status, body } = await upload('after.jpg', await picture(400, 400).jpeg().toBuffer())
    expect([status, typesOf(body)]).toEqual([201, types])
    const avif = body.variants[2]
    const { type, ...stored } = await storage.object(keyOf(avif.url))
    const bytes = Buffer.from(stored.bytes)
    // The process decodes no AVIF, so the header shows what it is: the brand, and the size in the box `ispe`.
    const size = bytes.indexOf('ispe') + 8
    const [width, height] = [bytes.readUInt32BE(size), bytes.readUInt32BE(size + 4)]
    expect([bytes.toString('latin1', 4, 12), width, height]).toEqual(['ftypavif', 300, 300])
    expect([type, bytes.byteLength]).toEqual(['image/avif', avif.size])
    expect(avif.url).toBe(body.variants[1].url.replace(/webp$/, 'avif'))
    // Animations stay animated, so they have none.
    const moving = await upload('moving.gif', await animation(400, 400, 3).gif().toBuffer())
    expect(typesOf(moving.body)).toEqual(['image/gif', 'image/webp'])
    const deep = await upload('deep.png', await picture(400, 400).toColourspace('rgb16').png().toBuffer())
    expect(typesOf(deep.body)).toEqual(['image/png', 'image/webp', 'image/avif'])
    expect(typesOf(await item(before.body.media_id))).toEqual(['image/jpeg', 'image/webp'])
    const again = (id: string) => call('POST', `/api/v1/media/${id}/regenerate`)
    expect(typesOf((await again(before.body.media_id)).body)).toEqual(types)
    const keys = () => storage.keys(`${before.body.media_id}/`)
    expect((await keys()).filter(key => key.endsWith('.avif'))).toHaveLength(1)
    expect((await formats([])).status).toBe(200)
    expect(typesOf((await again(before.body.media_id)).body)).toEqual(['image/jpeg'])
    expect(await keys()).toHaveLength(2)
    expect((await call('DELETE', `/api/v1/media/?q=${body.media_id}`)).status).toBe(204)
    expect(await storage.keys(`${body.media_id}/`)).toEqual([])
  })

  it.each([
    ['a word', 'avif'],
    ['another format', ['jxl']],
    ['a format twice', ['webp', 'webp']],
  ])('is not %s', async (_, given) => expect((await formats(given)).status).toBe(400))

  it('is not for editors', async () => expect((await formats(['avif'], 'editor')).status).toBe(403))
})

describe('thumbhash', () => {
  const decoded = ({ thumbhash }: { thumbhash: string }) => {
    const { r, g, b, a } = thumbHashToAverageRGBA(Buffer.from(thumbhash, 'base64'))
    return [r, g, b, a].map(part => Math.round(part * 10) / 10)
  }
  const flat = (background: string, channels: 3 | 4 = 3, [width, height] = [600, 300]) =>
    sharp({ create: { width, height, channels, background } })

  it.each([
    ['JPEG', flat('#ff0000').jpeg(), [1, 0, 0, 1]],
    ['transparent PNG', flat('#00ff0080', 4).png(), [0, 1, 0, 0.5]],
    ['grey PNG', flat('#808080').toColourspace('b-w').png(), [0.5, 0.5, 0.5, 1]],
    ['small WebP, without variants', flat('#0000ff', 3, [9, 5]).webp({ lossless: true }), [0, 0, 1, 1]],
    ['picture of one pixel', flat('#ffffff', 3, [1, 1]).png(), [1, 1, 1, 1]],
  ])('is a placeholder of a %s', async (_, image, colour) => {
    const { body } = await upload('hashed', await image.toBuffer())
    expect(decoded(body)).toEqual(colour)
    expect(Buffer.from(body.thumbhash, 'base64').byteLength).toBeLessThanOrEqual(25)
  })

  it('is that of the first frame, and upright', async () => {
    const { body: moving } = await upload('moving.gif', await animation(400, 300, 3).gif().toBuffer())
    expect(decoded(moving)).toEqual([0, 0, 0, 1])
    const ratio = thumbHashToApproximateAspectRatio(Buffer.from(moving.thumbhash, 'base64'))
    expect(ratio).toBeCloseTo(4 / 3, 0)
    const turned = await flat('#ff0000').jpeg().withMetadata({ orientation: 6 }).toBuffer()
    const { body } = await upload('turned.jpg', turned)
    expect(thumbHashToApproximateAspectRatio(Buffer.from(body.thumbhash, 'base64'))).toBeLessThan(0.6)
  })

  it('is missing for other files, comes with new variants, and is on pages', async () => {
    expect((await upload('notes.txt', 'text')).body.thumbhash).toBe(null)
    const { body: media } = await upload('poster.png', await flat('#ff0000').png().toBuffer())
    await db.write(systemActor, tx => tx.update(tables.media, media.media_id, { thumbhash: null }))
    expect((await item(media.media_id)).thumbhash).toBe(null)
    const again = await call('POST', `/api/v1/media/${media.media_id}/regenerate`)
    expect(again.body.thumbhash).toBe(media.thumbhash)
    const { datatype_id } = await field('Hashed', 'media')
    await page('/hashed', datatype_id, media.media_id)
    const shown = await call('GET', '/hashed?format=native', { as: 'nobody' })
    expect(shown.body.fields.value.thumbhash).toBe(media.thumbhash)
  })
})

describe('files of every kind', async () => {
  const tiff = await picture(20, 20).tiff().toBuffer()
  const sizesOf = (body: { variants: { name: string; width: number; height: number; mimetype: string }[] }) =>
    body.variants.map(({ name, width, height, mimetype }) => `${name} ${width}x${height} ${mimetype}`)

  it('renders an animated GIF and WebP with all their frames', async () => {
    for (const [format, bytes, types] of [
      ['gif', await animation(400, 400, 5).gif().toBuffer(), ['image/gif', 'image/webp']],
      ['webp', await animation(400, 400, 5).webp().toBuffer(), ['image/webp']],
    ] as const) {
      const { status, body } = await upload(`a.${format}`, bytes)
      expect([status, body.width, body.height]).toEqual([201, 400, 400])
      expect(sizesOf(body)).toEqual(types.map(type => `thumbnail 300x300 ${type}`))
      for (const { url } of body.variants) {
        const { pages, width, pageHeight } = await sharp((await storage.object(keyOf(url))).bytes, {
          animated: true,
        }).metadata()
        expect([pages, width, pageHeight]).toEqual([5, 300, 300])
      }
    }
  })

  it('turns a photograph as the camera was held, and leaves its metadata out of the variants', async () => {
    const bytes = await picture(800, 400)
      .jpeg()
      .withMetadata({
        orientation: 6,
        exif: { IFD0: { Copyright: 'somebody' }, IFD3: { GPSLatitude: '51/1' } },
      })
      .toBuffer()
    const { body } = await upload('photo.jpeg', bytes)
    expect([body.width, body.height]).toEqual([400, 800])
    expect(sizesOf(body)).toContain('small 320x640 image/jpeg')
    for (const { url } of body.variants) {
      const { exif, orientation, xmp, iptc } = await sharp(
        (await storage.object(keyOf(url))).bytes,
      ).metadata()
      expect([exif, orientation, xmp, iptc]).toEqual([undefined, undefined, undefined, undefined])
    }
    const small = body.variants.find((v: { name: string }) => v.name === 'small')
    // The blue quarter, at the top left in the file, is at the top right when it is looked at.
    const [red = 0, , blue = 0] = await sharp((await storage.object(keyOf(small.url))).bytes)
      .extract({ left: 250, top: 10, width: 1, height: 1 })
      .raw()
      .toBuffer()
    expect(blue).toBeGreaterThan(red)
  })

  it('renders CMYK and 16-bit images in sRGB', async () => {
    const cmyk = await picture(400, 400).toColourspace('cmyk').jpeg().toBuffer()
    const deep = await picture(400, 400).toColourspace('rgb16').png().toBuffer()
    expect((await sharp(cmyk).metadata()).space).toBe('cmyk')
    expect((await sharp(deep).metadata()).depth).toBe('ushort')
    for (const [name, bytes] of [
      ['cmyk.jpg', cmyk],
      ['deep.png', deep],
    ] as const) {
      const { status, body } = await upload(name, bytes)
      expect(status).toBe(201)
      const { space, depth } = await sharp(
        (await storage.object(keyOf(body.variants[0].url))).bytes,
      ).metadata()
      expect([space, depth]).toEqual(['srgb', 'uchar'])
    }
  })

  it.each([
    ['a.bmp', 'image/bmp', Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)]), false],
    ['a.tiff', 'image/tiff', tiff, true],
    [
      'a.svg',
      'image/svg+xml',
      '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
      true,
    ],
    ['a.pdf', 'application/pdf', '%PDF-1.7\n1 0 obj\nendobj\n', true],
    [
      'a.mp4',
      'video/mp4',
      Buffer.concat([
        Buffer.from([0, 0, 0, 24]),
        Buffer.from('ftypisom\0\0\0\x01isommp42'),
        Buffer.alloc(64),
      ]),
      true,
    ],
    ['a.csv', 'text/plain', 'a,b\n1,2\n', true],
    ['a.html', 'text/html', '<!doctype html><script>alert(1)</script>', true],
    ['a.bin', 'application/octet-stream', Buffer.from([0, 1, 2, 255]), true],
  ])('stores %s as it is', async (name, mimetype, content, attachment) => {
    const { status, body } = await upload(name, content)
    expect([status, body.mimetype, body.name, body.variants]).toEqual([201, mimetype, name, []])
    const object = await storage.object(keyOf(body.url))
    expect(Buffer.compare(object.bytes, Buffer.from(content))).toBe(0)
    expect(object.type).toBe(mimetype === 'text/html' ? 'application/octet-stream' : mimetype)
    // The embedded store forgets it.
    if (storage.checks) expect(object.disposition).toBe(attachment ? 'attachment' : undefined)
  })
})

it.each(['../../etc/plan.txt', 'C:\\Documents\\plan.txt', '/plan.txt'])(
  'keeps %j under its last part',
  async path => {
    const { status, body } = await upload(path, 'text')
    expect([status, body.name, body.display_name]).toEqual([201, 'plan.txt', 'plan.txt'])
    expect(keyOf(body.url)).toBe(`${body.media_id}/plan.txt`)
  },
)

it('says in the document’s words that storage is not configured', async () => {
  const without = await testApp()
  const { status, body } = await uploader(without)('a.txt', 'text')
  expect([status, body.error]).toEqual([400, 'S3 storage must be configured for media uploads'])
  const health = await without.call('GET', '/api/v1/media/health')
  expect([health.status, health.body.error]).toEqual([400, 'S3 storage must be configured for media uploads'])
  expect((await without.call('GET', '/api/v1/health')).body.checks).toEqual({ database: true, storage: null })
  expect((await without.call('GET', '/api/v1/media')).body).toEqual([])
})

it('shows the public address wherever a browser sees one', async () => {
  const pub = await testApp({
    ...storage.config,
    bucket_public_url: 'https://files.example/',
    environment: 'local',
  })
  const bucket = storage.config.bucket_media
  const bytes = await picture(400, 400).png().toBuffer()
  const { body } = await uploader(pub)('a b.png', bytes)
  const root = `https://files.example/${bucket}/${body.media_id}/`
  for (const { url } of [body, ...body.variants]) expect(url.startsWith(root)).toBe(true)
  const post = async (path: string, sent: unknown) =>
    (await pub.call('POST', `/api/v1${path}`, { body: sent })).body
  const { datatype_id } = await post('/datatypes', { label: 'Page', type: 'content' })
  await post('/fields', { label: 'Image', field_type: 'media', parent_id: datatype_id })
  const { route_id } = await post('/routes', { slug: '/', title: 'Home' })
  const fields = { image: body.media_id }
  await post('/content', { datatype_id, route_id, status: 'published', fields })
  for (const format of ['raw', 'contentful', 'sanity', 'strapi', 'wordpress']) {
    const { text } = await pub.call('GET', `/?format=${format}`, { as: 'nobody' })
    expect([format, text.includes(root.replace('https:', ''))]).toEqual([format, true])
    expect([format, text.includes('127.0.0.1')]).toEqual([format, false])
  }
  const { headers } = await pub.call('GET', `/api/v1/media/${body.media_id}/download`)
  expect(headers.get('location')?.startsWith(`${root}a-b.png?`)).toBe(true)
  const cdn = await testApp({
    ...storage.config,
    bucket_public_url: 'https://cdn.example',
    bucket_force_path_style: false,
    bucket_media: 'site',
  })
  expect(cdn.services.media.urlOf('x/ä.png')).toBe('https://cdn.example/x/%C3%A4.png')
})

it('follows a change of media on a page whose own changes wait, and keeps what only the public sees of it', async () => {
  const staged = await testApp({ ...storage.config, publish_mode: 'staged' })
  const post = async (path: string, body: unknown) =>
    (await staged.call('POST', `/api/v1${path}`, { body })).body
  const { datatype_id } = await post('/datatypes', { label: 'Page', type: 'content' })
  await post('/fields', { label: 'Image', field_type: 'media', parent_id: datatype_id })
  const { route_id } = await post('/routes', { slug: '/', title: 'Home' })
  const { body: media } = await uploader(staged)('a.png', await picture(10, 10).png().toBuffer())
  const fields = { image: media.media_id }
  const { content_data_id } = await post('/content', { datatype_id, route_id, status: 'published', fields })
  const path = `/api/v1/media/?q=${media.media_id}`
  const shown = async () => (await staged.call('GET', '/?format=strapi', { as: 'nobody' })).body.data.image
  await staged.call('PUT', `/api/v1/content/?q=${content_data_id}`, { body: { fields: { image: '' } } })
  expect((await shown()).alternativeText).toBe(null)
  await staged.call('PUT', path, { body: { alt_text: 'A dot' } })
  expect((await shown()).alternativeText).toBe('A dot')
  const refused = await staged.call('DELETE', path)
  expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining(content_data_id)])
  await post('/content/publish', { content_data_id })
  expect(await shown()).toBe(null)
  expect((await staged.call('DELETE', path)).status).toBe(204)
})

it('makes the variants of all images again by command', async () => {
  const preset = await call('POST', '/api/v1/media-dimensions', {
    body: { label: 'dot', width: 4, height: 4 },
  })
  const one = (await upload('again.png', await picture(10, 10).png().toBuffer())).body
  const two = (await upload('again.png', await picture(10, 10).png().toBuffer(), { space: '/admin' })).body
  await call('DELETE', `/api/v1/media-dimensions/?q=${preset.body.media_dimension_id}`)
  const steps: string[] = []
  const { media, adminMedia } = app.services
  for await (const progress of regenerateMedia([media, adminMedia], { ...systemActor, surface: 'cli' }))
    steps.push(progressBar(progress))
  const [first = '', last = ''] = [steps[0], steps.at(-1)]
  expect(first).toMatch(/^\[ {30}\] 0\/\d+$/)
  expect(last).toMatch(/^\[#{30}\] (\d+)\/\1$/)
  expect([one.variants.length, (await item(one.media_id)).variants.length]).toEqual([2, 0])
  const after = (await call('GET', `/api/v1/admin/media/?q=${two.media_id}`)).body
  expect([two.variants.length, after.variants.length]).toEqual([2, 0])
  const event = (await audits()).at(-1)
  expect([event?.surface, event?.table_name, event?.user_id]).toEqual(['cli', 'admin_media', null])
})

it('takes the form only as a form', async () => {
  const { status } = await call('POST', '/api/v1/media/upload', { body: { file: 'x' } })
  expect(status).toBe(415)
  const broken = await send('POST', '/api/v1/media/upload', {
    body: 'x',
    headers: { 'Content-Type': 'multipart/form-data' },
  })
  expect([broken.status, broken.body.error]).toEqual([400, 'the form has no boundary'])
})
