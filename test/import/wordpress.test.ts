import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { ExportFiles, ImportedEntry, ImportedSite } from '../../src/services/import/site.js'
import { readWordpress } from '../../src/systems/wordpress/import/index.js'

const fixture = (name: string) => readFileSync(new URL(`../fixtures/import/${name}`, import.meta.url), 'utf8')

function exportOf(texts: Readonly<Record<string, string>>): ExportFiles {
  const text = async (name: string) => texts[name] ?? ''
  return {
    names: Object.keys(texts),
    text,
    lines: async function* (name) {
      yield* (await text(name)).split('\n')
    },
  }
}

const read = (texts: Readonly<Record<string, string>>): Promise<ImportedSite> =>
  readWordpress(exportOf(texts))
const cdata = (text: string) => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`

/** An export with these elements in its channel. */
const channel = (inside: string, address = 'https://old.example') =>
  `<?xml version="1.0" encoding="UTF-8" ?>\n<rss version="2.0"><channel><wp:wxr_version>1.2</wp:wxr_version>
<wp:base_blog_url>${address}</wp:base_blog_url>${inside}</channel></rss>`

interface Item {
  id: number
  type?: string
  status?: string
  title?: string
  link?: string
  slug?: string
  parent?: number
  content?: string
  excerpt?: string
  url?: string
  more?: string
  metas?: readonly (readonly [string, string])[]
}

const item = ({ id, type = 'post', status = 'publish', metas = [], ...rest }: Item) => `<item>
<title>${cdata(rest.title ?? '')}</title><link>${rest.link ?? `https://old.example/?p=${id}`}</link>
<content:encoded>${cdata(rest.content ?? '')}</content:encoded><excerpt:encoded>${cdata(rest.excerpt ?? '')}</excerpt:encoded>
<wp:post_id>${id}</wp:post_id><wp:post_date_gmt>2024-01-0${(id % 9) + 1} 10:00:00</wp:post_date_gmt>
<wp:post_name>${rest.slug ?? ''}</wp:post_name><wp:status>${status}</wp:status><wp:post_parent>${rest.parent ?? 0}</wp:post_parent>
<wp:post_type>${type}</wp:post_type><wp:attachment_url>${rest.url ?? ''}</wp:attachment_url>${rest.more ?? ''}
${metas.map(([key, value]) => `<wp:postmeta><wp:meta_key>${cdata(key)}</wp:meta_key><wp:meta_value>${cdata(value)}</wp:meta_value></wp:postmeta>`).join('')}
</item>`

const siteOf = (...items: readonly Item[]) => read({ 'export.xml': channel(items.map(item).join('')) })

/** The bodies of the posts, as HTML. */
const bodies = ({ entries }: ImportedSite) =>
  entries.flatMap(({ values: { body } }) => (body && 'html' in body ? body.html : []))
const bodyOf = async (content: string) => bodies(await siteOf({ id: 1, content }))[0]
const paths = ({ entries }: ImportedSite) => entries.flatMap(({ page }) => page?.path ?? [])
const values = ({ entries }: ImportedSite) => entries.filter(({ page }) => page).map(one => one.values)
/** The custom fields of posts and their values in the first post. */
function custom(site: ImportedSite) {
  const fields = site.types.find(({ name }) => name === 'post')?.fields.slice(6) ?? []
  return fields.map(({ name, type }) => [name, type, values(site)[0]?.[name]])
}

/** The sizes there are tested where they are counted. */
const withoutSource = ({ source: _, children, ...entry }: ImportedEntry): object => ({
  ...entry,
  children: children?.map(withoutSource),
})

it('reads what WordPress 6.1 has exported', async () => {
  const site = await read({ 'wordpress.xml': fixture('wordpress.xml') })
  const entries = site.entries.map(withoutSource)
  expect(JSON.parse(JSON.stringify({ ...site, entries }))).toEqual(JSON.parse(fixture('wordpress.json')))
})

it('puts files of one site together, and those beside them', async () => {
  const one = item({ id: 1, slug: 'one', content: '<a href="https://old.example/?p=2">two</a>' })
  const two = item({ id: 2, slug: 'two' })
  const file = item({ id: 3, type: 'attachment', url: 'https://old.example/wp-content/uploads/2024/a.jpg' })
  const site = await read({
    'site/b.xml': channel(two + file, 'http://old.example'),
    'site/a.xml': channel(one + two),
    'site/uploads/2024/a.jpg': '',
    'site/._a.xml': 'no export',
  })
  expect(paths(site)).toEqual(['/one', '/two'])
  expect(bodies(site)).toEqual(['<p><a href="import:entry:post%3A2">two</a></p>'])
  expect(site.files).toEqual([
    {
      ...{
        key: 'attachment:3',
        ids: [{ kind: 'post', id: '3' }],
        name: 'a.jpg',
        at: 'site/uploads/2024/a.jpg',
      },
      url: 'https://old.example/wp-content/uploads/2024/a.jpg',
    },
  ])
})

it('knows terms and authors that an export of posts alone names', async () => {
  const more = `<dc:creator>ann</dc:creator><category domain="category" nicename="a-b">${cdata('A &amp; B')}</category>
    <category domain="post_tag" nicename="t">T</category><category domain="post_format" nicename="f">F</category>`
  const site = await siteOf({ id: 1, more, metas: [['_thumbnail_id', '9']] })
  expect(site.entries.slice(0, -1).map(({ key, values }) => [key, values.name])).toEqual([
    ['author:ann', { value: 'ann' }],
    ['category:a-b', { value: 'A & B' }],
    ['post_tag:t', { value: 'T' }],
  ])
  expect(values(site)).toEqual([
    {
      author: { entries: ['author:ann'] },
      categories: { entries: ['category:a-b'] },
      tags: { entries: ['post_tag:t'] },
    },
  ])
  expect(site.notes).toEqual([
    'References to files that the export does not have are left out: export all content, with media: 1.',
  ])
})

it('makes paths of slugs and parents where links are numbers', async () => {
  const site = await siteOf(
    { id: 1, slug: 'hello' },
    { id: 2, type: 'page', slug: 'about' },
    { id: 3, type: 'page', slug: '%c3%bcber', parent: 2 },
    { id: 4, type: 'page', status: 'draft', title: 'Not <b>Yet</b>!', parent: 3 },
    { id: 5, type: 'news', slug: 'first' },
    { id: 6, type: 'news', slug: 'second', link: 'https://old.example/index.php/n/second/' },
    { id: 7, slug: 'hello' },
    { id: 8, type: 'page', slug: 'round', parent: 9 },
    { id: 9, type: 'page', slug: 'trip', parent: 8 },
  )
  expect(paths(site).sort()).toEqual([
    '/about',
    '/about/über',
    '/about/über/not-yet',
    '/hello',
    '/hello-2',
    '/n/second',
    '/news/first',
    '/round/trip',
    '/trip/round',
  ])
  expect(site.types.at(-1)).toMatchObject({ name: 'news', label: 'News', compat: { wordpress: 'news' } })
})

it('leaves out items without an id, and keeps the names of authors without one', async () => {
  const author = `<wp:author><wp:author_login>ann</wp:author_login><wp:author_display_name>Ann A.</wp:author_display_name></wp:author>`
  const more = '<dc:creator>ann</dc:creator>'
  const site = await read({
    'a.xml': channel(`${author}<item><title>Odd</title></item>${item({ id: 1, slug: 'one', more })}`),
  })
  expect(paths(site)).toEqual(['/one'])
  expect(site.unread).toMatchObject({
    count: 1,
    named: [{ place: expect.stringMatching(/: line \d+: Odd$/), reason: 'it has no id (wp:post_id)' }],
  })
  expect(site.notes).toEqual([
    expect.stringMatching(/^Records that cannot be read are left out: 1 \(\S+: .*: it has no id/),
  ])
  expect(site.entries.find(({ type }) => type === 'author')?.values.name).toEqual({ value: 'Ann A.' })
})

it('names authors without a login, and items whose id another one has', async () => {
  const author = '<wp:author><wp:author_id>3</wp:author_id></wp:author>'
  const one = item({ id: 1, slug: 'one' })
  const site = await read({
    'a.xml': channel(
      `${author}\n${one}\n${one}\n<item><title>Other</title><wp:post_id>1</wp:post_id></item>`,
    ),
  })
  expect(paths(site)).toEqual(['/one'])
  expect(site.unread?.named).toEqual([
    { place: expect.stringMatching(/: line \d+: Other$/), reason: 'another item has its id 1 (wp:post_id)' },
    { place: expect.stringMatching(/: line \d+$/), reason: 'it has no login (wp:author_login)' },
  ])
})

it('plans posts with a date in the future, and no others', async () => {
  const { entries, notes } = await siteOf(
    { id: 1, status: 'future' },
    { id: 2, status: 'future', more: '<wp:post_password>secret</wp:post_password>' },
    { id: 3, status: 'draft' },
    { id: 4 },
  )
  expect(entries.map(({ isPublished, publishAt }) => [isPublished, publishAt])).toEqual([
    [false, '2024-01-02T10:00:00.000Z'],
    [false, undefined],
    [false, undefined],
    [true, undefined],
  ])
  expect(notes.filter(note => /future|password/.test(note))).toHaveLength(1)
})

it.each([
  ['one\r\ntwo\n\nthree', '<p>one<br>two</p><p>three</p>'],
  ['one<br />\ntwo <em>a\nb</em>', '<p>one<br>two <em>a<br>b</em></p>'],
  ['one<br><br>two', '<p>one</p><p>two</p>'],
  ['<p>whole\nline</p>\n<p>next</p>', '<p>whole<br>line</p><p>next</p>'],
  ['a\n<h2>b\nc</h2>\nd', '<p>a</p><h2>b<br>c</h2><p>d</p>'],
  ['<pre>a\n\nb</pre>', '<pre>a\n\nb</pre>'],
  ['<ul>\n<li>a</li>\n<li>b\n\nc</li>\n</ul>', '<ul><li>a</li><li><p>b</p><p>c</p></li></ul>'],
  ['<div>a</div><div>b\n\nc</div>', '<div>a</div><div><p>b</p><p>c</p></div>'],
  ['<blockquote>a</blockquote>', '<blockquote><p>a</p></blockquote>'],
  ['<!--more-->\n\n&nbsp;\n\na &lt;b&gt;', '<p>a &#x3C;b></p>'],
  [
    '[caption width="3"]<img src="/x.jpg"> Seen[/caption]',
    '<figure><img src="/x.jpg"><figcaption>Seen</figcaption></figure>',
  ],
  [
    '[caption width="3" caption="Seen"]<a href="/y"><img src="/x.jpg"></a>[/caption]',
    '<figure><a href="/y"><img src="/x.jpg"></a><figcaption>Seen</figcaption></figure>',
  ],
  ['[caption]<img src="/x.jpg">[/caption] [caption', '<p><img src="/x.jpg"> [caption</p>'],
  [
    '<!-- wp:paragraph -->\n<p>a\nb</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:html -->\nc\n<!-- /wp:html -->',
    '<p>a\nb</p>\nc\n',
  ],
  ['<a href="javascript:x">a</a><script>b</script>', '<p><a>a</a></p>'],
  [' \n ', undefined],
])('makes a body of %j', async (content, html) => {
  expect(await bodyOf(content)).toBe(html)
})

it.each([
  ['a <b>b</b>\n\nc [x y="1"] d <!--more Read on-->\n\ne', 'a b c d'],
  [
    `<!-- wp:paragraph -->\n<p>${'w '.repeat(60)}</p>\n<!-- /wp:paragraph -->\n<!--more-->`,
    `${'w '.repeat(55)}[…]`,
  ],
  ['<!--more-->x', undefined],
  ['all of it', undefined],
])('makes an excerpt of %j', async (content, excerpt) => {
  expect(values(await siteOf({ id: 1, content }))[0]?.excerpt).toEqual(excerpt && { value: excerpt })
})

it('leads to files by the addresses of all their sizes, and to pages', async () => {
  const uploads = 'https://old.example/wp-content/uploads'
  const addresses = [
    ...[
      `${uploads}/a-300x200.jpg`,
      '//www.old.example/wp-content/uploads/a.jpg',
      '/wp-content/uploads/a-scaled.jpg',
    ],
    ...[
      `${uploads}/b-10x10.png`,
      `${uploads}/c.jpg`,
      'http://old.example/page?x=1',
      'https://old.example/page/',
    ],
    ...['/page#part', '/?page_id=4', '/?p=1', '#here', 'http://[', 'https://old.example/a-picture/'],
  ]
  const site = await siteOf(
    { id: 1, type: 'attachment', url: `${uploads}/a-scaled.jpg`, link: 'https://old.example/a-picture/' },
    { id: 2, type: 'attachment', url: `${uploads}/b-10x10.png` },
    { id: 3, type: 'attachment', url: 'no address' },
    { id: 4, type: 'page', link: 'https://old.example/page/' },
    { id: 5, content: addresses.map(address => `<a href="${address}">x</a>`).join('') },
  )
  const links = [...(bodies(site)[0]?.matchAll(/href="([^"]*)"/g) ?? [])].map(([, href]) => href)
  expect(links).toEqual([
    ...['import:file:attachment%3A1', 'import:file:attachment%3A1', 'import:file:attachment%3A1'],
    ...[
      'import:file:attachment%3A2',
      `${uploads}/c.jpg`,
      'http://old.example/page?x=1',
      'import:entry:post%3A4',
    ],
    ...['/page#part', 'import:entry:post%3A4', '/?p=1', '#here', 'http://[', 'import:file:attachment%3A1'],
  ])
  expect(site.notes).toEqual(['Files without an address are left out: 1.'])
})

it('gives custom fields the narrowest type that all their values have', async () => {
  const metas = (given: Readonly<Record<string, string>>) => Object.entries(given)
  const first = {
    ...{
      price: '12.50',
      zip: '0123',
      sure: 'true',
      flag: '1',
      day: '2024-02-29',
      at: '2024-01-01T10:00:00+01:00',
    },
    ...{ mail: 'a@b.example', site: 'https://b.example/', line: 'a', lines: 'a\nb', mixed: '1', none: '' },
    ...{ list: 'a:2:{i:0;s:2:"ü";i:1;d:1.5;}', broken: 'a:9:{', object: 'O:1:"X":0:{}', constructor: 'x' },
    ...{ author: 'Somebody', 'two words': 'y', '123': 'z' },
  }
  const site = await siteOf(
    { id: 1, metas: metas(first) },
    { id: 2, metas: metas({ mixed: 'one', day: '', price: '-3' }) },
  )
  expect(custom(site).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))).toEqual([
    ['at', 'datetime', { value: '2024-01-01T10:00:00+01:00' }],
    ['author2', 'text', { value: 'Somebody' }],
    ['broken', 'text', { value: 'a:9:{' }],
    ['constructor', 'text', { value: 'x' }],
    ['day', 'date', { value: '2024-02-29' }],
    ['flag', 'number', { value: 1 }],
    ['line', 'text', { value: 'a' }],
    ['lines', 'textarea', { value: 'a\nb' }],
    ['list', 'json', { value: ['ü', 1.5] }],
    ['mail', 'email', { value: 'a@b.example' }],
    ['mixed', 'text', { value: '1' }],
    ['none', 'text', undefined],
    ['object', 'text', { value: 'O:1:"X":0:{}' }],
    ['price', 'number', { value: 12.5 }],
    ['site', 'url', { value: 'https://b.example/' }],
    ['sure', 'boolean', { value: true }],
    ['twoWords', 'text', { value: 'y' }],
    ['x123', 'text', { value: 'z' }],
    ['zip', 'text', { value: '0123' }],
  ])
  expect(site.notes).toEqual([
    'Custom fields get a different name: 3 (123 is x123, author is author2, two words is twoWords).',
    'Serialized PHP values stay as text: 2 (broken, object).',
  ])
})

it('reads rows and groups of ACF, with and without its settings', async () => {
  const field = (id: number, key: string, type: string): Item => ({
    ...{ id, type: 'acf-field', slug: key, title: key.toUpperCase() },
    content: `a:1:{s:4:"type";s:${type.length}:"${type}";}`,
  })
  const site = await siteOf(
    field(11, 'field_flex', 'flexible_content'),
    field(12, 'field_group', 'group'),
    field(13, 'field_gallery', 'gallery'),
    { id: 14, type: 'attachment', url: 'https://old.example/wp-content/uploads/a.jpg' },
    {
      id: 1,
      metas: [
        ...([
          ['rows', '2'],
          ['_rows', 'field_rows'],
          ['rows_0_a', 'x'],
          ['rows_1_a', 'y'],
          ['rows_7_a', 'old'],
        ] as const),
        ...([
          ['rows_0_in', '1'],
          ['_rows_0_in', 'field_in'],
          ['rows_0_in_0_b', 'deep'],
        ] as const),
        ...([
          ['flex', 'a:1:{i:0;s:4:"hero";}'],
          ['_flex', 'field_flex'],
          ['flex_0_text', 't'],
        ] as const),
        ...([
          ['box', ''],
          ['_box', 'field_group'],
          ['box_side', 'left'],
          ['boxes', 'own'],
        ] as const),
        ...([
          ['pics', 'a:2:{i:0;s:2:"14";i:1;s:2:"99";}'],
          ['_pics', 'field_gallery'],
        ] as const),
        ...([
          ['maybe', '14'],
          ['_maybe', 'field_unknown'],
          ['day', '20240131'],
          ['_day', 'field_day'],
        ] as const),
      ],
    },
  )
  expect(custom(site)).toEqual([
    ['rows', 'json', { value: [{ a: 'x', in: [{ b: 'deep' }] }, { a: 'y' }] }],
    ['flex', 'json', { value: [{ acf_fc_layout: 'hero', text: 't' }] }],
    ['box', 'json', { value: { side: 'left' } }],
    ['boxes', 'text', { value: 'own' }],
    ['pics', 'media', { files: ['attachment:14'] }],
    ['maybe', 'number', { value: 14 }],
    ['day', 'date', { value: '2024-01-31' }],
  ])
  expect(site.notes).toEqual([
    'Fields with rows or groups become JSON fields, in which images and posts are the ids of WordPress: 3 (rows, flex, box).',
    'References to files that the export does not have are left out: export all content, with media: 1.',
    'Fields may refer to images, of which the export has only the ids: 1 (maybe).',
  ])
})

const bomb = `<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>`
it.each([
  ['a file that is none', { 'a.txt': 'x', 'b.txt': 'y' }, /the export has no \.xml file/],
  ['text', { 'a.xml': '{"posts": []}' }, /^a\.xml, line 1: text data outside of root/],
  ['an empty file', { 'a.xml': '\ufeff\n' }, /must contain a root element/],
  [
    'another RSS',
    { 'a.xml': '<rss><channel><title>News</title></channel></rss>' },
    /^a\.xml: it is not an export of WordPress/,
  ],
  [
    'an export that was cut off',
    { 'a.xml': channel(item({ id: 1 })).slice(0, -60) },
    /^a\.xml, line \d+: unclosed tag: item: the export is damaged or incomplete/,
  ],
  [
    'CDATA that was cut off',
    { 'a.xml': channel('<item><title><![CDATA[abc') },
    /^a\.xml, line 3: unclosed tag: title/,
  ],
  [
    'declared entities',
    { 'a.xml': `<?xml version="1.0"?>\n${bomb}${channel('')}` },
    /^a\.xml, line 2: it contains a DOCTYPE declaration/,
  ],
  [
    'another encoding',
    { 'a.xml': channel('').replace('UTF-8', 'ISO-8859-1') },
    /^a\.xml, line 1: it is in ISO-8859-1/,
  ],
  ['tags that do not match', { 'a.xml': channel('<item></title>') }, /unexpected close tag/],
  ['a damaged tag', { 'a.xml': channel('<item a="1></item>') }, /disallowed character/],
  ['many levels', { 'a.xml': channel('<a>'.repeat(60)) }, /more than 50 levels/],
  ['a site without an address', { 'a.xml': channel('', 'javascript:x') }, /^a\.xml: the URL of the site/],
  [
    'two sites',
    { 'a.xml': channel(''), 'b.xml': channel('', 'https://new.example') },
    /^b\.xml: the site is new\.example/,
  ],
])('refuses %s', async (_, texts, message) => {
  await expect(read(texts)).rejects.toMatchObject({ status: 400, message: expect.stringMatching(message) })
})

it('takes little work for what was made to take much', async () => {
  const many = 15_000
  const texts = [
    '[caption '.repeat(many),
    '<!-- wp:block {"ref":1'.repeat(many),
    '[a '.repeat(many),
    '<img '.repeat(many),
    '\n '.repeat(many),
    'x\n\n'.repeat(many),
  ]
  const metas = Array.from({ length: many }, (_, i) => [`a_${'0_'.repeat(i % 9)}${i}`, '1'] as const)
  const same = Array.from({ length: many }, (_, i): Item => ({ id: i + 100, slug: 'same' }))
  const start = process.cpuUsage()
  const site = await siteOf(
    ...texts.map((content, i): Item => ({ id: i + 1, content })),
    { id: 50, metas: [...metas, ['_a', 'field_a'], ['a', '999999999']] },
    {
      id: 51,
      metas: [
        ['deep', `${'a:1:{i:0;'.repeat(many)}`],
        ['long', 'a:999999999:{i:0;i:1;'],
      ],
    },
    ...same,
  )
  // The work of this process, which a busy machine makes a few times longer: one look at each place again takes minutes.
  expect(process.cpuUsage(start).user).toBeLessThan(40_000_000)
  expect(new Set(paths(site)).size).toBe(site.entries.length)
})

it('keeps the words of lists of terms apart', async () => {
  const terms = '<dl class="a"><dt>Term</dt><dd>What <b>it</b> is</dd><dt>Other</dt><dd>Too</dd></dl>'
  const more = '<details><summary>More</summary>Hidden text</details>'
  const html = (await bodyOf(`${terms}${more}`)) ?? ''
  expect(html.replaceAll(/<[^>]+>/g, '|').replaceAll(/\|+/g, '|')).toBe(
    '|Term|What |it| is|Other|Too|More|Hidden text|',
  )
})

it.each([
  [
    'a\n\nhttps://www.youtube.com/watch?t=3&v=abcdef_1-2\n\nb',
    '<p>a</p><p><iframe src="https://www.youtube.com/embed/abcdef_1-2?feature=oembed" width="500" height="281" allowfullscreen=""></iframe></p><p>b</p>',
  ],
  ['see https://youtu.be/abcdef12 there', '<p>see https://youtu.be/abcdef12 there</p>'],
  ['https://else.example/film', '<p>https://else.example/film</p>'],
  [
    '<!-- wp:embed -->\n<figure class="wp-block-embed is-type-video"><div class="wp-block-embed__wrapper">\nhttps://vimeo.com/12345\n</div><figcaption>It</figcaption></figure>\n<!-- /wp:embed -->',
    '<figure class="wp-block-embed is-type-video"><div class="wp-block-embed__wrapper"><iframe src="https://player.vimeo.com/video/12345" width="500" height="281" allowfullscreen=""></iframe></div><figcaption>It</figcaption></figure>',
  ],
  [
    '[embed width="9"]https://youtu.be/abcdef12[/embed]',
    '<p><iframe src="https://www.youtube.com/embed/abcdef12?feature=oembed" width="500" height="281" allowfullscreen=""></iframe></p>',
  ],
  [
    '[video mp4="https://old.example/a.mp4" width=640 poster="javascript:x"][/video]',
    '<p><video controls="" src="https://old.example/a.mp4" width="640"></video></p>',
  ],
  [
    "[audio src='https://old.example/a.mp3']",
    '<p><audio controls="" src="https://old.example/a.mp3"></audio></p>',
  ],
  ['[audio https://old.example/a.mp3]', '<p><audio controls="" src="https://old.example/a.mp3"></audio></p>'],
  ['[video]', '<p>[video]</p>'],
  ['[gallery ids="7,8"]', '<p>[gallery ids="7,8"]</p>'],
  [
    '<!-- wp:columns --><div class="wp-block-columns" style="x"><div class="wp-block-column"><p class="has-x-color">a</p></div></div><!-- /wp:columns --><!-- wp:buttons --><div class="wp-block-buttons"><div class="wp-block-button"><a class="wp-block-button__link" href="https://a.example" target="_blank" rel="noopener">Go</a></div></div><!-- /wp:buttons --><hr class="wp-block-separator"/>',
    '<div class="wp-block-columns"><div class="wp-block-column"><p class="has-x-color">a</p></div></div><div class="wp-block-buttons"><div class="wp-block-button"><a class="wp-block-button__link" href="https://a.example" target="_blank" rel="noopener">Go</a></div></div><hr class="wp-block-separator">',
  ],
  [
    '<details><summary>More</summary>Text</details><dl><dt>A</dt><dd>B</dd></dl>',
    '<details><summary>More</summary>Text</details><dl><dt>A</dt><dd>B</dd></dl>',
  ],
])('keeps blocks, players and embeds: %s', async (content, html) => {
  expect(await bodyOf(content)).toBe(html)
})

it('leads players and galleries to files of the site', async () => {
  const file = (id: number, name: string, more: Partial<Item> = {}) => ({
    ...{ id, type: 'attachment', status: 'inherit', url: `https://old.example/uploads/${name}` },
    ...more,
  })
  const site = await siteOf(
    {
      id: 1,
      content: '[gallery columns=2 ids="3,9,2"]<video poster="/uploads/a.jpg" src="/uploads/v.mp4"></video>',
    },
    file(2, 'a.jpg', { metas: [['_wp_attachment_image_alt', 'A "b"']] }),
    file(3, 'b.jpg', { excerpt: 'Seen <em>here</em>' }),
    file(4, 'v.mp4'),
  )
  expect(bodies(site)[0]).toBe(
    '<figure class="wp-block-gallery has-nested-images columns-2"><figure class="wp-block-image"><img src="import:file:attachment%3A3" alt=""><figcaption class="wp-element-caption">Seen <em>here</em></figcaption></figure><figure class="wp-block-image"><img src="import:file:attachment%3A2" alt="A &#x22;b&#x22;"></figure></figure><p><video poster="import:file:attachment%3A2" src="import:file:attachment%3A4"></video></p>',
  )
  expect(site.notes.join()).not.toContain('Shortcodes')
})

it('says which frames and shortcodes it does not keep', async () => {
  const content =
    '<iframe src="https://ads.example/x"></iframe><iframe width="1" src="https://www.youtube.com/embed/a"></iframe>[gallery]'
  const { notes } = await siteOf({ id: 1, content })
  expect(notes).toEqual([
    'Frames of sites that rich text does not allow are left out: 1 (ads.example).',
    'Shortcodes stay as text: 1 (gallery).',
  ])
})

it('shows the pictures of a post in a gallery without ids', async () => {
  const file = (id: number, name: string, parent: number) => ({
    ...{ id, parent, type: 'attachment', status: 'inherit', url: `https://old.example/uploads/${name}` },
  })
  const site = await siteOf(
    { id: 1, content: '[gallery columns="12"]' },
    { id: 5, content: '[gallery]' },
    ...[file(2, 'a.jpg', 1), file(3, 'b.png', 1), file(4, 'c.pdf', 1), file(6, 'd.jpg', 0)],
  )
  const [one, other] = bodies(site)
  expect([...(one ?? '').matchAll(/src="import:file:attachment%3A(\d)"/g)].map(([, id]) => id)).toEqual([
    '2',
    '3',
  ])
  expect(one).toContain('class="wp-block-gallery has-nested-images columns-3"')
  expect(other).toBe('<p>[gallery]</p>')
})
