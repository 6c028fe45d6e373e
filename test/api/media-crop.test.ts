import sharp from 'sharp'
import { describe, expect, it, vi } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { unavailable } from '../../src/errors.js'
import { testApp } from '../support/app.js'
import { animation, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config, webhook_enabled: true })
const { call, audits, db, users } = app
const upload = uploader(app)
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

const keyOf = (url: string) => decodeURIComponent(new URL(url).pathname).split('/').slice(2).join('/')
const item = async (id: string) => (await call('GET', `/api/v1/media/?q=${id}`)).body
const bytesAt = async (url: string) => Buffer.from((await storage.object(keyOf(url))).bytes)

type As = 'admin' | 'editor' | 'viewer' | 'nobody'
const crop = (id: string, body: unknown, { as = 'editor' as As, headers = {}, space = '' } = {}) =>
  call('PUT', `/api/v1${space}/media/${id}/crop`, { as, body, headers })
const reset = (id: string, { as = 'editor' as As } = {}) => call('DELETE', `/api/v1/media/${id}/crop`, { as })

/** The left half is red and the right one blue. */
const halves = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'red' } }).composite([
    {
      input: { create: { width: width / 2, height, channels: 3, background: 'blue' } },
      left: width / 2,
      top: 0,
    },
  ])
const colourOf = async (bytes: Buffer): Promise<'red' | 'blue' | 'both'> => {
  const { channels } = await sharp(bytes).stats()
  const [red, , blue] = channels.map(({ mean }) => mean > 200)
  return red ? 'red' : blue ? 'blue' : 'both'
}

describe('cropping an image', () => {
  it('shows a part at the same address, keeps the file, and is one audit event and one media event', async () => {
    const original = await halves(1200, 600).jpeg().toBuffer()
    const { body: media } = await upload('halves.jpg', original, { fields: { focal_x: '75', focal_y: '50' } })
    await app.subscribe(['media.updated'])
    const [before, sent] = [(await audits()).length, (await app.deliveries()).length]
    const part = { x: 600, y: 100, width: 500, height: 400 }
    const { status, body } = await crop(media.media_id, part)
    expect([status, body.error]).toEqual([200, undefined])
    expect(body).toMatchObject({
      media_id: media.media_id,
      url: media.url,
      width: 500,
      height: 400,
      focal_x: 60,
      focal_y: 50,
      crop: { ...part, uncropped_width: 1200, uncropped_height: 600 },
    })
    const shown = await bytesAt(media.url)
    expect(await colourOf(shown)).toBe('blue')
    expect(await sharp(shown).metadata()).toMatchObject({ width: 500, height: 400, format: 'jpeg' })
    expect(body.size).toBe(shown.byteLength)
    expect(body.variants.length).toBeGreaterThan(0)
    for (const { url } of body.variants) expect(await colourOf(await bytesAt(url))).toBe('blue')
    const keys = await storage.keys(`${media.media_id}/`)
    const row = await db.get(tables.media, media.media_id)
    expect(keys.toSorted()).toEqual(
      [media.url, ...body.variants.map(({ url }: { url: string }) => url)]
        .map(keyOf)
        .concat(row?.uncropped_key ?? '')
        .toSorted(),
    )
    expect(JSON.stringify(body)).not.toContain('uncropped_key')
    expect(
      (await audits())
        .slice(before)
        .map(({ operation, record_id, user_id }) => [operation, record_id, user_id]),
    ).toEqual([['UPDATE', media.media_id, users.editor]])
    expect((await app.deliveries()).slice(sent).map(({ event }) => event)).toEqual(['media.updated'])
    expect(await item(media.media_id)).toEqual(body)
    expect(await db.findAll(internalTables.mediaUploads)).toEqual([])
    const health = await call('GET', '/api/v1/media/health')
    expect(health.body).toMatchObject({ orphaned_objects: 0, missing_objects: 0 })
    await call('DELETE', '/api/v1/media/cleanup')

    const again = await crop(media.media_id, { x: 0, y: 0, width: 600, height: 600 })
    expect([again.status, again.body.width, again.body.focal_x]).toEqual([200, 600, null])
    expect(await colourOf(await bytesAt(media.url))).toBe('red')

    const undone = await reset(media.media_id)
    expect([undone.status, undone.body.width, undone.body.crop]).toEqual([200, 1200, undefined])
    expect(Buffer.compare(await bytesAt(media.url), original)).toBe(0)
    expect(await storage.keys(`${media.media_id}/`)).toHaveLength(1 + undone.body.variants.length)
    expect((await reset(media.media_id)).body).toEqual(undone.body)
  })

  it('is refused with everything as it was', async () => {
    const { body: media } = await upload('kept.png', await halves(400, 200).png().toBuffer())
    const { body: text } = await upload('plain.txt', 'text')
    const frames = await animation(40, 40, 3).gif().toBuffer()
    const { body: moving } = await upload('moving.gif', frames)
    const id = media.media_id
    const before = [await storage.keys(), (await audits()).length]
    const part = { x: 0, y: 0, width: 10, height: 10 }
    const refusals: [Awaited<ReturnType<typeof crop>>, number, RegExp][] = [
      [await crop(id, part, { as: 'nobody' }), 403, /./],
      [await crop(id, part, { as: 'viewer' }), 403, /./],
      [await reset(id, { as: 'viewer' }), 403, /./],
      [await crop(missing, part), 404, /./],
      [await reset(missing), 404, /./],
      [await crop('no-id', part), 404, /./],
      [await crop(text.media_id, part), 400, /^only png, jpg, webp and gif/],
      [await crop(moving.media_id, part), 400, /^animations cannot be cropped/],
      [
        await crop(id, { ...part, width: 401 }),
        400,
        /^width: must end inside the image, which has 400 × 200/,
      ],
      [await crop(id, { ...part, y: 191 }), 400, /^height: must end inside/],
      [await crop(id, { ...part, width: 0 }), 400, /^width:/],
      [await crop(id, { ...part, x: -1 }), 400, /^x:/],
      [await crop(id, { ...part, x: 1.5 }), 400, /^x:/],
      [await crop(id, { ...part, height: 1e308 }), 400, /^height:/],
      [await crop(id, { ...part, height: '10' }), 400, /^height:/],
      [await crop(id, { x: 0, y: 0, width: 10 }), 400, /^height:/],
      [await crop(id, { ...part, angle: 90 }), 400, /^angle:/],
      [await crop(id, [part]), 400, /./],
      [await crop(id, part, { headers: { 'If-Match': '"old"' } }), 412, /./],
    ]
    for (const [{ status, body }, wanted, words] of refusals)
      expect([status, body.error]).toEqual([wanted, expect.stringMatching(words)])
    expect([await storage.keys(), (await audits()).length]).toEqual(before)
    expect(await item(id)).toEqual(media)
  })

  it('stores nothing for the whole image, and removes a crop by it', async () => {
    const original = await halves(400, 200).png().toBuffer()
    const { body: media } = await upload('whole.png', original)
    const whole = { x: 0, y: 0, width: 400, height: 200 }
    expect((await crop(media.media_id, whole)).body).toEqual(media)
    expect((await crop(media.media_id, { ...whole, width: 200 })).body.width).toBe(200)
    const { body } = await crop(media.media_id, whole)
    expect([body.crop, Buffer.compare(await bytesAt(media.url), original)]).toEqual([undefined, 0])
  })

  it('crops as a photograph is shown, and leaves its metadata behind', async () => {
    const turned = await halves(400, 200).jpeg().withMetadata({ orientation: 6 }).toBuffer()
    const { body: media } = await upload('turned.jpg', turned)
    expect([media.width, media.height]).toEqual([200, 400])
    const { body } = await crop(media.media_id, { x: 0, y: 0, width: 200, height: 200 })
    const { width, height, exif } = await sharp(await bytesAt(body.url)).metadata()
    expect([width, height, exif]).toEqual([200, 200, undefined])
    expect(await colourOf(await bytesAt(body.url))).toBe('red')
  })

  it('stays while variants are made again, and ends with another file or the item', async () => {
    const { body: media } = await upload('again.png', await halves(1000, 500).png().toBuffer())
    const id = media.media_id
    await crop(id, { x: 0, y: 0, width: 500, height: 500 })
    const { body } = await call('POST', `/api/v1/media/${id}/regenerate`)
    expect([body.width, body.crop?.width]).toEqual([500, 500])
    for (const { url } of body.variants) expect(await colourOf(await bytesAt(url))).toBe('red')
    const moved = await call('PUT', `/api/v1/media/?q=${id}`, { body: { focal_x: 10, focal_y: 10 } })
    expect([moved.body.width, moved.body.crop?.width]).toEqual([500, 500])
    const form = new FormData()
    const other = await halves(600, 300).png().toBuffer()
    form.append('file', new Blob([other as BlobPart]), 'other.png')
    const request = new Request('http://x/', { method: 'POST', body: form })
    const headers = { 'Content-Type': request.headers.get('content-type') ?? '' }
    const replaced = await app.send('PUT', `/api/v1/media/${id}/file`, {
      body: await request.arrayBuffer(),
      headers,
    })
    expect([replaced.body.width, replaced.body.crop]).toEqual([600, undefined])
    expect(await storage.keys(`${id}/`)).toHaveLength(1 + replaced.body.variants.length)
    await crop(id, { x: 0, y: 0, width: 300, height: 300 })
    await call('DELETE', `/api/v1/media/?q=${id}`)
    expect(await storage.keys(`${id}/`)).toEqual([])
  })

  it('leaves image and files as they were when its record cannot be written', async () => {
    const original = await halves(400, 200).png().toBuffer()
    const { body: media } = await upload('lost.png', original)
    const before = await storage.keys(`${media.media_id}/`)
    const items = app.services.media.items as unknown as { change: () => Promise<unknown> }
    const failing = vi.spyOn(items, 'change').mockRejectedValueOnce(unavailable('no database', 1))
    const part = { x: 0, y: 0, width: 100, height: 100 }
    expect((await crop(media.media_id, part)).status).toBe(503)
    failing.mockRestore()
    expect(await storage.keys(`${media.media_id}/`)).toEqual(before)
    expect(Buffer.compare(await bytesAt(media.url), original)).toBe(0)
    expect((await crop(media.media_id, part)).status).toBe(200)
  })

  it('keeps the uploaded file while several people crop and reset at once', async () => {
    const original = await halves(400, 200).png().toBuffer()
    const { body: media } = await upload('raced.png', original)
    const parts = [100, 150, 200, 250].map(width => ({ x: 0, y: 0, width, height: 100 }))
    const answers = await Promise.all(parts.map(part => crop(media.media_id, part)))
    expect(answers.map(({ status }) => status)).toContain(200)
    for (const { status } of answers) expect([200, 409]).toContain(status)
    const { body } = await reset(media.media_id)
    expect([body.width, Buffer.compare(await bytesAt(media.url), original)]).toEqual([400, 0])
    expect(await storage.keys(`${media.media_id}/`)).toHaveLength(1 + body.variants.length)
  })

  it('works for admin media too', async () => {
    const { body } = await upload('admin.png', await halves(400, 200).png().toBuffer(), { space: '/admin' })
    const made = await crop(
      body.media_id,
      { x: 0, y: 0, width: 9, height: 9 },
      { as: 'admin', space: '/admin' },
    )
    expect([made.status, made.body.width]).toEqual([200, 9])
  })
})
