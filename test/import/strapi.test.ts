import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import type {
  ExportFiles,
  ImportedEntry,
  ImportedSite,
  ImportedValues,
} from '../../src/services/import/site.js'
import { readStrapi } from '../../src/systems/strapi/import/index.js'

function exportOf(texts: Readonly<Record<string, string>>): ExportFiles {
  const read = (name: string): string => {
    const text = texts[name]
    if (text === undefined) throw new Error(`${name} is not there`)
    return text
  }
  return {
    names: Object.keys(texts),
    text: async name => read(name),
    async *lines(name) {
      yield* read(name).split('\n')
    },
  }
}

const folder = join(import.meta.dirname, '../fixtures/import/strapi')
/** What Strapi 5.41.1 exported, with ids of documents that can be read and without its own types. */
const fixture: Record<string, string> = Object.fromEntries(
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(path => [relative(folder, path), readFileSync(path, 'utf8')]),
)

const lines = (...records: object[]): string => records.map(record => JSON.stringify(record)).join('\n')

/** An export by its parts. */
const made = (schemas: object[], entities: object[] = [], links: object[] = []) =>
  exportOf({
    'schemas/schemas_00001.jsonl': lines(...schemas),
    'entities/entities_00001.jsonl': lines(...entities),
    'links/links_00001.jsonl': lines(...links),
  })

const type = (name: string, attributes: object, more: object = {}) => ({
  uid: `api::${name}.${name}`,
  modelType: 'contentType',
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: true },
  attributes,
  ...more,
})
const component = (uid: string, attributes: object) => ({ uid, modelType: 'component', info: {}, attributes })
const row = (name: string, id: number, data: object) => ({ type: `api::${name}.${name}`, id, data })
const published = { publishedAt: '2026-01-02T00:00:00.000Z', createdAt: '2026-01-01T00:00:00.000Z' }

/** Values without what says of which kind they are, and keys without `api::<type>.<type>`. */
const valuesOf = (values: ImportedValues): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if ('entries' in value) return [name, { entries: value.entries.map(short) }]
      return [name, 'value' in value ? value.value : value]
    }),
  )
const short = (key: string): string => key.replace(/^api::\S+ /, '')

function shown({ key, type: kind, values, translations, children, isPublished }: ImportedEntry): object {
  return {
    key: short(key),
    type: kind,
    ...(isPublished ? {} : { isPublished }),
    values: valuesOf(values),
    ...(translations?.de ? { de: valuesOf(translations.de) } : {}),
    ...(children ? { children: children.map(shown) } : {}),
  }
}
const entryOf = ({ entries }: ImportedSite, key: string): object | undefined => {
  const found = entries.find(entry => short(entry.key) === key)
  return found && shown(found)
}
const fieldsOf = ({ types }: ImportedSite, name: string) =>
  types.find(one => one.name === name)?.fields.map(({ label: _, ...field }) => field)

describe('an export of Strapi 5', () => {
  const site = () => readStrapi(exportOf(fixture))

  it('has its types under the names that front ends ask for', async () => {
    const { types, locales } = await site()
    expect(types.map(({ name, hasPages, compat }) => [name, hasPages, compat])).toEqual([
      ['article', false, { children: 'blocks', blocks: ['content'] }],
      ['author', false, undefined],
      ['category', false, undefined],
      ['detail', false, undefined],
      ['homepage', false, { children: 'sections', blocks: ['intro'] }],
      ['newsItem', false, { strapi: 'news' }],
      ['gallery', false, { component: 'blocks.gallery', children: 'slides' }],
      ['hero', false, { component: 'blocks.hero' }],
      ['richText', false, { component: 'blocks.rich-text' }],
      ['teaser', false, { component: 'blocks.teaser' }],
      ['seo', false, { component: 'shared.seo' }],
      ['slide', false, { component: 'shared.slide' }],
    ])
    expect(locales).toEqual([
      { code: 'en', label: 'English (en)' },
      { code: 'de', label: 'German (de)' },
    ])
  })

  it('has the fields with their settings', async () => {
    const translatable = true
    const many = { cardinality: 'many' }
    expect(fieldsOf(await site(), 'article')).toEqual([
      { name: 'title', type: 'text', data: { maxLength: 80 }, required: true, translatable },
      { name: 'slug', type: 'slug', data: { unique: true }, required: true, translatable },
      { name: 'body', type: 'textarea', translatable },
      { name: 'content', type: 'richtext', translatable },
      { name: 'summary', type: 'textarea', data: { maxLength: 300 }, translatable },
      { name: 'date', type: 'date' },
      { name: 'eventAt', type: 'datetime' },
      { name: 'startsAt', type: 'text' },
      { name: 'rating', type: 'number', data: { integer: true, min: 1, max: 5 } },
      { name: 'views', type: 'number', data: { integer: true } },
      { name: 'price', type: 'number' },
      { name: 'weight', type: 'number' },
      { name: 'featured', type: 'boolean', data: { default: false } },
      { name: 'mood', type: 'select', data: { options: ['calm', 'bright'], default: 'calm' } },
      { name: 'contact', type: 'email' },
      { name: 'meta', type: 'json' },
      { name: 'sku', type: 'text', data: { pattern: '^[A-Z]{2}-\\d+$', unique: true } },
      { name: 'cover', type: 'media', data: { kinds: ['image'] } },
      { name: 'gallery', type: 'media', data: many },
      { name: 'author', type: 'relation', data: { target: 'author' }, translatable },
      { name: 'categories', type: 'relation', data: { ...many, target: 'category' }, translatable },
      { name: 'details', type: 'relation', data: { target: 'detail' }, translatable },
      { name: 'related', type: 'relation', data: { ...many, target: 'article' }, translatable },
      { name: 'subject', type: 'relation', data: many, translatable },
      { name: 'main', type: 'relation', translatable },
      { name: 'seo', type: 'relation', data: { target: 'seo' }, translatable },
      { name: 'links', type: 'json', translatable },
      { name: 'opening', type: 'json' },
      { name: 'slides', type: 'relation', data: { ...many, target: 'slide' } },
    ])
    expect((await site()).types[1]?.fields.map(({ label }) => label)).toEqual([
      ...['Name', 'Email', 'Photo', 'Articles'],
    ])
  })

  it('has an article with its parts in two languages', async () => {
    const found = await site()
    const link = { isExternal: false }
    expect(entryOf(found, 'article-hello')).toEqual({
      key: 'article-hello',
      type: 'article',
      values: {
        title: 'Hello',
        slug: 'hello',
        body: '# Hi\n\nSome **bold** text with ![a](/uploads/x.png)',
        content: {
          html:
            '<h2>Head &amp; tail</h2><p>Some <strong>bold</strong> and <s><u><em>all</em></u></s> ' +
            '<code>x&lt;y</code> <a href="https://example.com/?a=1&amp;b=2">a link</a>.<br>next line</p>' +
            '<ul><li>one<ol><li>one a</li></ol></li><li>two</li></ul><blockquote><p>To be</p></blockquote>' +
            '<pre><code class="language-js">if (a &lt; b)\n  go()</code></pre><p></p><img src="import:file:1" alt="A red field">',
        },
        summary: 'Two\nlines',
        date: '2026-01-31',
        eventAt: '2026-02-01T10:00:00.000Z',
        startsAt: '09:30:00.000',
        rating: 4,
        views: '9007199254740992',
        price: 12.5,
        weight: 0.25,
        featured: true,
        mood: 'bright',
        contact: 'x@example.com',
        meta: { a: [1, null, { b: 'c' }] },
        sku: 'AB-1',
        cover: { files: ['1'] },
        gallery: { files: ['2', '3', '1'] },
        author: { entries: ['author-ada'] },
        categories: { entries: ['category-world', 'category-news'] },
        details: { entries: ['detail-a-detail'] },
        seo: { entries: ['shared.seo 2'] },
        links: [
          { id: 5, label: 'One', url: '/one', ...link },
          { id: 6, label: 'Two', url: 'https://example.com', isExternal: true },
        ],
        opening: [
          { id: 10, day: 'mon', from: '08:00:00.000', link: { id: 15, label: 'More', url: '/m', ...link } },
          { id: 9, day: 'tue', from: null, link: null },
        ],
        slides: { entries: ['shared.slide 15', 'shared.slide 16'] },
      },
      de: {
        title: 'Hallo',
        slug: 'hallo',
        body: '# Hallo',
        content: { html: '<p>Grüße</p>' },
        summary: 'Kurz',
        author: { entries: ['author-ada'] },
        seo: { entries: ['shared.seo 4'] },
        links: [{ id: 12, label: 'Eins', url: '/eins', ...link }],
        categories: { entries: [] },
        related: { entries: [] },
        subject: { entries: [] },
      },
      children: [
        {
          key: 'blocks.hero 2',
          type: 'hero',
          values: {
            heading: 'Hero',
            text: '**md**',
            image: { files: ['1'] },
            links: [{ id: 8, label: 'Go', url: '/go', ...link }],
          },
          de: {
            heading: 'Held',
            text: 'de',
            image: { files: ['2'] },
            links: [{ id: 14, label: 'Los', url: '/los', ...link }],
          },
        },
        {
          key: 'blocks.rich-text 3',
          type: 'richText',
          values: { body: 'Text *one*' },
          de: { body: 'Text eins' },
        },
        {
          key: 'blocks.teaser 2',
          type: 'teaser',
          values: { heading: 'Tease', category: { entries: ['category-news'] } },
          de: { heading: 'Neckt', articles: { entries: [] } },
        },
        {
          key: 'blocks.gallery 2',
          type: 'gallery',
          values: { title: 'G' },
          de: { title: 'G de' },
          children: [
            {
              key: 'shared.slide 7',
              type: 'slide',
              values: { caption: 'GS1', picture: { files: ['1'] } },
              de: { caption: 'GS1 de', picture: { files: ['1'] } },
            },
            { key: 'shared.slide 8', type: 'slide', values: { caption: 'GS2' } },
          ],
        },
        {
          key: 'blocks.rich-text 4',
          type: 'richText',
          values: { body: 'Text two' },
          de: { body: 'Text zwei' },
        },
      ],
    })
    expect(found.entries.map(({ key }) => short(key)).slice(6, 11)).toEqual([
      ...['shared.seo 2', 'shared.slide 15', 'shared.slide 16', 'shared.seo 4', 'article-hello'],
    ])
    expect(entryOf(found, 'shared.seo 4')).toEqual({
      key: 'shared.seo 4',
      type: 'seo',
      values: { metaTitle: 'Meta hallo', shareImage: { files: ['2'] } },
    })
  })

  it('has what is published and else drafts, and both sides of relations', async () => {
    const found = await site()
    const of = (key: string) => found.entries.find(entry => short(entry.key) === key)
    expect(of('article-second')).toMatchObject({
      isPublished: true,
      createdAt: '2026-11-23T19:42:17.372Z',
      publishedAt: '2026-11-23T19:42:17.392Z',
      values: { title: { value: 'Second' }, related: { entries: ['api::article.article article-hello'] } },
    })
    expect(of('article-second')?.translations).toBeUndefined()
    expect(of('article-draft-only')).toMatchObject({
      isPublished: false,
      values: {
        related: { entries: ['api::article.article article-second', 'api::article.article article-hello'] },
      },
    })
    expect(of('article-draft-only')?.publishedAt).toBeUndefined()
    expect(entryOf(found, 'article-nur-deutsch')).toMatchObject({
      values: { title: 'Nur deutsch', slug: 'nur-deutsch' },
      de: { title: 'Nur deutsch', slug: 'nur-deutsch' },
    })
    expect(entryOf(found, 'author-ada')).toMatchObject({
      values: { photo: { files: ['2'] }, articles: { entries: ['article-hello', 'article-second'] } },
    })
    expect(entryOf(found, 'category-news')).toEqual({
      key: 'category-news',
      type: 'category',
      values: {
        name: 'News',
        slug: 'news',
        articles: { entries: ['article-hello', 'article-second'] },
        parts: { entries: ['category-world'] },
        mainOf: { entries: ['article-second'] },
      },
    })
    expect(entryOf(found, 'homepage-home')).toMatchObject({
      de: { title: 'Start' },
      children: [
        { type: 'hero', values: { heading: 'Home hero' } },
        { type: 'richText', values: { body: 'Home text' }, de: { body: 'Anders' } },
      ],
    })
  })

  it('has the files without their formats, and says what is not taken over', async () => {
    const { files, notes } = await site()
    const shown = files.map(({ ids, ...file }) => Object.values(file).filter(value => value !== undefined))
    expect(files.map(({ ids = [] }) => ids.at(-1))).toEqual(['1', '2', '3'].map(id => ({ kind: 'file', id })))
    expect(shown).toEqual([
      ['1', 'red.png', 'A red field', 'Red', expect.stringMatching(/^assets\/uploads\/red_\w+\.png$/)],
      ['2', 'blue.png', 'A blue field', expect.stringMatching(/^assets\/uploads\/blue_\w+\.png$/)],
      ['3', 'notes.txt', expect.stringMatching(/^assets\/uploads\/notes_\w+\.txt$/)],
    ])
    expect(notes).toEqual([
      'Passwords are left out: 1 (article.secret).',
      'Private fields are left out, because the public sees all fields of an entry: 1 (article.internal).',
      'Unpublished changes are left out: the published state is imported: 1 (article).',
      'Draft translations of published entries are left out: 1 (article).',
      'Components that are missing in a translation appear in it too: 2 (gallery.slides, homepage.sections).',
      'Documents without the default language get their texts in it too: 1 (article).',
      'Accounts of visitors and data of plugins are left out: 1 (plugin::users-permissions.user).',
      'Types that were not public in Strapi need an API key: 1 (detail).',
      'Markdown stays unchanged, and so do the addresses of files in it: 3 (article.body, hero.text, richText.body).',
      'Accounts, roles, permissions, keys, webhooks and settings of Strapi are left out.',
    ])
  })
})

it('reads version 4, where links make one document of languages', async () => {
  const localized = { pluginOptions: { i18n: { localized: true } } }
  const localizations = { type: 'relation', relation: 'oneToMany', target: 'api::post.post' }
  const pair = (ref: number, to: number) => ({
    kind: 'relation.circular',
    left: { type: 'api::post.post', ref, field: 'localizations' },
    right: { type: 'api::post.post', ref: to },
  })
  const { entries, locales } = await readStrapi(
    made(
      [type('post', { title: { type: 'string', ...localized }, localizations }, localized)],
      [
        row('post', 1, { title: 'One', locale: 'en', ...published }),
        row('post', 2, { title: 'Eins', locale: 'de', ...published }),
        row('post', 3, { title: 'Draft', locale: 'en', publishedAt: null }),
      ],
      [pair(1, 2), pair(2, 1)],
    ),
  )
  expect(locales.map(({ code }) => code)).toEqual(['en', 'de'])
  expect(entries.map(shown)).toEqual(
    [
      { key: 'api::post.post 3', type: 'post', isPublished: false, values: { title: 'Draft' } },
      { key: 'api::post.post 1', type: 'post', values: { title: 'One' }, de: { title: 'Eins' } },
    ].map(entry => ({ ...entry, key: short(entry.key) })),
  )
})

it('leaves out rules that published content breaks, and those that are not known', async () => {
  const found = await readStrapi(
    made(
      [
        type('post', {
          code: { type: 'string', required: true, unique: true, maxLength: 3, regex: '(?=a)' },
          kind: { type: 'enumeration', enum: ['a'] },
          parts: { type: 'component', component: 'a.a', repeatable: true, min: 1 },
          more: { type: 'component', component: 'a.a', repeatable: true, min: 1, max: 3 },
          most: { type: 'component', component: 'a.a', repeatable: true, max: 1 },
          contact: { type: 'email' },
        }),
        component('a.a', { picture: { type: 'media' } }),
      ],
      [
        row('post', 4, {
          documentId: 'd',
          code: 'a',
          more: [{ id: 1 }],
          most: [{ id: 2 }, { id: 3 }],
          ...published,
        }),
        row('post', 1, { documentId: 'a', code: 'long', kind: 'b', contact: 'nobody', ...published }),
        row('post', 2, { documentId: 'b', code: 'long', ...published }),
        row('post', 3, { documentId: 'c', ...published }),
      ],
    ),
  )
  expect(fieldsOf(found, 'post')).toEqual([
    { name: 'code', type: 'text' },
    { name: 'kind', type: 'select', data: { options: ['a', 'b'] } },
    { name: 'more', type: 'relation', data: { cardinality: 'many', target: 'a', minItems: 1, maxItems: 3 } },
    { name: 'most', type: 'relation', data: { cardinality: 'many', target: 'a' } },
    { name: 'contact', type: 'textarea' },
  ])
  expect(found.notes.slice(0, 3)).toEqual([
    'Unsupported rules are left out: 2 (post.parts, post.code: pattern).',
    'Rules that published entries break are left out: 4 (post.code: maxLength, post.code: unique, post.code: required and others).',
    'Fields with values that do not fit their type become text fields: 1 (post.contact).',
  ])
})

it('has a second zone as relations, and names that are taken by numbers', async () => {
  const zone = { type: 'dynamiczone', components: ['shared.post'] }
  const plain = { type: 'dynamiczone', components: ['shared.plain'] }
  const found = await readStrapi(
    made(
      [
        type('post', { first: zone, second: zone, third: plain, '1st': { type: 'string' } }),
        component('shared.post', { text: { type: 'string' }, picture: { type: 'media' } }),
        component('shared.plain', { text: { type: 'string' } }),
      ],
      [
        row('post', 1, {
          documentId: 'a',
          first: [{ __component: 'shared.post', id: 1, text: 'A' }],
          second: [
            { __component: 'shared.post', id: 2, text: 'B' },
            { __component: 'other.gone', id: 3 },
          ],
          third: [
            { __component: 'shared.plain', id: 4, text: 'C' },
            { __component: 'other.gone', id: 5 },
          ],
          '1st': 'x',
        }),
      ],
    ),
  )
  expect(found.types.map(({ name, compat }) => [name, compat])).toEqual([
    ['post', { children: 'first' }],
    ['sharedPost', { component: 'shared.post' }],
  ])
  expect(found.entries.map(shown)).toEqual([
    { key: 'shared.post 2', type: 'sharedPost', isPublished: false, values: { text: 'B' } },
    {
      key: 'a',
      type: 'post',
      isPublished: false,
      values: {
        second: { entries: ['shared.post 2'] },
        third: [{ __component: 'shared.plain', id: 4, text: 'C' }],
        x1st: 'x',
      },
      children: [{ key: 'shared.post 1', type: 'sharedPost', isPublished: false, values: { text: 'A' } }],
    },
  ])
  expect(found.notes.slice(0, 3)).toEqual([
    'Further dynamic zones of a type become relations to several entries: 1 (post.second).',
    'Fields get a different name: 1 (post.1st is x1st).',
    'Components whose schema the export does not have are left out: 1 (second).',
  ])
})

it('takes damaged and hostile exports without harm', async () => {
  let deep: object = { id: 0 }
  for (let id = 1; id < 100; id++) deep = { id, part: deep }
  let block: object = { type: 'text', text: 'x' }
  for (let i = 0; i < 100; i++) block = { type: 'list', children: [block] }
  const found = await readStrapi(
    made(
      [
        type('post', {
          constructor: { type: 'string' },
          part: { type: 'component', component: 'a.a' },
          plain: { type: 'component', component: 'a.b' },
          text: { type: 'blocks' },
          gone: { type: 'component', component: 'no.such' },
        }),
        component('a.a', { part: { type: 'component', component: 'a.a' }, picture: { type: 'media' } }),
        component('a.b', { part: { type: 'component', component: 'a.b' } }),
      ],
      [
        row('post', 1, {
          documentId: '__proto__',
          part: deep,
          plain: deep,
          text: [block, null, 3],
          gone: {},
        }),
      ],
      [
        {
          kind: 'relation.basic',
          left: { type: 'api::post.post', ref: 1, field: 'x' },
          right: { type: 'y', ref: 9 },
        },
      ],
    ),
  )
  expect(found.entries).toHaveLength(21)
  expect(Object.keys(found.entries.at(-1)?.values ?? {})).toEqual(['part', 'plain', 'text'])
  expect(found.notes).toContain('Components that are nested too deeply are left out: 1 (a.a).')
})

it.each([
  [{ 'export.tar.gz.enc': '' }, 'the export is encrypted: create one with strapi export --no-encrypt'],
  [
    { 'a.txt': '' },
    'this is not an export of Strapi: it has no schemas. Create one with strapi export --no-encrypt',
  ],
  [{ 'schemas/schemas_00001.jsonl': '{' }, 'schemas/schemas_00001.jsonl, line 1: must be JSON'],
  [{ 'schemas/schemas_00001.jsonl': '{"uid":3}' }, 'schemas/schemas_00001.jsonl, line 1: uid: must be text'],
  [
    { 'schemas/s.jsonl': '', 'entities/entities_00002.jsonl': '\n{"type":"a"}' },
    'entities/entities_00002.jsonl, line 2: id: is required',
  ],
  [
    { 'schemas/s.jsonl': '', 'entities/entities_00001.jsonl': '['.repeat(100_000) },
    'entities/entities_00001.jsonl, line 1: has too many levels',
  ],
])('refuses %.200j', async (texts, message) => {
  await expect(readStrapi(exportOf(texts))).rejects.toMatchObject({ status: 400, message })
})

it('takes an export whose only link cannot be read, and names rows of types without a schema', async () => {
  const row = (type: string, id: number) => ({ type: `api::${type}.${type}`, id, data: { title: 'One' } })
  const site = await readStrapi(
    exportOf({
      'schemas/schemas_00001.jsonl': lines(type('page', { title: { type: 'string' } })),
      'entities/entities_00001.jsonl': lines(row('page', 1), row('gone', 2)),
      'links/links_00001.jsonl': '{"kind":"x"}',
      'configuration/configuration_00001.jsonl': '{"type":1}',
    }),
  )
  expect(site.entries).toHaveLength(1)
  expect(site.unread?.named.map(({ place }) => place)).toEqual([
    'configuration/configuration_00001.jsonl, line 1',
    'links/links_00001.jsonl, line 1',
    'entities: api::gone.gone 2',
  ])
})

it('leaves out records that cannot be read, with their places', async () => {
  const page = type('page', { title: { type: 'string' } })
  const good = row('page', 1, { title: 'One', documentId: 'one', ...published })
  const site = await readStrapi(
    exportOf({
      'schemas/schemas_00001.jsonl': lines(page, { uid: 3 }, type('odd', { x: 3 })),
      'entities/entities_00001.jsonl': `${lines(good, { type: 'api::page.page' })}\n{"type`,
      'links/links_00001.jsonl': lines(
        { kind: 'relation.basic', left: {}, right: {} },
        {
          kind: 'relation.basic',
          left: { type: 'api::page.page', ref: 1, field: 'none' },
          right: { type: 'api::page.page', ref: 1 },
        },
      ),
    }),
  )
  expect(site.entries).toMatchObject([{ type: 'page', values: { title: { value: 'One' } } }])
  expect(site.types.map(({ name }) => name)).toEqual(['page', 'odd'])
  const places = site.unread?.named.map(({ place, reason }) => `${place}: ${reason}`)
  expect(site.unread?.count).toBe(5)
  expect(places).toEqual([
    'schemas/schemas_00001.jsonl, line 2: uid: must be text',
    'schemas: api::odd.odd: attribute x: cannot be read',
    'entities/entities_00001.jsonl, line 2: id: is required',
    'entities/entities_00001.jsonl, line 3: must be JSON',
    'links/links_00001.jsonl, line 1: left: type: is required',
  ])
})
