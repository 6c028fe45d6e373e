import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { create } from 'tar'
import { afterAll, describe, expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { download, openExport, openerOf } from '../../src/node/export-files.js'
import { outgoing } from '../../src/node/outgoing.js'
import type { Outgoing } from '../../src/ports.js'
import { testApp } from '../support/app.js'
import { scratchFolder } from '../support/backups.js'
import { factories } from '../support/factories.js'
import { picture } from '../support/media.js'
import { testStorage } from '../support/storage.js'
import { runHere } from '../support/terminal.js'

const folder = scratchFolder()
const store = await testStorage()
const app = await testApp(store.config)
const { db_driver, db_url } = app.config

function configured(name: string, more: object): string {
  const path = join(folder, `${name}.json`)
  writeFileSync(path, JSON.stringify({ db_driver, db_url, app_secret: 'a secret of this test', ...more }))
  return path
}
const config = configured('with-media', store.config)
const without = configured('without-media', {})
const line = (...words: string[]) => runHere(['import', ...words])

/** A small export of Contentful, whose one picture is beside it. */
const exported = {
  contentTypes: [
    {
      sys: { id: 'post' },
      name: 'Post',
      fields: [
        { id: 'title', name: 'Title', type: 'Symbol', required: true },
        { id: 'cover', name: 'Cover', type: 'Link', linkType: 'Asset', required: true },
      ],
    },
  ],
  locales: [{ code: 'en', name: 'English', default: true }],
  entries: ['One', 'Two'].map((title, i) => ({
    sys: {
      id: `p${i}`,
      contentType: { sys: { id: 'post' } },
      createdAt: `2024-01-0${i + 1}T00:00:00.000Z`,
      publishedVersion: 1,
    },
    fields: {
      title: { en: title },
      cover: { en: { sys: { type: 'Link', linkType: 'Asset', id: i === 0 ? 'a0' : 'a1' } } },
    },
  })),
  assets: ['a0', 'a1'].map(id => ({
    sys: { id, publishedVersion: 1 },
    fields: {
      title: { en: 'A bicycle' },
      file: {
        en: {
          url: `//images.invalid/s/${id}/x/bike.png`,
          fileName: 'bike.png',
          contentType: 'image/png',
        },
      },
    },
  })),
}
const source = join(folder, 'export')
const pictureIn = (root: string) => join(root, 'images.invalid/s/a0/x/bike.png')
mkdirSync(dirname(pictureIn(source)), { recursive: true })
writeFileSync(join(source, 'content.json'), JSON.stringify(exported))
writeFileSync(pictureIn(source), await picture(80, 60).png().toBuffer())
const archive = join(folder, 'export.tar.gz')
await create({ gzip: true, file: archive, cwd: source }, ['content.json', 'images.invalid'])
const single = join(source, 'content.json')

describe('slugline import', () => {
  it('shows what an export has, and stores nothing and needs no site', async () => {
    const nowhere = join(folder, 'no-such-configuration.json')
    const { code, out, err } = await line('contentful', archive, '--dry-run', '--json', '--config', nowhere)
    expect([code, err]).toEqual([0, ''])
    expect(JSON.parse(out)).toEqual({
      locales: ['en'],
      datatypes: [{ name: 'post', fields: 2, entries: 2, published: 2 }],
      files: 2,
      unread: [],
      notes: [],
    })
    const told = await line('contentful', single, '--dry-run', '--config', config)
    expect(told.out).toBe(
      'post: fields 2, entries 2, published 2\nLanguages: en.\nFiles: 2.\nNothing was stored.\n',
    )
    expect(await app.db.countAll(tables.datatypes)).toBe(0)
  })

  it('T20: refuses a site that is not there before it reads the export', async () => {
    const nowhere = join(folder, 'no-site.json')
    writeFileSync(nowhere, JSON.stringify({ db_driver: 'sqlite', db_url: join(folder, 'no.db') }))
    const broken = join(folder, 'broken.json')
    writeFileSync(broken, '{')
    const { code, err } = await line('contentful', broken, '--config', nowhere)
    expect([code, err]).toEqual([1, expect.stringContaining('does not exist')])
    const preview = await line('contentful', single, '--dry-run', '--config', nowhere)
    expect(preview).toMatchObject({ code: 0, out: expect.stringContaining('Not compared with a site: ') })
  })

  it('T20: a dry run says what collides with the model and the addresses, and an import stores nothing then', async () => {
    const own = await testApp()
    const here = join(folder, 'own.json')
    const { db_driver: driver, db_url: url, db_name, db_username, db_password } = own.config
    writeFileSync(here, JSON.stringify({ db_driver: driver, db_url: url, db_name, db_username, db_password }))
    const rows = factories(own)
    const { datatype_id } = await rows.datatype('Post')
    await rows.field(datatype_id, 'Title', 'number')
    await rows.field(datatype_id, 'Cover', 'text')
    const sentences = [
      'the field post.title already exists with the type number, but the import has the type text',
      'the field post.cover already exists with the type text, but the import has the type media',
    ]
    const dry = await line('contentful', single, '--dry-run', '--json', '--config', here)
    expect([dry.code, JSON.parse(dry.out).collisions]).toEqual([0, sentences])
    const told = await line('contentful', single, '--dry-run', '--config', here)
    for (const one of sentences) expect(told.out).toContain(`The import would be refused: ${one}\n`)
    const before = (await own.audits()).length
    const refused = await line('contentful', single, '--without-files', '--config', here)
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(sentences.join('\n'))])
    expect((await own.audits()).length).toBe(before)
  })

  it('refuses files where no storage is, and takes the rest without them', async () => {
    const refused = await line('contentful', source, '--config', without)
    expect([refused.code, refused.err]).toEqual([
      1,
      'slugline: the export has 2 files, but no storage for media is configured: configure one, or use --without-files\n',
    ])
    expect(await app.db.countAll(tables.datatypes)).toBe(0)
  })

  it('takes an archive: model, files, entries, and tells what is missing', async () => {
    const { code, out, err } = await line('contentful', archive, '--public', '--json', '--config', config)
    expect([code, err]).toEqual([0, ''])
    expect(JSON.parse(out)).toEqual({
      ...{ datatypes: 1, fields: 2, entries: 2, known: 0, files: 1, compat: {}, compat_stored: true },
      ...{ left_out: 0, redirects: 0 },
      notes: [
        expect.stringMatching(
          /^Files are left out, because the host name cannot be resolved \(\w+\): 1 \(bike\.png from images\.invalid\)\.$/,
        ),
        'References to files that the export does not have are left out: 1 (post p1: a1).',
        'Published entries become drafts, because they break a rule of their fields: 1 (post p1: fields.cover: is required).',
      ],
    })
    const { body } = await app.call('GET', '/api/v1/query/post', { as: 'nobody' })
    expect(body.data).toMatchObject([{ title: 'One' }])
    const media = await app.db.find(tables.media, { display_name: 'A bicycle' })
    expect(media).toMatchObject({ width: 80, height: 60, alt_text: 'A bicycle', author_id: app.users.admin })
    expect(await store.object(media?.object_key ?? '')).toBeDefined()
  })

  it('changes nothing when it is repeated, by another author too', async () => {
    const events = await app.db.count(internalTables.auditEvents, {})
    const { code, out } = await line('contentful', source, '--config', config)
    expect(code).toBe(0)
    expect(out).toContain('Created 0 datatypes, 0 fields, 0 entries and 0 files.\n2 entries already existed')
    expect(await app.db.count(internalTables.auditEvents, {})).toBe(events)
    const nobody = await line('contentful', source, '--author', 'no@example.com', '--config', config)
    expect([nobody.code, nobody.err]).toEqual([
      1,
      'slugline: no account has the e-mail address no@example.com\n',
    ])
  })

  it('is read back through the root of the system, published entries and drafts', async () => {
    const post = (id: string, more: object) => ({
      _id: id,
      _type: 'note',
      _createdAt: '2024-01-01T00:00:00Z',
      ...more,
    })
    const documents = [
      post('one', { title: 'Hello world', slug: { _type: 'slug', current: 'one' } }),
      post('drafts.two', { title: 'Later' }),
      post('three', { title: 'Has <b>three</b> words' }),
    ]
    const notes = join(folder, 'notes.ndjson')
    writeFileSync(notes, documents.map(one => JSON.stringify(one)).join('\n'))
    const report = join(folder, 'moved.ndjson')
    const run = async (...more: string[]) => {
      const { code, out } = await line(
        'sanity',
        notes,
        '--json',
        '--report',
        report,
        '--verify',
        '--config',
        config,
        ...more,
      )
      const rows: unknown[] = readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .map(row => JSON.parse(row))
      return { code, verified: JSON.parse(out).verified, rows }
    }
    const keys = await app.db.countAll(tables.tokens)
    const equal = { equal: 3, different: 0, missing: 0, unasked: 0, named: [] }
    const first = await run()
    expect(first).toMatchObject({ code: 0, verified: equal })
    expect(first.rows).toMatchObject([
      {
        source_id: 'one',
        state: 'published',
        address: '/notes/one',
        seen: 'equal',
        words: { before: 3, after: 3 },
      },
      { source_id: 'three', seen: 'equal' },
      { source_id: 'two', state: 'draft', seen: 'equal' },
    ])
    const found = await app.db.find(tables.contentFields, { field_value: 'Hello world' })
    const given = { as: 'admin' as const, body: { fields: { title: 'Bye' } } }
    const changed = await app.call('PUT', `/api/v1/content/${found?.content_data_id}`, given)
    expect(changed.status).toBe(200)
    await app.call('POST', '/api/v1/content/publish', {
      as: 'admin',
      body: { content_data_id: found?.content_data_id },
    })
    const again = await run('--public')
    expect(again.verified).toMatchObject({ equal: 2, different: 1, missing: 0 })
    expect(again.verified.named).toEqual(['note one: title Hello world, here Bye; words 3, here 2'])
    expect(again.rows[0]).toMatchObject({ seen: 'different' })
    expect(await app.db.countAll(tables.tokens)).toBe(keys)
  })

  it('reads children of children back, each list by its own name', async () => {
    const button = { _type: 'button', _key: 'k3', label: 'Read more' }
    const hero = { _type: 'hero', _key: 'k1', heading: 'Big news', buttons: [button] }
    const link = { _type: 'link', _key: 'm1', href: 'https://example.com' }
    const span = { _type: 'span', _key: 's1', marks: ['m1'], text: 'a link' }
    const body = [{ _type: 'block', _key: 'b1', style: 'normal', markDefs: [link], children: [span] }]
    const other = { _type: 'quote', _key: 'k2', text: 'Well said' }
    const page = {
      _id: 'front',
      _type: 'front',
      _createdAt: '2024-01-01T00:00:00Z',
      body,
      parts: [hero, other],
    }
    const pages = join(folder, 'pages.ndjson')
    writeFileSync(pages, JSON.stringify(page))
    const { code, out } = await line('sanity', pages, '--public', '--json', '--verify', '--config', config)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      compat: { front: { children: 'parts' }, hero: { children: 'buttons' } },
      compat_stored: true,
      verified: { equal: 1, different: 0, named: [] },
    })
    // Another process has stored the names, and this one answers by them without a restart.
    const query = encodeURIComponent('*[_type == "front"][0].parts[0].buttons[0].label')
    const answer = () =>
      app.call('GET', `/compat/sanity/v2024-01-01/data/query/x?query=${query}`, { as: 'nobody' })
    await app.services.configuration.follow()
    expect((await answer()).body.result).toBe('Read more')
  })

  it('shows drawings of Sanity as the pictures that they were there', async () => {
    const name = `${'ab'.repeat(20)}-130x44`
    const drawing = join(folder, 'drawing')
    mkdirSync(join(drawing, 'images'), { recursive: true })
    writeFileSync(join(drawing, `images/${name}.svg`), '<svg xmlns="http://www.w3.org/2000/svg"></svg>')
    const logo = { _type: 'image', _sanityAsset: `image@file://./images/${name}.svg` }
    const photo = `${'cd'.repeat(20)}-64x48`
    writeFileSync(join(drawing, `images/${photo}.png`), readFileSync(pictureIn(source)))
    const image = { _type: 'image', _sanityAsset: `image@file://./images/${photo}.png` }
    const card = { _type: 'card', image, note: 'JSON' }
    const brand = { _id: 'brand', _type: 'brand', _createdAt: '2024-01-01T00:00:00Z', logo, card }
    writeFileSync(join(drawing, 'data.ndjson'), JSON.stringify(brand))
    expect((await line('sanity', drawing, '--public', '--config', config)).code).toBe(0)
    const query = encodeURIComponent(
      '*[_type == "brand"][0]{logo, "asset": logo.asset->, "inJson": card.image.asset->_id}',
    )
    const { body } = await app.call('GET', `/compat/sanity/v2024-01-01/data/query/x?query=${query}`, {
      as: 'nobody',
    })
    const dimensions = { width: 130, height: 44 }
    expect(body.result).toMatchObject({
      logo: { _type: 'image', asset: { _ref: `image-${name}-svg` } },
      inJson: `image-${photo}-png`,
      asset: { _type: 'sanity.imageAsset', mimeType: 'image/svg+xml', metadata: { dimensions } },
    })
  })

  it('finds files in a folder that is named, and leaves them out where it is told to', async () => {
    const files = await line('contentful', single, '--files', dirname(pictureIn(source)), '--config', config)
    expect(files.out).toContain('and 0 files')
    expect(files.out).not.toContain('bike.png')
    const none = await line('contentful', single, '--without-files', '--config', without)
    expect(none.out).not.toContain('left out')
  })

  it.each([
    [['kontentful', source], 'there is no import from kontentful: did you mean contentful?'],
    [['contentful', join(folder, 'nothing')], 'the file or folder does not exist'],
    [['contentful', join(folder, 'bad.tar.gz')], 'cannot be unpacked'],
    [['contentful', pictureIn(source)], 'JSON'],
  ])('refuses what it cannot read: %s', async (words, problem) => {
    writeFileSync(join(folder, 'bad.tar.gz'), 'no archive')
    const { code, err } = await line(...words, '--config', config)
    expect(code).toBe(1)
    expect(err).toContain(problem)
  })
})

it('reads files, folders and archives by the same names', async () => {
  const names = ['content.json', 'images.invalid/s/a0/x/bike.png']
  for (const path of [source, archive]) {
    const opened = await openExport(path)
    expect([...opened.names].sort()).toEqual(names)
    expect(JSON.parse(await opened.text('content.json'))).toEqual(exported)
    const { size } = await opened.file(names[1] ?? '')
    expect(size).toBeGreaterThan(100)
    await expect(opened.file('../content.json')).rejects.toThrow('no file')
    await opened.close()
  }
})

describe('a file by its address', () => {
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/to/')) response.writeHead(302, { Location: `/${path.slice('/to/'.length)}` }).end()
    else if (path === '/loop') response.writeHead(302, { Location: '/loop' }).end()
    else if (path === '/file') response.end('content')
    else response.writeHead(404).end()
  })
  const listening = new Promise<string>(resolve =>
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    ),
  )
  afterAll(() => server.close())
  /** As if the server of the test were a public one. */
  const open: Pick<Outgoing, 'fetch'> = {
    fetch: (url, request, limits) => outgoing.fetch(url, request, { ...limits, allowedAddresses: 'any' }),
  }

  it('is fetched, by redirects too, and never from the network of the machine', async () => {
    const origin = await listening
    for (const path of ['/file', '/to/to/file']) {
      const file = await download(open, origin + path, 100)
      expect(file.size).toBe('content'.length)
      await file.discard()
    }
    await expect(download(open, `${origin}/none`, 100)).rejects.toThrow('responded with 404')
    await expect(download(open, `${origin}/loop`, 100)).rejects.toThrow('redirects too often')
    await expect(download(open, `${origin}/file`, 3)).rejects.toThrow('longer than 3 bytes')
    await expect(download(outgoing, 'file:///etc/passwd', 100)).rejects.toThrow('are not supported')
    await expect(download(outgoing, 'https://', 100)).rejects.toThrow('its URL is not valid')
  })

  it('says in words why a server gave no response', async () => {
    const origin = await listening
    const reason = (from: Pick<Outgoing, 'fetch'>, url: string) =>
      download(from, url, 100).catch(({ reason, host, isSilent }) => [reason, host, isSilent])
    const { host } = new URL(origin)
    expect(await reason(outgoing, `${origin}/file`)).toEqual(['its address is not public', host, true])
    expect(await reason(open, `${origin}/none`)).toEqual(['the server responded with 404', host, false])
    const failing = (code: string) => ({
      fetch: () =>
        Promise.reject(
          Object.assign(new TypeError('fetch failed'), { cause: Object.assign(Error(), { code }) }),
        ),
    })
    expect(await reason(failing('ECONNREFUSED'), 'http://old.example/a')).toEqual([
      ...['the connection was refused (ECONNREFUSED)', 'old.example', true],
    ])
    expect(await reason(failing('ENOTFOUND'), 'http://old.example/a')).toEqual([
      ...['the host name cannot be resolved (ENOTFOUND)', 'old.example', true],
    ])
    expect(await reason(failing('CERT_HAS_EXPIRED'), 'https://old.example/a')).toEqual([
      ...['the certificate of the server is not valid (CERT_HAS_EXPIRED)', 'old.example', true],
    ])
    const late = { fetch: () => Promise.reject(new DOMException('too late', 'TimeoutError')) }
    expect(await reason(late, 'https://old.example/a')).toEqual([
      ...['there was no response within 60 seconds', 'old.example', true],
    ])
  })

  it('asks a host that does not respond three times, and others on', async () => {
    const asked: string[] = []
    const silent = {
      fetch: (url: string) => {
        asked.push(url)
        if (url.startsWith('http://here.example')) return Promise.resolve(new Response('content'))
        return Promise.reject(new DOMException('too late', 'TimeoutError'))
      },
    }
    const exported = await openExport(single)
    const opener = openerOf(silent, exported, undefined, 100)
    const urls = ['a', 'b', 'c', 'd', 'e'].map(name => `http://gone.example/${name}`)
    for (const url of urls) await expect(opener({ url })).rejects.toThrow('no response within 60 seconds')
    expect(asked).toEqual(urls.slice(0, 3))
    const file = await opener({ url: 'http://here.example/a' })
    expect(file.size).toBe('content'.length)
    await file.discard()
  })
})
