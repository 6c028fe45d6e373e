import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkData } from '../../src/services/content/check-data.js'
import type { ExportFiles } from '../../src/services/import/site.js'
import { readContentful } from '../../src/systems/contentful/import/index.js'

const fixture = readFileSync('test/fixtures/import/contentful.json', 'utf8')

function exportOf(files: Readonly<Record<string, string>>): ExportFiles {
  const read = (name: string) => files[name] ?? ''
  return {
    names: Object.keys(files),
    text: async name => read(name),
    async *lines(name) {
      yield* read(name).split('\n')
    },
  }
}

const site = await readContentful(exportOf({ 'export.json': fixture }))
const typeNamed = (name: string) => site.types.find(type => type.name === name)
const entryNamed = (key: string) => site.entries.find(entry => entry.key === key)

/** The fields of a type: their settings by name and type, `!` for required and `~` for translatable ones. */
const fieldsOf = (name: string) =>
  Object.fromEntries(
    (typeNamed(name)?.fields ?? []).map(({ name, type, required, translatable, data }) => [
      `${name} ${type}${required ? '!' : ''}${translatable ? '~' : ''}`,
      data,
    ]),
  )

describe('the model', () => {
  it('has locales, the default one first', () => {
    expect(site.locales).toEqual([
      { code: 'en-US', label: 'English (United States)' },
      { code: 'de', label: 'German', fallback: 'en-US' },
      { code: 'fr', label: 'French' },
    ])
  })

  it('has fields of the types that their values are of, with the rules that these keep', () => {
    expect(fieldsOf('article')).toEqual({
      'headline text!~': { minLength: 3, maxLength: 60 },
      'slug slug!': { unique: true, pattern: '^[a-z0-9-]+$' },
      'teaser textarea~': { maxLength: 300 },
      'body richtext~': {},
      'mood select': { options: ['calm', 'bright'], default: 'calm' },
      'contact email': {},
      'homepage url': {},
      'code text': { pattern: '(?i)^[a-z]{2}-\\d+$', unique: true },
      'price number': { min: 0 },
      'stock number': { integer: true, min: 1, default: 1 },
      'featured boolean': { default: false },
      'publishedOn date': {},
      'startsAt datetime': { min: '2020-01-01T00:00:00Z' },
      'author relation!': { target: 'author' },
      'related relation': { cardinality: 'many', maxItems: 2, target: ['article', 'page-section'] },
      'cover media': {},
      'downloads media': { cardinality: 'many', kinds: ['application/pdf', 'document'] },
      'tags json': { default: [] },
      'words json': { default: ['new'] },
      'place json': {},
      'data json~': {},
      'elsewhere json': {},
      'legacy text': {},
      'constructor text': {},
    })
    expect(fieldsOf('author')).toEqual({
      'name text!': {},
      'handle text': {},
      'path text': {},
      'role select': { options: ['editor'] },
    })
    for (const { fields } of site.types)
      for (const { type, data } of fields) expect(() => checkData(type, data ?? {})).not.toThrow()
  })

  it('keeps names and labels where they can be names', () => {
    expect(site.types.map(({ name, label, hasPages }) => [name, label, hasPages])).toEqual([
      ['article', 'Article', false],
      ['author', 'Author', false],
      ['page-section', 'Section', false],
      ['callToAction', 'Call to action', false],
    ])
    const labels = typeNamed('article')?.fields.map(({ label }) => label)
    expect([labels?.[0], labels?.[11], labels?.at(-1)]).toEqual(['Headline', 'Published on', 'Built by'])
  })
})

describe('the content', () => {
  it('is in the order in which it was made', () => {
    expect(site.entries.map(({ key, type, isPublished }) => [key, type, isPublished])).toEqual([
      ['authorAnn', 'author', true],
      ['authorBen', 'author', true],
      ['sectionOne', 'page-section', true],
      ['articleOne', 'article', true],
      ['articleTwo', 'article', true],
      ['articleDraft', 'article', false],
      ['ctaOne', 'callToAction', false],
    ])
  })

  it('has the values of an entry, and their translations', () => {
    expect(entryNamed('articleOne')).toEqual({
      ...{
        key: 'articleOne',
        ids: [{ kind: 'Entry', id: 'articleOne' }],
        type: 'article',
        isPublished: true,
      },
      ...{ createdAt: '2024-03-04T08:00:00.000Z', publishedAt: '2024-04-04T08:00:00.000Z' },
      changedAt: '2024-04-04T08:00:00.000Z',
      source: { size: { words: 39, pictures: 5, links: 7 } },
      values: {
        headline: { value: 'First' },
        slug: { value: 'first' },
        teaser: { value: '# Hello' },
        body: {
          html: [
            '<h2>A heading</h2><p>Plain &amp; <strong>bold</strong> and <strong><em>both</em></strong>, see ',
            '<a href="https://example.org/?a=1&amp;b=2">the site</a>.</p>',
            '<ul><li><p>first</p></li><li><p>second</p></li></ul>',
            '<p><img src="import:file:assetBike" alt="A red bike"></p>',
            '<p><a href="import:file:assetList">Price list</a></p>',
            '<p><a href="#block-import:entry:sectionOne">Section</a></p>',
            '<p>By <a href="#inline-import:entry:authorAnn">Ann</a>, <a href="#import:entry:articleTwo">also</a>, ',
            '<a href="import:file:assetList">the list</a>, gone</p><p>Inside</p>',
          ].join(''),
        },
        mood: { value: 'bright' },
        contact: { value: 'ann@example.org' },
        homepage: { value: 'https://example.org' },
        code: { value: 'ab-1' },
        price: { value: 9.5 },
        stock: { value: 3 },
        featured: { value: true },
        publishedOn: { value: '2024-03-04' },
        startsAt: { value: '2024-05-01T10:30:00+02:00' },
        author: { entries: ['authorAnn'] },
        related: { entries: ['sectionOne', 'articleTwo'] },
        cover: { files: ['assetBike'] },
        downloads: { files: ['assetList'] },
        tags: { value: ['one', 'two'] },
        words: { value: [] },
        place: { value: { lat: 52.5, lon: 13.4 } },
        data: { value: { a: [1, null] } },
        elsewhere: {
          value: {
            sys: {
              type: 'ResourceLink',
              linkType: 'Contentful:Entry',
              urn: 'crn:contentful:::content:spaces/x/entries/y',
            },
          },
        },
        legacy: { value: 'old' },
        constructor: { value: 'hand' },
      },
      translations: {
        de: {
          headline: { value: 'Erster' },
          teaser: { value: '# Hallo' },
          body: { html: '<p>Kurz</p><p><a href="#block-import:entry:articleOne">Erster</a></p>' },
          data: { value: { a: [] } },
        },
        fr: { headline: { value: 'Premier' } },
      },
    })
  })

  it('has no values that their fields do not take, and times with a zone', () => {
    expect(entryNamed('articleDraft')).toEqual({
      ...{ key: 'articleDraft', ids: [{ kind: 'Entry', id: 'articleDraft' }], type: 'article' },
      ...{ isPublished: false, createdAt: '2024-03-06T08:00:00.000Z', changedAt: '2024-04-06T08:00:00.000Z' },
      // With those of values that their fields do not take.
      source: { size: { words: 2, pictures: 0, links: 0 } },
      values: { headline: { value: 'No' } },
    })
    expect(entryNamed('articleTwo')?.values).toMatchObject({
      headline: { value: 'Second <b>' },
      startsAt: { value: '2024-05-01T10:30:00Z' },
      price: { value: 101 },
    })
  })

  it('has files at their addresses, or in the export', async () => {
    const url = 'https://images.ctfassets.net/sp4c3/assetBike/0a1b/red%20bike.jpg'
    const of = (key: string) => ({ key, ids: [{ kind: 'Asset', id: key }] })
    const bike = { ...of('assetBike'), name: 'red bike.jpg', title: 'Bike', alt: 'A red bike' }
    const list = { ...of('assetList'), name: 'list.pdf', title: 'Price list', alt: 'Price list' }
    const secret = { ...of('assetSecret'), name: 'plan.png' }
    const secretUrl = 'https://images.secure.ctfassets.net/sp4c3/assetSecret/4e5f/plan.png'
    const listUrl = 'https://assets.ctfassets.net/sp4c3/assetList/2c3d/list.pdf'
    expect(site.files).toEqual([
      { ...bike, url },
      { ...list, url: listUrl },
      { ...secret, url: secretUrl },
    ])
    const at = 'out/images.ctfassets.net/sp4c3/assetBike/0a1b/red bike.jpg'
    const secretAt = 'out/images.secure.ctfassets.net/sp4c3/assetSecret/4e5f/plan.png'
    const files = {
      [at]: '',
      [secretAt]: '',
      'out/contentful-export-sp4c3.json': fixture,
      'out/errors.json': '[]',
    }
    const whole = await readContentful(exportOf(files))
    expect(whole.files).toEqual([
      { ...bike, at },
      { ...list, url: listUrl },
      { ...secret, at: secretAt },
    ])
    expect(whole.notes.some(note => note.startsWith('Files with protected addresses'))).toBe(false)
    expect(whole.entries).toEqual(site.entries)
  })

  it('is published where the delivery API has given it', async () => {
    const json = JSON.parse(fixture)
    for (const { sys } of [...json.entries, ...json.assets]) {
      for (const name of ['version', 'publishedVersion', 'publishedAt', 'firstPublishedAt']) delete sys[name]
      sys.revision = 1
    }
    const delivered = await readContentful(exportOf({ 'export.json': JSON.stringify(json) }))
    expect(delivered.entries.every(({ isPublished }) => isPublished)).toBe(true)
    expect(delivered.entries[0]?.publishedAt).toBe('2024-04-01T08:00:00.000Z')
  })
})

it('says what is not taken over, each kind once', () => {
  expect(site.notes).toEqual([
    'Locales without a fallback show the default locale if a value is missing: 1 (fr).',
    'Locales that were disabled for delivery are enabled: 1 (fr).',
    'Files and their texts are imported in the default locale only: 1 (assetList).',
    'Files with protected addresses must be in the export: 1 (assetSecret).',
    'Unpublished files are public wherever they are used: 1 (assetSecret).',
    'Assets without a file are left out: 1 (assetEmpty).',
    'Content types get a different name: 1 (5dKx7Qm is callToAction).',
    'Of several entries with the same id, only the first is imported: 1 (articleDraft).',
    'Archived entries are left out: 1 (articleOld).',
    'Published entries include their unpublished changes: 1 (articleTwo).',
    'Tags of entries are left out: 1 (articleTwo).',
    'Values of fields that the content type does not have are left out: 1 (articleTwo).',
    'Records that cannot be read are left out: 1 (entries: lost: the export lacks its content type).',
    'Help texts of fields are left out: 1 (article.headline).',
    'Values in locales that their field does not have are left out: 2 (articleOne).',
    'Markdown stays as text: 1 (article.teaser).',
    'Files in rich text that are not images become links: 1 (article.body of articleOne).',
    'Entries and files in rich text that the export does not have are left out: 2 (article.body of articleOne).',
    'Links to files in rich text become plain links: 1 (article.body of articleOne).',
    'Unsupported parts of rich text become plain text: 1 (article.body of articleOne).',
    'Limits on the elements of rich text are left out: 1 (article.body).',
    'Unsupported rules are left out: 3 (article.code: prohibitRegexp, article.cover: assetImageDimensions, article.tags: in).',
    'Values that do not fit the type of their field are left out: 1 (article.price of articleDraft).',
    'Rules that published entries break are left out: 4 (article.price: max, article.cover: kinds, author.handle: unique and others).',
    'Dates and times without a zone are read as UTC: 1 (article.startsAt of articleTwo).',
    'Links to entries and files that the export does not have are left out: 2 (article.author of articleDraft, article.related of articleOne).',
    'Fields with values that do not fit the type slug become text fields: 1 (author.path).',
    'Tags are left out: 1.',
    'Webhooks are left out: 1.',
    'Roles are left out: 1.',
  ])
})

describe('what is no export', () => {
  const refused = (files: Readonly<Record<string, string>>) => readContentful(exportOf(files))
  const changed = (change: (json: Record<string, unknown>) => void) => {
    const json = JSON.parse(fixture)
    change(json)
    return refused({ 'export.json': JSON.stringify(json) })
  }

  it('is refused with the place', async () => {
    const none =
      'the JSON file with contentTypes is missing: create the export with `contentful space export`'
    await expect(refused({})).rejects.toThrow(none)
    await expect(refused({ 'a.json': '{"entries":[]}', 'b.txt': fixture })).rejects.toThrow(none)
    await expect(refused({ 'a.json': '{"contentTypes":' })).rejects.toThrow(none)
    await expect(refused({ 'a.json': fixture, 'b.json': fixture })).rejects.toThrow(
      'found two exports, a.json and b.json: choose one',
    )
    await expect(refused({ 'a.json': '{"contentTypes":{}}' })).rejects.toThrow(
      'a.json: contentTypes: must be an array',
    )
    await expect(changed(json => delete json.locales)).rejects.toThrow(
      'export.json: locales: must be an array',
    )
    await expect(changed(json => Object.assign(json, { locales: [] }))).rejects.toThrow('locales: is empty')
    await expect(changed(json => Object.assign(json, { locales: [{ code: 'en' }] }))).rejects.toThrow(
      'locales: the default locale',
    )
    await expect(
      changed(json =>
        Object.assign(json, { contentTypes: [{ sys: { id: 'a' } }], entries: [], assets: [{}] }),
      ),
    ).rejects.toThrow('export.json: contentTypes.0: fields')
  })

  it('is left out record by record where others can be read', async () => {
    const whole = await refused({ 'export.json': fixture })
    const site = await changed(json => {
      ;(json.entries as unknown[]).splice(1, 0, { sys: {}, fields: {} }, 'text')
      ;(json.assets as unknown[]).push({ sys: { id: '' } })
      ;(json.contentTypes as unknown[]).push({ sys: { id: 'broken' }, name: 'Broken' })
    })
    expect(site.entries).toEqual(whole.entries)
    expect(site.types).toEqual(whole.types)
    expect(whole.unread?.named).toMatchObject([{ place: 'entries: lost' }])
    expect(site.unread?.count).toBe(5)
    expect(site.unread?.named.map(({ place }) => place)).toEqual([
      expect.stringMatching(/^export\.json: contentTypes\.\d+$/),
      'export.json: entries.1',
      'export.json: entries.2',
      expect.stringMatching(/^export\.json: assets\.\d+$/),
      'entries: lost',
    ])
    expect(site.unread?.named[1]?.reason).toMatch(/^sys\.id: /)
    expect(site.notes).toContainEqual(
      expect.stringMatching(/^Records that cannot be read are left out: 5 \(/),
    )
  })

  it('keeps a type without a field that cannot be read, and names entries of types that it lacks', async () => {
    const other = { sys: { id: 'lost', contentType: { sys: { id: 'gone' } } }, fields: {} }
    const site = await changed(json => {
      const fields = [{ id: 'odd' }, { id: 'lead', type: 'Symbol' }, { id: 'head', type: 'Symbol' }]
      Object.assign(json, {
        contentTypes: [{ sys: { id: 'note' }, displayField: 'head', fields }],
        entries: [
          { sys: { id: 'n', contentType: { sys: { id: 'note' } } }, fields: { head: { 'en-US': 'Hi' } } },
          other,
        ],
        assets: [],
      })
    })
    expect(site.types.map(({ name, fields }) => [name, fields.map(field => field.name)])).toEqual([
      ['note', ['lead', 'head']],
    ])
    expect(site.entries.map(({ key }) => key)).toEqual(['n'])
    expect(site.unread?.named.map(({ place }) => place)).toEqual([
      'export.json: note: fields.0',
      'entries: lost',
    ])
    expect(site.notes).toContain('Content types get a different displayField: 1 (note.head is lead).')
  })

  it('is refused where it is too deep to be read', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    await expect(refused({ 'a.json': `{"contentTypes":${deep}}` })).rejects.toThrow(
      'a.json is nested deeper than 500 levels',
    )
  })

  it('is taken as far as it can be where single things are damaged', async () => {
    const odd = {
      ...{ sys: { id: '__proto__', contentType: { sys: { id: 'author' } } }, fields: { name: 'no locale' } },
    }
    const fallbacks = [
      { code: 'en', default: true, fallbackCode: 'de' },
      { code: 'de', fallbackCode: 'en' },
      { code: 'de' },
      { code: 'no language' },
      { code: 'it', fallbackCode: 'fr' },
      { code: 'fr', fallbackCode: 'it' },
    ]
    const taken = await changed(json =>
      Object.assign(json, {
        ...{ entries: [odd], assets: [], locales: fallbacks, tags: 'none', editorInterfaces: null },
      }),
    )
    expect(taken.locales).toEqual([
      { code: 'en', label: 'en' },
      { code: 'de', label: 'de', fallback: 'en' },
      { code: 'it', label: 'it' },
      { code: 'fr', label: 'fr' },
    ])
    expect(taken.entries).toEqual([
      {
        ...{ key: '__proto__', ids: [{ kind: 'Entry', id: '__proto__' }] },
        type: 'author',
        isPublished: true,
        createdAt: '1970-01-01T00:00:00.000Z',
        source: { size: { words: 0, pictures: 0, links: 0 } },
        values: {},
      },
    ])
    expect(taken.types.map(({ name }) => name)).toEqual(site.types.map(({ name }) => name))
  })

  it('names types and fields that cannot be names anew, each differently', async () => {
    const field = (id: string) => ({ id, name: id, type: 'Symbol' })
    const type = (id: string, ...fields: object[]) => ({ sys: { id }, name: '', fields })
    const { types } = await changed(json =>
      Object.assign(json, {
        ...{ entries: [] },
        contentTypes: [
          type('a-b', field('x-y'), field('xY'), field('x.y'), field('xY')),
          type('aB'),
          type('__proto__'),
          type('9'),
        ],
      }),
    )
    expect(types.map(({ name, fields }) => [name, fields.map(one => one.name)])).toEqual([
      ['a-b', ['xY2', 'xY', 'xY3']],
      ['aB', []],
      ['proto', []],
      ['x9', []],
    ])
  })
})
