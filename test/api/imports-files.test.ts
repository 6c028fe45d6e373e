import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { picture } from '../support/media.js'
import { testStorage } from '../support/storage.js'
import { zipOf } from '../support/zip.js'

const store = await testStorage()
const app = await testApp({ ...store.config, output_format: 'clean' })
const { call, send, db } = app
const root = '/api/v1/import'
let sea: Buffer

beforeAll(async () => {
  sea = await picture(80, 60).png().toBuffer()
})

async function ended(id: string) {
  for (;;) {
    const { body } = await call('GET', `${root}/${id}`)
    const isFree = (await db.count(internalTables.leases, { name: 'import' })) === 0
    if (body.status !== 'running' && isFree) return body
    await sleep(50)
  }
}

const upload = (
  system: string,
  content: string | Buffer,
  name: string,
  fields: Record<string, string> = {},
) => {
  const form = new FormData()
  for (const [member, value] of Object.entries(fields)) form.set(member, value)
  form.set('file', new File([typeof content === 'string' ? content : new Uint8Array(content)], name))
  return send('POST', `${root}/${system}`, { body: form })
}
const run = async (...given: Parameters<typeof upload>) => ended((await upload(...given)).body.import_id)

const page = (path: string) => call('GET', path, { as: 'nobody' })

describe('Markdown', () => {
  const blog = () =>
    zipOf({
      'blog/_config.yml': 'url: https://old.example\npermalink: /:title/',
      'blog/_posts/2020-01-02-first.md':
        '---\ntitle: First\ntags: [Sea]\nredirect_from: /old-first\n---\n![The sea](/img/sea.png) and [more](/second/).\n',
      'blog/_posts/2020-02-03-second.md': '---\ntitle: Second\n---\n<script>alert(1)</script>\n\n**Bold**\n',
      'blog/_posts/2020-02-04-broken.md': '---\n[\n---\n',
      'blog/img/sea.png': sea,
    })

  it('is imported with pictures, links, redirects and a report, and once', async () => {
    const preview = await run('markdown', blog(), 'blog.zip', { preview: 'true' })
    expect(preview).toMatchObject({ status: 'ready', preview: { files: 1, left_out: 1 } })
    expect(await db.countAll(tables.contentData)).toBe(0)
    const { body } = await call('POST', `${root}/${preview.import_id}/start`)
    const done = await ended(body.import_id)
    expect(done).toMatchObject({
      status: 'completed',
      result: { entries: 3, files: 1, left_out: 1, redirects: 1 },
    })
    const { verified } = done.result
    // The script of the second page has words. Tags have no address.
    expect(verified).toMatchObject({ equal: 2, different: 1, missing: 0, unasked: 0 })
    for (const name of ['states', 'addresses', 'pictures', 'links'])
      expect(verified.aspects[name].equal, name).toBe(verified.aspects[name].of)
    expect(verified.aspects.words).toEqual({ equal: 2, of: 3 })
    const first = await page('/first')
    expect(first.body).toMatchObject({ type: 'posts', _title: 'First', title: 'First' })
    expect(first.body.body).toMatch(/<img src="http[^"]+" alt="The sea"> and <a href="\/second">more<\/a>/)
    expect((await page('/second')).body.body).toBe('<p><strong>Bold</strong></p>')
    expect((await page('/old-first')).headers.get('location')).toBe('/first')
    const again = await run('markdown', blog(), 'blog.zip')
    expect(again.result).toMatchObject({ entries: 0, known: 3, files: 0 })
    const { body: rows } = await call('GET', `${root}/${again.import_id}/report?problems=true`)
    expect(rows[0]).toMatchObject({ kind: 'unread', source_id: 'blog/_posts/2020-02-04-broken.md' })
  })

  it('schedules a page of the future', async () => {
    const done = await run('markdown', '---\ntitle: Soon\ndate: 2999-01-01\n---\nSoon', 'soon.md')
    expect(done).toMatchObject({ status: 'completed', result: { entries: 1 } })
    expect((await page('/soon')).status).toBe(404)
    const { body: rows } = await call('GET', `${root}/${done.import_id}/report`)
    expect(rows).toMatchObject([{ source_id: 'soon.md', state: 'scheduled', address: '/soon' }])
  })
})

describe('Ghost', () => {
  it('is imported with its pictures, and shows nothing that was for members', async () => {
    const post = (id: string, more: object) => ({
      ...{
        id,
        title: `Post ${id}`,
        slug: `post-${id}`,
        status: 'published',
        created_at: '2023-01-01T00:00:00Z',
      },
      ...more,
    })
    const html =
      '<p>See <a href="__GHOST_URL__/post-2/">that</a></p><img src="__GHOST_URL__/content/images/sea.png">'
    const posts = [post('1', { html }), post('2', {}), post('3', { visibility: 'paid', html: '<p>Paid</p>' })]
    const file = JSON.stringify({ db: [{ data: { posts } }] })
    const done = await run(
      'ghost',
      zipOf({ 'x/ghost.json': file, 'x/content/images/sea.png': sea }),
      'ghost.zip',
    )
    expect(done).toMatchObject({ status: 'completed', result: { entries: 3, left_out: 0 } })
    expect((await page('/post-1')).body.body).toMatch(/<a href="\/post-2">that<\/a><\/p><img src="http[^"]+"/)
    expect((await page('/post-3')).status).toBe(404)
  })
})

describe('files that are missing', () => {
  const page = (id: string, names: readonly string[]) => ({
    ...{ id, title: `Page ${id}`, slug: `page-${id}`, status: 'published' },
    ...{ created_at: '2023-01-01T00:00:00Z' },
    html: names.map(name => `<img src="__GHOST_URL__/content/images/${name}">`).join(''),
  })
  const ghost = (posts: object[], files: Record<string, Buffer>) =>
    zipOf({ 'x/ghost.json': JSON.stringify({ db: [{ data: { posts } }] }), ...files })

  it('stop an import before its first entry if all are, and a later import has them', async () => {
    const before = await db.countAll(tables.contentData)
    const posts = [page('7', ['lost.png'])]
    const failed = await run('ghost', ghost(posts, {}), 'ghost.zip')
    expect(failed).toMatchObject({
      status: 'failed',
      error_message:
        'No file could be imported: 1 (lost.png: it is missing in the export). No entry was imported: make the files available, or import without files.',
    })
    expect(await db.countAll(tables.contentData)).toBe(before)
    const whole = await run('ghost', ghost(posts, { 'x/content/images/lost.png': sea }), 'ghost.zip')
    expect(whole).toMatchObject({ status: 'completed', result: { entries: 1, notes: [] } })
    expect((await call('GET', '/page-7', { as: 'nobody' })).body.body).toMatch(/<img src="http/)
  })

  it('are noted if others are there', async () => {
    const own = await picture(50, 40).png().toBuffer()
    const posts = [page('8', ['there.png', 'gone.png'])]
    const done = await run('ghost', ghost(posts, { 'x/content/images/there.png': own }), 'ghost.zip')
    expect(done).toMatchObject({ status: 'completed', result: { entries: 1, files: 1 } })
    expect(done.result.notes).toContain('Files are left out: 1 (gone.png: it is missing in the export).')
  })
})

describe('CSV', () => {
  it('is a datatype named as its file; another encoding is refused with the line', async () => {
    const table = 'slug,title,price\nsalt,Salt,1.5\npepper,Pepper,2\nbad\n'
    const done = await run('csv', table, 'My spices.csv')
    expect(done).toMatchObject({
      status: 'completed',
      result: { datatypes: 1, fields: 2, entries: 2, left_out: 1 },
    })
    expect((await page('/mySpices/salt')).body).toMatchObject({
      type: 'mySpices',
      title: 'Salt',
      price: '1.5',
    })
    const latin = await run('csv', Buffer.from('name\nCaf\xe9\n', 'latin1'), 'names.csv')
    expect(latin).toMatchObject({
      status: 'failed',
      error_message: expect.stringMatching(/^names\.csv: line 2 is not UTF-8/),
    })
  })
})
