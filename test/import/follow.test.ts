import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { blog, editorKey, reached } from '../compat/sample.js'
import { type TestApp, testApp } from '../support/app.js'
import { scratchFolder } from '../support/backups.js'
import { runHere } from '../support/terminal.js'

const folder = scratchFolder()
let sites = 0

/** An empty site, with the command that imports into it. */
async function target() {
  const app = await testApp()
  const { db_driver, db_url, db_name, db_username, db_password } = app.config
  const config = join(folder, `site-${sites++}.json`)
  writeFileSync(config, JSON.stringify({ db_driver, db_url, db_name, db_username, db_password }))
  const words = (system: string, ...more: string[]) =>
    ['import', system, '--without-files', '--public', '--json', '--config', config, ...more] as const
  return {
    app,
    run: (system: string, key: string | undefined, ...more: string[]) =>
      runHere(words(system, ...more), { variables: key === undefined ? {} : { SOURCE_TOKEN: key } }),
    /** Begins to follow. @returns ends it as Ctrl-C does, and gives its result */
    follow(system: string, key: string, ...more: string[]) {
      const stopping = new AbortController()
      const ended = runHere(words(system, '--follow', '--every', '1', ...more), {
        variables: { SOURCE_TOKEN: key },
        stopped: stopping.signal,
      })
      return {
        ended,
        stop: () => {
          stopping.abort()
          return ended
        },
      }
    },
  }
}

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  for (let i = 0; i < 300 && !(await isSo()); i++) await sleep(100)
  expect(await isSo()).toBe(true)
}

async function entryAt(app: TestApp, slug: string) {
  const route = await app.db.find(tables.routes, { slug })
  return route ? app.db.find(tables.contentData, { route_id: route.route_id }) : undefined
}

async function valuesAt(app: TestApp, id: string): Promise<Record<string, string>> {
  const rows = await app.db.findAll(tables.contentFields, { content_data_id: id })
  const fields = await app.db.findIn(
    tables.fields,
    'field_id',
    rows.map(row => row.field_id),
  )
  const names = new Map(fields.map(field => [field.field_id, field.name]))
  return Object.fromEntries(rows.map(row => [names.get(row.field_id) ?? '', row.field_value]))
}

const edit = async (app: TestApp, id: string, fields: object) => {
  app.clock.advance(1000)
  const { status, body } = await app.call('PUT', `/api/v1/content/${id}`, { body: { fields } })
  expect([status, status === 200 ? '' : body]).toEqual([200, ''])
}

describe('WordPress', async () => {
  const source = await blog({ client_site: '127.0.0.1' })
  const url = `${await reached(source.app)}/compat/wordpress`
  const lists = ['--types', 'posts,pages']

  it('is imported by its address, and a second time nothing is made', async () => {
    const { app, run } = await target()
    const { code, out, err } = await run('wordpress', editorKey, '--from', url, ...lists)
    expect([code, err]).toEqual([0, ''])
    const made = JSON.parse(out)
    expect(made).toMatchObject({ left_out: 0 })
    const post = await entryAt(app, '/blog/post-2')
    expect(post).toMatchObject({ status: 'published' })
    const values = await valuesAt(app, post?.content_data_id ?? '')
    expect(values).toMatchObject({ body: '<p>Hello <strong>rider</strong> 2</p>', excerpt: 'Short 2' })
    expect(await entryAt(app, '/blog/draft')).toMatchObject({ status: 'draft' })
    const count = await app.db.countAll(tables.contentData)
    const again = await run('wordpress', editorKey, '--from', url, ...lists)
    expect(JSON.parse(again.out)).toMatchObject({ entries: 0, known: made.entries })
    const updated = await run('wordpress', editorKey, '--from', url, '--update', ...lists)
    expect(JSON.parse(updated.out)).toMatchObject({ entries: 0, changes: { updated: 0, left: [] } })
    expect(await app.db.countAll(tables.contentData)).toBe(count)
  })

  it('is followed: what only one side has changed stays or arrives, what both have is listed', async () => {
    const { app, follow, run } = await target()
    const first = await run('wordpress', editorKey, '--from', url, ...lists)
    expect(first.code).toBe(0)
    const [there, both, , gone] = source.posts.slice(2)
    const here = async (n: number) => (await entryAt(app, `/blog/post-${n}`))?.content_data_id ?? ''
    await edit(app, await here(4), { excerpt: 'Ours too' })
    await edit(app, await here(5), { excerpt: 'Ours' })
    const count = await app.db.countAll(tables.contentData)

    await edit(source.app, both?.content_data_id ?? '', { excerpt: 'Theirs too' })
    const following = follow('wordpress', editorKey, '--from', url, ...lists)
    await sleep(1500)
    await edit(source.app, there?.content_data_id ?? '', {
      excerpt: 'Theirs',
      categories: JSON.stringify([source.tips.content_data_id]),
    })
    await until(async () => (await valuesAt(app, await here(3))).excerpt === 'Theirs')
    const categories = JSON.parse((await valuesAt(app, await here(3))).categories ?? '[]')
    const [tips] = categories as string[]
    expect(await valuesAt(app, tips ?? '')).toMatchObject({ slug: 'tips' })

    source.app.clock.advance(1000)
    const { route_id } = await source.make.route('/blog/new', 'A new one')
    const { datatype_id } = source.types.post
    await source.make.entry(datatype_id, { route_id }, { status: 'published', fields: { excerpt: 'New' } })
    await until(async () => (await entryAt(app, '/blog/new')) !== undefined)

    source.app.clock.advance(1000)
    const id = source.draft.content_data_id
    await source.app.call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
    await until(async () => (await entryAt(app, '/blog/draft'))?.status === 'published')

    expect((await source.app.call('DELETE', `/api/v1/content/${gone?.content_data_id}`)).status).toBe(204)
    // Deletions are seen when all records are read, every tenth round.
    await sleep(10_500)
    const { code, out, err } = await following.stop()
    expect([code, err.includes('Error')]).toEqual([0, false])
    const { changes, entries } = JSON.parse(out)
    expect(entries).toBe(1)
    expect(changes.updated).toBeGreaterThanOrEqual(2)
    expect(changes.deleted).toBe(0)
    expect(changes.left).toEqual(
      expect.arrayContaining([
        { record: expect.stringMatching(/^post:/), id: await here(4), why: 'changed on both sides' },
        { record: expect.stringMatching(/^post:/), id: await here(6), why: 'deleted there' },
      ]),
    )
    expect(changes.left).toHaveLength(2)
    expect(await valuesAt(app, await here(4))).toMatchObject({ excerpt: 'Ours too' })
    expect(await valuesAt(app, await here(5))).toMatchObject({ excerpt: 'Ours' })
    expect(await app.db.countAll(tables.contentData)).toBe(count + 1)

    const deleted = await run('wordpress', editorKey, '--from', url, '--update', '--delete', ...lists)
    expect(JSON.parse(deleted.out).changes).toMatchObject({
      deleted: 1,
      left: [{ why: 'changed on both sides' }],
    })
    expect(await entryAt(app, '/blog/post-6')).toBeUndefined()
    // Its address is free for another record, and the trash makes the page again.
    expect(await app.db.find(tables.routes, { slug: '/blog/post-6' })).toBeUndefined()
    const [trashed] = (await app.call('GET', '/api/v1/trash')).body
    const restored = await app.call('POST', '/api/v1/trash/restore', { body: { trash_id: trashed.trash_id } })
    expect([restored.status, restored.body.slug]).toEqual([200, '/blog/post-6'])

    // What is deleted here stays so, whatever changes there.
    const second = await here(2)
    expect((await app.call('DELETE', `/api/v1/content/${second}`)).status).toBe(204)
    await edit(source.app, source.posts[1]?.content_data_id ?? '', { excerpt: 'Later' })
    const last = await run('wordpress', editorKey, '--from', url, '--update', ...lists)
    const { left } = JSON.parse(last.out).changes
    expect(left).toContainEqual({
      ...{ record: expect.stringMatching(/^post:/), id: second, why: 'deleted here' },
    })
    expect(await entryAt(app, '/blog/post-2')).toBeUndefined()
  }, 60_000)
})

describe('Strapi', async () => {
  const source = await blog()
  const url = `${await reached(source.app)}/compat/strapi/api`
  const lists = ['--types', 'posts,categories,authors']

  /** The id here of a document, by its id there. */
  const here = async (app: TestApp, id: string) =>
    (await app.db.get(internalTables.sourceIds, `strapi document ${id}`))?.content_data_id ?? ''

  it('is imported and followed, with its relations', async () => {
    const { app, run, follow } = await target()
    const refused = await run('strapi', editorKey, '--from', url)
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--types')])
    const first = await run('strapi', editorKey, '--from', url, ...lists)
    expect([first.code, first.err]).toEqual([0, ''])
    const [one, two, three] = source.posts.map(post => post.content_data_id)
    const id = await here(app, one ?? '')
    expect(await app.db.get(tables.contentData, id)).toMatchObject({ status: 'published' })
    const values = await valuesAt(app, id)
    expect(values).toMatchObject({ excerpt: 'Short 1', price: '1.5', date: '2026-01-01', hot: 'false' })
    expect(values.author).toContain(await here(app, source.ann.content_data_id))
    const draft = await here(app, source.draft.content_data_id)
    expect(await app.db.get(tables.contentData, draft)).toMatchObject({ status: 'draft' })

    const count = await app.db.countAll(tables.contentData)
    await edit(app, await here(app, two ?? ''), { excerpt: 'Ours too' })
    await edit(app, await here(app, three ?? ''), { price: 7 })
    await edit(source.app, two ?? '', { excerpt: 'Theirs too' })
    const following = follow('strapi', editorKey, '--from', url, ...lists)
    await sleep(1500)
    await edit(source.app, one ?? '', {
      excerpt: 'Theirs',
      categories: JSON.stringify([source.tips.content_data_id]),
    })
    await until(async () => (await valuesAt(app, id)).excerpt === 'Theirs')
    expect((await valuesAt(app, id)).categories).toContain(await here(app, source.tips.content_data_id))
    const { code, out } = await following.stop()
    const { entries, changes } = JSON.parse(out)
    expect([code, entries, changes.left]).toEqual([
      ...[0, 0],
      [{ record: expect.any(String), id: await here(app, two ?? ''), why: 'changed on both sides' }],
    ])
    expect(await valuesAt(app, await here(app, two ?? ''))).toMatchObject({ excerpt: 'Ours too' })
    expect(await valuesAt(app, await here(app, three ?? ''))).toMatchObject({ price: '7' })
    expect(await app.db.countAll(tables.contentData)).toBe(count)
  }, 60_000)
})

/** A Strapi with authors and articles, which describes its types. */
async function describedStrapi() {
  const relation = (kind: string, target: string, more: object) => ({
    ...{ type: 'relation', relation: kind, target: `api::${target}.${target}`, ...more },
  })
  const type = (name: string, attributes: object) => ({
    uid: `api::${name}.${name}`,
    schema: { kind: 'collectionType', singularName: name, pluralName: `${name}s`, attributes },
  })
  const types = [
    type('author', {
      name: { type: 'string' },
      articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
    }),
    type('article', {
      title: { type: 'string' },
      author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
    }),
  ]
  const articles = ['one', 'two', 'three', 'four']
  const times = { createdAt: '2024-01-01T00:00:00.000Z', updatedAt: '2024-01-02T00:00:00.000Z' }
  const document = (id: number, documentId: string, isDraft = false) => ({
    ...{ id, documentId, ...times, publishedAt: isDraft ? null : times.updatedAt },
  })
  const drafts = new Set(['two'])
  const article = (name: string) => document(articles.indexOf(name) + 10, name, drafts.has(name))
  const site = { names: new Map([['ann', 'Ann']]), written: ['one', 'two', 'three'] }
  const lists: Record<string, (isDraft: boolean) => unknown> = {
    '/content-type-builder/content-types': () => ({ data: types }),
    '/i18n/locales': () => [],
    '/upload/files': () => [],
    '/authors': isDraft => ({
      data: [...(isDraft ? [] : site.names)].map(([id, name], i) => ({
        ...{ ...document(i + 1, id), name, articles: site.written.map(article) },
      })),
    }),
    '/articles': isDraft => ({
      data: articles
        .filter(name => drafts.has(name) === isDraft)
        .map(name => ({
          ...{ ...article(name), title: `Number ${name}` },
          author: site.written.includes(name) ? document(1, 'ann') : null,
        })),
    }),
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://strapi.test')
    const found = lists[pathname.slice('/api'.length)]
    const answer = found?.(searchParams.get('status') === 'draft')
    response.writeHead(answer ? 200 : 404).end(JSON.stringify(answer ?? { error: { status: 404 } }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => server.close().closeAllConnections())
  return { site, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api` }
}

describe('a Strapi that describes its types', async () => {
  const { url, site } = await describedStrapi()

  it('has both sides of its relations here, without what was deleted here', async () => {
    const { app, run } = await target()
    const first = await run('strapi', 'a key', '--from', url)
    expect([first.code, JSON.parse(first.out).entries]).toEqual([0, 5])
    const ids = await app.db.findAll(internalTables.sourceIds)
    const here = (id: string) =>
      ids.find(row => row.source_key === `strapi document ${id}`)?.content_data_id ?? ''
    const namesOf = async (id: string, field: string) => {
      const named = (await valuesAt(app, here(id)))[field] ?? ''
      return ['ann', 'one', 'two', 'three', 'four'].filter(one => named.includes(here(one)))
    }
    expect(await namesOf('ann', 'articles')).toEqual(['one', 'two', 'three'])
    expect(await namesOf('one', 'author')).toEqual(['ann'])
    expect(await namesOf('four', 'author')).toEqual([])

    expect((await app.call('DELETE', `/api/v1/content/?q=${here('three')}`)).status).toBe(204)
    site.written.push('four')
    const second = await run('strapi', 'a key', '--from', url, '--update')
    const { entries, changes, notes } = JSON.parse(second.out)
    expect([second.code, entries, changes]).toEqual([0, 0, { updated: 2, deleted: 0, left: [] }])
    expect(notes).toContain(
      'References to entries that were deleted here are left out: 1 (author api::author.author ann: api::article.article three).',
    )
    expect(await namesOf('ann', 'articles')).toEqual(['one', 'two', 'four'])
    expect(await namesOf('four', 'author')).toEqual(['ann'])
  })
})

describe('Contentful and Sanity', async () => {
  const source = await blog({ client_site: '127.0.0.1' })
  const origin = await reached(source.app)

  it.each([
    ['contentful', 'Entry', '/compat/contentful/spaces/s/environments/master', []],
    [
      'sanity',
      'document',
      '/compat/sanity/v2025-02-19/data/query/production',
      ['--types', 'post,category,author'],
    ],
  ])('%s is imported by its address, and updated', async (system, kind, path, lists) => {
    const { app, run } = await target()
    const from = ['--from', origin + path, ...lists]
    const first = await run(system, editorKey, ...from)
    expect([first.code, first.err]).toEqual([0, ''])
    const rows = await app.db.findAll(internalTables.sourceIds)
    const here = async (id = '') =>
      rows.find(row => row.source_key.startsWith(`${system} ${kind} `) && row.source_key.endsWith(id))
        ?.content_data_id ??
      rows.find(row => row.source_key.endsWith(id))?.content_data_id ??
      ''
    const [one, two] = source.posts.map(post => post.content_data_id)
    expect(await valuesAt(app, await here(one))).toMatchObject({ price: '1.5', date: '2026-01-01' })
    const count = await app.db.countAll(tables.contentData)
    await edit(source.app, one ?? '', { excerpt: `From ${system}` })
    await edit(source.app, two ?? '', { excerpt: `Both ${system}` })
    await edit(app, await here(two), { excerpt: 'Ours' })
    const second = await run(system, editorKey, ...from, '--update')
    const { entries, changes } = JSON.parse(second.out)
    expect([second.code, entries, changes]).toEqual([
      ...[0, 0],
      {
        ...{ updated: 1, deleted: 0 },
        left: [{ record: expect.any(String), id: await here(two), why: 'changed on both sides' }],
      },
    ])
    expect(await valuesAt(app, await here(one))).toMatchObject({ excerpt: `From ${system}` })
    expect(await valuesAt(app, await here(two))).toMatchObject({ excerpt: 'Ours' })
    expect(await app.db.countAll(tables.contentData)).toBe(count)
  })
})

it('Ghost is imported by its address with the key in the query, and updated', async () => {
  const author = { id: 'a1', name: 'Ann', slug: 'ann' }
  const tag = { id: 't1', name: 'News', slug: 'news', visibility: 'public' }
  const common = { visibility: 'public', created_at: '2024-01-01T10:00:00.000+02:00' }
  const posts = ['One', 'Two'].map((title, i) => ({
    ...{ ...common, id: `p${i}`, title, slug: title.toLowerCase(), html: `<p>${title}</p>` },
    ...{ updated_at: '2024-02-01T10:00:00.000+02:00', published_at: '2024-01-02T10:00:00.000+02:00' },
    ...{ tags: [tag], authors: [author] },
  }))
  const keys = new Set<string | null>()
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
    keys.add(searchParams.get('key'))
    const lists: Readonly<Record<string, unknown>> = {
      settings: { url: 'http://127.0.0.1/' },
      ...{ posts, pages: [], tags: [tag], authors: [author] },
    }
    const name = pathname.split('/').at(-2) ?? ''
    response.end(JSON.stringify({ [name]: lists[name] }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => server.close().closeAllConnections())
  const from = ['--from', `http://127.0.0.1:${(server.address() as AddressInfo).port}`]
  const { app, run } = await target()
  const first = await run('ghost', 'a key', ...from)
  expect([first.code, first.err, JSON.parse(first.out).entries]).toEqual([0, '', 4])
  expect([...keys]).toEqual(['a key'])
  const id = (await entryAt(app, '/one'))?.content_data_id ?? ''
  expect(await valuesAt(app, id)).toMatchObject({ title: 'One', body: '<p>One</p>' })
  Object.assign(posts[0] ?? {}, {
    slug: 'first',
    html: '<p>Changed</p>',
    updated_at: '2024-03-01T10:00:00.000+02:00',
  })
  const second = await run('ghost', 'a key', ...from, '--update')
  expect(JSON.parse(second.out)).toMatchObject({ entries: 0, changes: { updated: 1, left: [] } })
  expect((await entryAt(app, '/first'))?.content_data_id).toBe(id)
  expect(await valuesAt(app, id)).toMatchObject({ body: '<p>Changed</p>' })
})

describe('a source that fails', async () => {
  const source = await blog({ client_site: '127.0.0.1' })
  const origin = await reached(source.app)
  const lists = ['--types', 'posts']

  /** A server before the source, which may do something else with a request. */
  async function inFront(other: (path: string, response: Parameters<RequestListener>[1]) => boolean) {
    const server = createServer((request, response) => {
      const path = request.url ?? ''
      if (other(path, response)) return
      void fetch(origin + path, { headers: { authorization: request.headers.authorization ?? '' } }).then(
        async answer => {
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
        },
      )
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    afterAll(() => server.close().closeAllConnections())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/compat/wordpress`
  }

  it('is asked again after 500, 429 and a closed connection', async () => {
    const failures: ((response: Parameters<RequestListener>[1]) => unknown)[] = [
      response => response.writeHead(500).end('{}'),
      response => response.writeHead(429, { 'retry-after': '1' }).end('{}'),
      response => response.writeHead(200, { 'content-length': '1000' }).write('[') && response.destroy(),
      response => response.destroy(),
    ]
    let asked = 0
    const url = await inFront((path, response) => {
      if (!path.includes('/posts')) return false
      return asked++ % 2 === 0 && failures.shift()?.(response) !== undefined
    })
    const { app, run } = await target()
    const { code, err } = await run('wordpress', editorKey, '--from', url, ...lists)
    expect([code, err]).toEqual([0, ''])
    expect(failures).toHaveLength(4 - Math.ceil(asked / 2))
    expect(failures.length).toBeLessThan(3)
    expect(await entryAt(app, '/blog/post-12')).toBeDefined()
  }, 60_000)

  it('is told apart: a wrong key, no API, and pages without an end', async () => {
    const { app, run } = await target()
    const from = `${origin}/compat/wordpress`
    const wrong = await run('wordpress', 'wrong', '--from', from, ...lists)
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/SOURCE_TOKEN.* HTTP 401/)])
    const other = await run('wordpress', undefined, '--from', `${origin}/nothing`)
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('HTTP 404')])
    const page = JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id: id + 1, type: 'post' })))
    const endless = await inFront((path, response) => {
      if (path.includes('/posts')) response.writeHead(200).end(page)
      return path.includes('/posts')
    })
    const refused = await run('wordpress', undefined, '--from', endless, ...lists)
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('posts: the pages of the source do not end'),
    ])
    expect(await app.db.countAll(tables.contentData)).toBe(0)
  }, 60_000)

  it('refuses calls that cannot be meant', async () => {
    const { run } = await target()
    const wordsOf = async (...more: string[]) => {
      const { code, err } = await run('wordpress', undefined, ...more)
      return [code, err]
    }
    expect(await wordsOf('--from', 'ftp://old.example')).toEqual([
      1,
      expect.stringContaining('http or https'),
    ])
    expect(await wordsOf('--from', 'http://a:b@old.example')).toEqual([
      1,
      expect.stringContaining('SOURCE_TOKEN'),
    ])
    expect(await wordsOf()).toEqual([2, expect.stringContaining('--from <url>')])
    expect(await wordsOf('some.xml', '--from', origin)).toEqual([2, expect.any(String)])
    expect(await wordsOf('some.xml', '--follow')).toEqual([
      2,
      expect.stringContaining('--follow needs --from'),
    ])
    expect(await wordsOf('--from', origin, '--every', '5')).toEqual([2, expect.any(String)])
    expect(await wordsOf('--from', origin, '--follow', '--every', '0')).toEqual([2, expect.any(String)])
    expect(await wordsOf('--from', origin, '--delete')).toEqual([2, expect.any(String)])
    const none = await run('csv', undefined, '--from', origin)
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('csv has no live API')])
  })
})
