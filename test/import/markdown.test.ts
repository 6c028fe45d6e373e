import { expect, it } from 'vitest'
import type { ExportFiles, ImportedEntry, ImportedSite } from '../../src/services/import/site.js'
import { looseTimeOf } from '../../src/systems/columns.js'
import { readMarkdown } from '../../src/systems/markdown/index.js'

const folder = (texts: Record<string, string>): ExportFiles => ({
  names: Object.keys(texts),
  text: async name => texts[name] ?? '',
  async *lines() {},
})
const read = (texts: Record<string, string>) => readMarkdown(folder(texts))

const page = (members: string, text = '') => `---\n${members}\n---\n${text}`

const entryAt = ({ entries }: ImportedSite, path: string): ImportedEntry | undefined =>
  entries.find(entry => entry.page?.path === path)
const paths = ({ entries }: ImportedSite) => entries.flatMap(one => one.page?.path ?? []).sort()

it('reads a site of Hugo: sections, bundles, languages by suffix, TOML', async () => {
  const site = await read({
    'hugo.toml':
      'baseURL = "https://old.example/"\ndefaultContentLanguage = "en"\n[permalinks]\nnews = "/:year/:slug/"',
    'content/_index.md': page('title: Home', 'Welcome'),
    'content/about.md': page('title: About us', 'See [the trip](posts/trip/).'),
    'content/posts/trip/index.md':
      '+++\ntitle = "The trip"\ndate = 2024-05-06T07:08:09+02:00\ntags = ["Sea", "Salt"]\naliases = ["/old-trip/"]\n' +
      'cover = "sea.jpg"\n+++\n\n![The sea](sea.jpg)\n\n{{< figure src="/img/map.png" alt="A map" caption="The *way*" >}}\n\n' +
      '[About]({{< ref "about.md" >}}) and [this](https://old.example/about/#team)\n\n{{< youtube abc >}}\n',
    'content/posts/trip/index.de.md': page('title: Die Reise', 'Das Meer'),
    'content/posts/trip/sea.jpg': '',
    'content/news/2023-12-31-year.md': page('title: The year\ndate: 2023-12-31\ndraft: true'),
    'static/img/map.png': '',
    'themes/x/content/a.md': 'no',
    'README.md': 'no',
  })
  expect(paths(site)).toEqual(['/', '/2023/the-year', '/about', '/posts/trip'])
  expect(site.types.map(({ name }) => name)).toEqual(['tag', 'page', 'news', 'posts'])
  expect(site.locales.map(({ code }) => code)).toEqual(['en', 'de'])
  const trip = entryAt(site, '/posts/trip')
  expect(trip).toMatchObject({
    type: 'posts',
    ids: [{ kind: 'document', id: 'content/posts/trip/index.md' }],
    page: { title: 'The trip' },
    isPublished: true,
    publishedAt: '2024-05-06T05:08:09.000Z',
    values: {
      cover: { files: ['content/posts/trip/sea.jpg'] },
      tags: { entries: ['tag:sea', 'tag:salt'] },
    },
    translations: { de: { title: { value: 'Die Reise' }, body: { html: '<p>Das Meer</p>' } } },
    source: { address: 'https://old.example/posts/trip', formerly: ['/old-trip'] },
  })
  const body = JSON.stringify(trip?.values.body)
  expect(body).toContain('import:file:content%2Fposts%2Ftrip%2Fsea.jpg')
  expect(body).toContain('import:file:static%2Fimg%2Fmap.png')
  expect(body.match(/import:entry:content%2Fabout.md/g)).toHaveLength(2)
  expect(JSON.stringify(entryAt(site, '/about'))).toContain('import:entry:content%2Fposts%2Ftrip%2Findex.md')
  expect(entryAt(site, '/2023/the-year')).toMatchObject({ isPublished: false, source: { size: {} } })
  expect(site.files).toMatchObject([
    { name: 'sea.jpg', alt: 'The sea' },
    { name: 'map.png', alt: 'A map' },
  ])
  expect(site.notes.join()).toMatch(/Shortcodes stay as text: 1 \(\{\{< youtube\)/)
  expect(site.types.find(({ name }) => name === 'posts')?.fields).toMatchObject([
    { name: 'title', type: 'text', translatable: true },
    { name: 'date', type: 'datetime' },
    { name: 'cover', type: 'media', data: { kinds: ['image'] } },
    { name: 'body', type: 'richtext', translatable: true },
    { name: 'tags', type: 'relation', data: { target: 'tag', cardinality: 'many' } },
  ])
})

it('reads a site of Jekyll: addresses by date, drafts, links of Liquid, an archive with one folder', async () => {
  const site = await read({
    'blog-main/_config.yml': 'url: https://jekyll.example\npermalink: date',
    'blog-main/_posts/2020-01-02-first-post.md': page(
      'title: "First"\ncategories: News\nredirect_from:\n  - /a\nimage: /assets/a.png',
      '[Next]({% post_url 2020-02-03-second %})\n\n{% highlight js %}\nlet a\n{% endhighlight %}\n',
    ),
    'blog-main/_posts/2020-02-03-second.md': page('date: 2020-02-03 23:30:00 -0500', '# Second one'),
    'blog-main/_drafts/idea.md': page('title: Idea'),
    'blog-main/about.md': page('permalink: /about/'),
    'blog-main/assets/a.png': '',
    'blog-main/_site/copy.md': 'no',
  })
  expect(paths(site)).toEqual(['/2020/02/03/second', '/about', '/news/2020/01/02/first-post', '/posts/idea'])
  expect(entryAt(site, '/news/2020/01/02/first-post')).toMatchObject({
    type: 'posts',
    ids: [{ id: '_posts/2020-01-02-first-post.md' }],
    publishedAt: '2020-01-02T00:00:00.000Z',
    values: { image: { files: ['blog-main/assets/a.png'] } },
    source: { formerly: ['/news/2020/01/02/first-post.html', '/a'] },
  })
  const first = JSON.stringify(entryAt(site, '/news/2020/01/02/first-post'))
  expect(first).toContain('import:entry:blog-main%2F_posts%2F2020-02-03-second.md')
  expect(first).toContain(JSON.stringify(`<pre><code class="language-js">let a\n</code></pre>`).slice(1, -1))
  expect(entryAt(site, '/2020/02/03/second')).toMatchObject({
    page: { title: 'Second one' },
    publishedAt: '2020-02-04T04:30:00.000Z',
  })
  expect(entryAt(site, '/posts/idea')).toMatchObject({ isPublished: false })
})

it('reads collections of Astro and folders of languages', async () => {
  const astro = await read({
    'src/content/blog/first.md': page(
      "title: First\npubDate: 'Jul 08 2022'\nheroImage: '../../assets/hero.jpg'\nfeatured: true\norder: 3",
    ),
    'src/content/blog/second.mdx': page('title: Second', 'import X from "./x"\n\n<X>Inside</X>'),
    'src/assets/hero.jpg': '',
    'src/pages/index.md': 'no',
    'package.json': '{}',
  })
  expect(paths(astro)).toEqual(['/blog/first', '/blog/second'])
  expect(entryAt(astro, '/blog/first')).toMatchObject({
    publishedAt: '2022-07-08T00:00:00.000Z',
    values: {
      pubDate: { value: '2022-07-08T00:00:00.000Z' },
      heroImage: { files: ['src/assets/hero.jpg'] },
      featured: { value: true },
      order: { value: 3 },
    },
  })
  expect(entryAt(astro, '/blog/second')?.values.body).toEqual({ html: '<p>Inside</p>' })
  const folders = await read({
    'en/docs/a.md': page('title: A'),
    'de/docs/a.md': page('title: Ä'),
    'de/docs/only.md': page('title: Nur'),
    'js/docs/a.md': page('title: Script'),
  })
  expect(folders.locales.map(({ code }) => code)).toEqual(['en', 'de'])
  expect(paths(folders)).toEqual(['/docs/a', '/docs/only', '/js/docs/a'])
  expect(entryAt(folders, '/docs/a')?.translations).toEqual({ de: { title: { value: 'Ä' } } })
})

it('leaves out what cannot be read, with its place, and takes the rest', async () => {
  const laughs = `a: &a [x, x]\n${'bcdefghij'
    .split('')
    .map((name, i) => `${name}: &${name} [${`*${'abcdefghi'[i]}, `.repeat(9)}1]`)
    .join('\n')}`
  const site = await read({
    'good.md': page('title: Good'),
    'laughs.md': page(laughs),
    'deep.md': page(`a: ${'['.repeat(5000)}`),
    'list.md': page('- a\n- b'),
    'long.md': page(`a: ${'x'.repeat(100_001)}`),
    'text.md': page('title: Long', 'x'.repeat(500_001)),
    'quotes.md': page('title: Quotes', `${'>'.repeat(20_000)}a`),
    'bytes.md': page('title: Latin', 'Caf\ufffd'),
  })
  expect(paths(site)).toEqual(['/good'])
  expect(site.unread?.named.map(({ place, reason }) => `${place}: ${reason}`.slice(0, 60)).sort()).toEqual(
    [
      'bytes.md: is not UTF-8',
      'deep.md: the front matter cannot be read: ',
      'laughs.md: the front matter cannot be read: Excessive alias count in',
      'list.md: the front matter cannot be read: is not a list of names and',
      'long.md: the front matter is longer than 100000 characters',
      'quotes.md: the text is nested too deeply',
      'text.md: the text is longer than 500000 characters',
    ].map(one => expect.stringContaining(one.slice(0, 45))),
  )
})

it('keeps addresses apart, and names of fields valid', async () => {
  const site = await read({
    'a.md': page('title: A\nslug: same\n"my key": 1\n__proto__: x'),
    'b.md': page('title: B\nurl: /same/'),
    'c/d.md': page('title: D\nbody: mine\ntags: one, two'),
    'c/e e?.md': '# Only text',
  })
  expect(paths(site)).toEqual(['/c/d', '/c/e-e-', '/same', '/same-2'])
  const own = site.types.find(({ name }) => name === 'page')?.fields.map(({ name }) => name)
  expect(own).toEqual(expect.arrayContaining(['title', 'myKey', 'body']))
  expect(site.types.find(({ name }) => name === 'c')?.fields.map(({ name }) => name)).toEqual([
    ...['title', 'body2', 'body', 'tags'],
  ])
})

it('refuses a folder without Markdown', async () => {
  await expect(read({ 'a.txt': 'x' })).rejects.toThrow('no Markdown files')
  await expect(read({ 'a.md': page('- x') })).rejects.toThrow('a.md: the front matter cannot be read')
})

it.each([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31 10:00', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31T10:00:00.5+01:00', '2026-01-31T09:00:00.500Z'],
  ['2026-01-31 10:00:00 -0530', '2026-01-31T15:30:00.000Z'],
  ['Jul 08 2022', '2022-07-08T00:00:00.000Z'],
  ['8 July 2022', '2022-07-08T00:00:00.000Z'],
  ['Fri, 08 Jul 2022 10:00:00 GMT', '2022-07-08T10:00:00.000Z'],
  ['2026-13-31', undefined],
  ['May day parade', undefined],
  ['12', undefined],
])('reads the time %s', (text, time) => {
  expect(looseTimeOf(text)).toBe(time)
})
