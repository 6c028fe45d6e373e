import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { DatabaseAwayError } from '../../src/errors.js'
import { type Caller, testApp } from '../support/app.js'
import { scratchFolder } from '../support/backups.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const folder = scratchFolder()
const settings = {
  bucket_endpoint: `file:${folder}`,
  app_secret: 'a secret of this test',
  bucket_backup: 'backups',
  backup_option: 's3',
}
const app = await testApp(settings)
const { call, send, db, clock } = app
const upload = uploader(app)

const filesIn = (under = folder) =>
  readdirSync(under, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(under.length + 1))
    .toSorted()

/** Fetches bytes as nobody does with a session: what comes is for everybody. */
async function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await app.app.fetch(new Request(new URL(url, 'http://localhost'), { method, headers }), {
    address: '127.0.0.1',
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, bytes }
}

const jpeg = await picture(900, 600).jpeg().toBuffer()
const image = (await upload('Wall.JPG', jpeg)).body
const pathOf = (url: string) => new URL(url, 'http://localhost').pathname
const at = pathOf(image.url)
const keyOf = (url: string) => decodeURIComponent(pathOf(url)).split('/').slice(4).join('/')

describe('a file in a folder of this machine', () => {
  it('is served to everybody at the address of its record, as are its variants', async () => {
    expect(image.url).toMatch(/^http:\/\/localhost:8080\/api\/media\/media\/[0-9A-Z]{26}\/Wall\.jpg$/)
    const whole = await get(image.url)
    expect([whole.status, whole.bytes.equals(jpeg)]).toEqual([200, true])
    expect(Object.fromEntries(whole.headers)).toEqual({
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Accept-Ranges, Content-Length, Content-Range, ETag, X-Request-Id',
      'cache-control': 'public, max-age=300',
      'content-length': String(jpeg.length),
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
      'content-type': 'image/jpeg',
      'cross-origin-resource-policy': 'cross-origin',
      etag: expect.stringMatching(/^"[\w-]+"$/),
      'last-modified': expect.stringMatching(/GMT$/),
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    })
    expect(image.variants.length).toBeGreaterThan(1)
    for (const { url, mimetype, size } of image.variants) {
      const variant = await get(url)
      expect([variant.status, variant.bytes.length, variant.headers.get('content-type')]).toEqual([
        200,
        size,
        mimetype,
      ])
      expect(variant.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    }
    // The files have the names of the addresses, and nothing is beside them.
    const keys = [image.url, ...image.variants.map(({ url }: { url: string }) => url)].map(keyOf)
    expect(filesIn(join(folder, 'media'))).toEqual(keys.toSorted())
  })

  it('answers HEAD like GET, without the bytes', async () => {
    const [whole, head] = [await get(at), await get(at, { Range: 'bytes=0-1' }, 'HEAD')]
    const shown = ({ headers }: typeof head) => [...headers].filter(([name]) => name !== 'x-request-id')
    expect([head.status, head.bytes.length, shown(head)]).toEqual([200, 0, shown(whole)])
  })

  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=5-5', 5, 1],
    [`bytes=${jpeg.length - 3}-`, jpeg.length - 3, 3],
    ['bytes=-4', jpeg.length - 4, 4],
    [`bytes=-${jpeg.length + 9}`, 0, jpeg.length],
    [`bytes=10-${jpeg.length + 900}`, 10, jpeg.length - 10],
    ['bytes=0-999999999999999', 0, jpeg.length],
  ])('sends the range %s', async (Range, from, length) => {
    const part = await get(at, { Range })
    expect([part.status, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
      206,
      `bytes ${from}-${from + length - 1}/${jpeg.length}`,
      String(length),
    ])
    expect(part.bytes.equals(jpeg.subarray(from, from + length))).toBe(true)
  })

  it.each([`bytes=${jpeg.length}-`, `bytes=${jpeg.length + 5}-${jpeg.length + 9}`, 'bytes=-0'])(
    'has no range %s',
    async Range => {
      const none = await get(at, { Range })
      expect([none.status, none.headers.get('content-range'), none.bytes.length]).toEqual([
        416,
        `bytes */${jpeg.length}`,
        0,
      ])
    },
  )

  it.each([
    'bytes=0-1,4-5',
    'bytes=9-5',
    'bytes=a-b',
    'items=0-1',
    'bytes=',
    'bytes=-',
    `bytes=0-${'9'.repeat(99)}`,
  ])('answers the range %j with the whole file', async Range => {
    const whole = await get(at, { Range })
    expect([whole.status, whole.bytes.length]).toEqual([200, jpeg.length])
  })

  it('is not sent again while it is unchanged, and no rest of another content', async () => {
    const { headers } = await get(at)
    const [etag, modified] = [headers.get('etag') ?? '', headers.get('last-modified') ?? '']
    for (const condition of [
      { 'If-None-Match': etag },
      { 'If-None-Match': `"other", W/${etag}` },
      { 'If-None-Match': '*' },
      { 'If-Modified-Since': modified },
    ]) {
      const unchanged = await get(at, condition)
      expect([condition, unchanged.status, unchanged.headers.get('etag')]).toEqual([condition, 304, etag])
      expect(unchanged.headers.get('content-length')).toBeNull()
    }
    const changed = [
      { 'If-None-Match': '"other"' },
      // The tag decides where there are both.
      { 'If-None-Match': '"other"', 'If-Modified-Since': modified },
      { 'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
      { 'If-Modified-Since': 'yesterday' },
    ]
    for (const condition of changed)
      expect([condition, (await get(at, condition)).status]).toEqual([condition, 200])
    const Range = 'bytes=0-9'
    for (const same of [etag, modified]) expect((await get(at, { Range, 'If-Range': same })).status).toBe(206)
    for (const other of ['"other"', `W/${etag}`, 'Thu, 01 Jan 1970 00:00:00 GMT'])
      expect([other, (await get(at, { Range, 'If-Range': other })).status]).toEqual([other, 200])
  })

  it('is a download if a browser would run it, and HTML is plain bytes', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const html = '<!doctype html><html><script>alert(1)</script></html>'
    for (const [name, text, type] of [
      ['a.svg', svg, 'image/svg+xml'],
      ['a.html', html, 'application/octet-stream'],
      ['a.xml', '<?xml version="1.0"?><a/>', 'application/octet-stream'],
      ['a.txt', 'a text', 'text/plain'],
    ] as const) {
      const { body } = await upload(name, text)
      const { status, headers, bytes } = await get(body.url)
      expect([name, status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
        name,
        200,
        expect.stringContaining(type),
        'attachment',
      ])
      expect(headers.get('content-security-policy')).toContain('sandbox')
      expect(bytes.toString()).toBe(text)
    }
  })

  it('of many megabytes arrives whole, in small pieces', async () => {
    const own = { bucket_endpoint: `file:${scratchFolder()}`, max_upload_size: 60_000_000 }
    const large = await testApp({ ...settings, ...own })
    const bytes = randomBytes(40_000_000)
    const { body } = await uploader(large)('large.bin', bytes)
    const response = await large.app.fetch(new Request(new URL(body.url, 'http://localhost')), {})
    const pieces: Uint8Array[] = []
    for await (const piece of response.body ?? []) pieces.push(piece)
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
    expect(Math.max(...pieces.map(piece => piece.byteLength))).toBeLessThanOrEqual(2 ** 18)
  })
})

describe('what is not there for everybody', () => {
  it.each([
    '/api/media',
    '/api/media/',
    '/api/media/media',
    '/api/media/media/',
    '/api/media/other/01ARZ3NDEKTSV4RRFFQ69G5FAV/Wall.jpg',
    '/api/media/media/01ARZ3NDEKTSV4RRFFQ69G5FAV/Wall.jpg',
    `${at}x`,
    `${at}/`,
    `${at}/x`,
    at.replace('/Wall', '//Wall'),
    at.replace('Wall.jpg', 'wall.jpg'),
    at.replace('Wall.jpg', '.incoming'),
    '/api/media/media/..%2f..%2fetc%2fpasswd',
    '/api/media/media/%2e%2e/%2e%2e/etc/passwd',
    '/api/media/..%2f../x',
    `/api/media/media/..%5c..%5cx`,
    `${at}%00`,
    `${at}%2f..%2fWall.jpg`,
    '/api/media/media/%E0%A4%A',
    '/api/media/media/%FF',
    `/api/media/media/${'a/'.repeat(3000)}`,
    `/api/media/media/${'a'.repeat(9000)}`,
  ])('%s is a 404', async path => {
    const missing = await get(path)
    expect([missing.status, JSON.parse(missing.bytes.toString())]).toEqual([
      404,
      { error: 'not found', code: 'not_found' },
    ])
    expect([missing.headers.get('cache-control'), missing.headers.get('x-content-type-options')]).toEqual([
      'no-store',
      'nosniff',
    ])
  })

  it('takes no other method, and answers the preflight of pages', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const refused = await get(at, {}, method)
      expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
    }
    const ask = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'GET' }
    const preflight = await get(at, ask, 'OPTIONS')
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  })

  it('includes files that no record names', async () => {
    const [id = ''] = keyOf(image.url).split('/')
    writeFileSync(join(folder, 'media', id, 'other.txt'), 'beside')
    expect((await get(`/api/media/media/${id}/other.txt`)).status).toBe(404)
    const health = (await call('GET', '/api/v1/media/health')).body
    expect(health.orphaned_keys).toEqual([`${id}/other.txt`])
    expect((await call('DELETE', '/api/v1/media/cleanup')).body).toMatchObject({
      deleted_count: 1,
      failed_count: 0,
    })
    expect((await get(at)).status).toBe(200)
  })

  it('includes files whose item is deleted, and no file of it stays', async () => {
    const { body } = await upload('gone.jpg', jpeg)
    expect((await get(body.url)).status).toBe(200)
    expect((await call('DELETE', `/api/v1/media/${body.media_id}`)).status).toBe(204)
    const urls = [body.url, ...body.variants.map(({ url }: { url: string }) => url)]
    for (const url of urls) expect((await get(url)).status).toBe(404)
    expect(filesIn().filter(name => name.includes(body.media_id))).toEqual([])
  })

  it('includes files that somebody has removed from the folder', async () => {
    const { body } = await upload('lost.txt', 'lost')
    unlinkSync(join(folder, 'media', keyOf(body.url)))
    expect((await get(body.url)).status).toBe(404)
    expect((await call('GET', '/api/v1/media/health')).body.missing_objects).toBe(1)
    await call('DELETE', `/api/v1/media/${body.media_id}`)
  })

  it('is anything while no folder is configured', async () => {
    const store = await testStorage()
    for (const config of [{}, store.config]) {
      const other = await testApp(config)
      expect((await other.call('GET', at, { as: 'nobody' })).status).toBe(404)
    }
  })

  it('is unavailable while the database is away, and not missing', async () => {
    const away = vi.spyOn(db, 'findIn').mockRejectedValue(new DatabaseAwayError())
    try {
      expect((await get(at)).status).toBe(503)
    } finally {
      away.mockRestore()
    }
  })
})

describe('a signed address', () => {
  const signedUrl = async (as: Caller = 'viewer') => {
    const answer = await call('GET', `/api/v1/media/${image.media_id}/download`, { as })
    return { status: answer.status, address: answer.headers.get('location') ?? '' }
  }

  it('downloads a file under the name of its record, until it expires', async () => {
    expect((await signedUrl('nobody')).status).toBe(403)
    const { status, address } = await signedUrl()
    expect([status, address]).toEqual([302, expect.stringContaining(`${at}?`)])
    const file = await get(address)
    expect([file.status, file.bytes.equals(jpeg)]).toEqual([200, true])
    expect(file.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''Wall.JPG")
    expect(file.headers.get('cache-control')).toBe('private, no-store')
    expect((await get(address, { Range: 'bytes=0-3' })).status).toBe(206)
    clock.advance(299_000)
    expect((await get(address)).status).toBe(200)
    clock.advance(1000)
    const late = await get(address)
    expect([late.status, JSON.parse(late.bytes.toString())]).toEqual([
      403,
      { error: 'this address has expired', code: 'forbidden' },
    ])
  })

  it('is refused if anything about it was changed', async () => {
    const { address } = await signedUrl()
    const changed = (change: (url: URL) => void) => {
      const url = new URL(address, 'http://localhost')
      change(url)
      return `${url.pathname}${url.search}`
    }
    const other = keyOf(image.variants[0].url)
    const forged = [
      changed(url => url.searchParams.set('expires', '99999999999')),
      changed(url => url.searchParams.set('expires', '')),
      changed(url => url.searchParams.set('expires', 'NaN')),
      changed(url => url.searchParams.delete('expires')),
      changed(url => url.searchParams.set('name', 'invoice.exe')),
      changed(url => url.searchParams.set('signature', '')),
      changed(url => url.searchParams.set('signature', 'A'.repeat(43))),
      changed(url => url.searchParams.set('signature', '%%%')),
      address.replace(at, `/api/media/media/${other}`),
      address.replace('/api/media/media/', '/api/media/backups/'),
    ]
    for (const one of forged) expect([one, (await get(one)).status]).toEqual([one, 403])
  })

  it('is the only way to a backup, which is for administrators', async () => {
    const { body: begun } = await call('POST', '/api/v1/admin/backups')
    const record = async () => (await call('GET', `/api/v1/admin/backups/?q=${begun.backup_id}`)).body
    await vi.waitFor(async () => expect((await record()).status).not.toBe('running'), { timeout: 180_000 })
    const { status, location, size_bytes } = await record()
    expect([status, location]).toEqual(['completed', expect.stringMatching(/^backups\/backups\/slugline-/)])
    expect(filesIn(join(folder, 'backups'))).toEqual([location.slice('backups/'.length)])
    expect((await get(`/api/media/${location}`)).status).toBe(404)
    // Not with a signature for another object either.
    const { address } = await signedUrl()
    expect((await get(`/api/media/${location}${new URL(address, 'http://x').search}`)).status).toBe(403)
    const path = `/admin/backups/${begun.backup_id}/archive`
    expect((await call('GET', path, { as: 'editor' })).status).toBe(403)
    const redirect = await call('GET', path)
    expect(redirect.status).toBe(303)
    const archive = await get(redirect.headers.get('location') ?? '')
    expect([archive.status, archive.bytes.length, archive.headers.get('content-type')]).toEqual([
      200,
      size_bytes,
      'application/octet-stream',
    ])
    expect(archive.headers.get('content-disposition')).toMatch(
      /^attachment; filename\*=UTF-8''slugline-.*gz$/,
    )
  })
})

describe('media in a folder', () => {
  it('are replaced at their address, with another tag', async () => {
    const { body } = await upload('again.jpg', jpeg)
    const before = await get(body.url)
    const form = new FormData()
    const next = await picture(800, 500).jpeg().toBuffer()
    form.append('file', new Blob([next as BlobPart]), 'new.jpg')
    const request = new Request('http://x/', { method: 'POST', body: form })
    const headers = { 'Content-Type': request.headers.get('content-type') ?? '' }
    const path = `/api/v1/media/${body.media_id}/file`
    const replaced = await send('PUT', path, { body: await request.arrayBuffer(), headers })
    expect([replaced.status, replaced.body.url]).toEqual([200, body.url])
    const after = await get(body.url, { 'If-None-Match': before.headers.get('etag') ?? '' })
    expect([after.status, after.bytes.equals(next)]).toEqual([200, true])
    for (const { url } of body.variants) expect((await get(url)).status).toBe(404)
    for (const { url } of replaced.body.variants) expect((await get(url)).status).toBe(200)
    const health = (await call('GET', '/api/v1/media/health')).body
    expect([health.orphaned_objects, health.missing_objects]).toEqual([0, 0])
  })

  it('of presets that differ by case or by signs alone have files of their own', async () => {
    for (const [label, fit] of [
      ['Card', 'cover'],
      ['card', 'inside'],
      ['a b', 'cover'],
      ['a-b', 'inside'],
    ])
      await call('POST', '/api/v1/media-dimensions', { body: { label, width: 300, height: 200, fit } })
    const { body } = await upload('cards.jpg', jpeg)
    const keys = body.variants.map(({ url }: { url: string }) => keyOf(url))
    expect(keys.length).toBeGreaterThanOrEqual(8)
    expect(new Set(keys.map((key: string) => key.toLowerCase())).size).toBe(keys.length)
    for (const { url, size } of body.variants)
      expect([url, statSync(join(folder, 'media', keyOf(url))).size]).toEqual([url, size])
  })

  it('of both spaces are in one bucket, or in one each', async () => {
    const admin = (await upload('panel.txt', 'of the panel', { space: '/admin' })).body
    expect([pathOf(admin.url).split('/')[3], (await get(admin.url)).bytes.toString()]).toEqual([
      'media',
      'of the panel',
    ])
    const other = scratchFolder()
    const apart = await testApp({ ...settings, bucket_admin_endpoint: `file:${other}` })
    const own = (await uploader(apart)('own.txt', 'own', { space: '/admin' })).body
    const shown = await apart.call('GET', pathOf(own.url), { as: 'nobody' })
    expect([shown.status, shown.text, filesIn(other).length]).toEqual([200, 'own', 1])
    const shared = (await uploader(apart)('shared.txt', 'shared')).body
    expect((await apart.call('GET', pathOf(shared.url), { as: 'nobody' })).text).toBe('shared')
    expect(readFileSync(join(folder, 'media', keyOf(shared.url)), 'utf8')).toBe('shared')
  })

  it('are refused with a reason while the folder cannot be written, and nothing is lost', async () => {
    const place = join(scratchFolder(), 'media')
    writeFileSync(place, '')
    const broken = await testApp({ ...settings, bucket_endpoint: `file:${place}` })
    expect((await broken.call('GET', '/api/v1/health')).body.checks.storage).toBe(false)
    const refused = await uploader(broken)('a.txt', 'a text')
    expect([refused.status, refused.body]).toEqual([
      503,
      { error: 'the media folder is a file: nothing was stored', code: 'unavailable' },
    ])
    expect(await broken.db.findAll(tables.media)).toEqual([])
    expect(await broken.db.findAll(internalTables.mediaUploads)).toEqual([])
    expect((await broken.audits()).filter(({ table_name }) => table_name === 'media')).toEqual([])
    rmSync(place)
    expect((await uploader(broken)('a.txt', 'a text')).status).toBe(201)
  })

  it('have addresses with the host that the configuration names', async () => {
    const urlWith = async (config: object) =>
      (await uploader(await testApp({ ...settings, ...config }))('a.txt', 'a')).body.url
    const key = /[0-9A-Z]{26}\/a\.txt$/.source
    for (const [config, start] of [
      [{ port: '127.0.0.1:9000' }, 'http://localhost:9000/api/media/media/'],
      [{ client_site: 'https://www.example.com/' }, 'https://www.example.com/api/media/media/'],
      [
        { environment: 'production', client_site: 'example.com', tls: 'off' },
        'https://example.com/api/media/media/',
      ],
      [{ environment: 'production', tls: 'off' }, '/api/media/media/'],
      [{ bucket_public_url: 'https://cdn.example/files/' }, 'https://cdn.example/files/media/'],
      [{ bucket_public_url: 'https://cdn.example', bucket_force_path_style: false }, 'https://cdn.example/'],
      [
        { bucket_force_path_style: false, bucket_media: 'pictures' },
        'http://localhost:8080/api/media/pictures/',
      ],
      [{ bucket_media_prefix: '/my/files/' }, 'http://localhost:8080/api/media/media/my/files/'],
    ] as const)
      expect(await urlWith(config)).toMatch(new RegExp(`^${start.replaceAll('.', '\\.')}${key}`))
  })

  it('are shown in the panel wherever it is', async () => {
    for (const [config, origin] of [
      [{}, 'http://localhost:8080'],
      [{ environment: 'production', tls: 'off' }, "'self'"],
    ] as const) {
      const { headers, status } = await (await testApp({ ...settings, ...config })).call(
        'GET',
        '/admin/media',
      )
      expect([status, headers.get('content-security-policy')]).toEqual([
        200,
        expect.stringContaining(`img-src 'self' ${origin === "'self'" ? '' : `${origin} `}data:`),
      ])
    }
  })
})
