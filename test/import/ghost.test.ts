import { expect, it } from 'vitest'
import type { ExportFiles, ImportedSite } from '../../src/services/import/site.js'
import { readGhost } from '../../src/systems/ghost/index.js'

const files = (texts: Record<string, string>): ExportFiles => ({
  names: Object.keys(texts),
  text: async name => texts[name] ?? '',
  async *lines() {},
})
const exported = (data: object): string => JSON.stringify({ db: [{ meta: { version: '5.9.0' }, data }] })
const read = (data: object, more: Record<string, string> = {}) =>
  readGhost(files({ 'blog.ghost.json': exported(data), ...more }))

const post = (id: string, more: object = {}) => ({
  ...{ id, title: `Post ${id}`, slug: `post-${id}`, type: 'post', status: 'published', visibility: 'public' },
  ...{ created_at: '2023-01-01T10:00:00.000Z', updated_at: '2023-02-01T10:00:00.000Z' },
  ...{ published_at: '2023-01-02T10:00:00.000Z', html: `<p>Text ${id}</p>` },
  ...more,
})
const entry = ({ entries }: ImportedSite, key: string) => entries.find(one => one.key === key)
const bodyOf = (site: ImportedSite, key: string): string => {
  const body = entry(site, key)?.values.body
  return body && 'html' in body ? body.html : ''
}

it('reads posts with their tags, authors, pictures and links', async () => {
  const site = await read(
    {
      posts: [
        post('1', {
          feature_image: '__GHOST_URL__/content/images/2023/01/sea.jpg',
          custom_excerpt: 'Short',
          featured: 1,
          html: '<p>See <a href="__GHOST_URL__/about/#team">us</a> and <a href="__GHOST_URL__/rss/">the feed</a></p><figure class="kg-card"><img src="__GHOST_URL__/content/images/size/w600/2023/01/sea.jpg" alt="Waves"><figcaption>The sea</figcaption></figure><img src="https://cdn.example/x.jpg">',
        }),
        post('2', { type: 'page', slug: 'about' }),
        { title: 'Without id' },
      ],
      tags: [
        { id: 't1', name: 'News', slug: 'news' },
        { id: 't2', name: '#hidden', slug: 'hash-hidden', visibility: 'internal' },
      ],
      users: [
        {
          id: 'u1',
          name: 'Jane',
          slug: 'jane',
          email: 'jane@example.com',
          password: 'secret',
          bio: 'Writes',
        },
      ],
      posts_tags: [
        { post_id: '1', tag_id: 't2', sort_order: 0 },
        { post_id: '1', tag_id: 't1', sort_order: 1 },
      ],
      posts_authors: [{ post_id: '1', author_id: 'u1' }],
      posts_meta: [{ post_id: '1', feature_image_alt: 'The sea', meta_title: 'Meta' }],
      members: [{ id: 'm1', email: 'reader@example.com' }],
    },
    { 'content/images/2023/01/sea.jpg': '' },
  )
  expect(entry(site, 'post:1')).toMatchObject({
    ids: [{ kind: 'post', id: '1' }],
    type: 'post',
    page: { path: '/post-1', title: 'Post 1' },
    isPublished: true,
    createdAt: '2023-01-01T10:00:00.000Z',
    changedAt: '2023-02-01T10:00:00.000Z',
    publishedAt: '2023-01-02T10:00:00.000Z',
    values: {
      excerpt: { value: 'Short' },
      featured: { value: true },
      featureImage: { files: ['/content/images/2023/01/sea.jpg'] },
      authors: { entries: ['author:u1'] },
      tags: { entries: ['tag:t1'] },
      metaTitle: { value: 'Meta' },
    },
  })
  expect(bodyOf(site, 'post:1')).toBe(
    '<p>See <a href="import:entry:post%3A2">us</a> and <a href="/rss/">the feed</a></p>' +
      '<figure class="kg-card"><img src="import:file:%2Fcontent%2Fimages%2F2023%2F01%2Fsea.jpg" alt="Waves"><figcaption>The sea</figcaption></figure>' +
      '<img src="https://cdn.example/x.jpg">',
  )
  expect(site.files).toEqual([
    {
      ...{
        key: '/content/images/2023/01/sea.jpg',
        ids: [{ kind: 'file', id: '/content/images/2023/01/sea.jpg' }],
      },
      ...{ name: 'sea.jpg', at: 'content/images/2023/01/sea.jpg', alt: 'The sea' },
    },
  ])
  expect(entry(site, 'post:2')).toMatchObject({ type: 'page', page: { path: '/about' } })
  expect(site.unread).toMatchObject({ count: 1, named: [{ place: 'posts 3' }] })
  expect(JSON.stringify(site)).not.toMatch(/example\.com|secret|hidden"/)
  expect(site.notes.join('\n')).toMatch(/Members.*\(members\)[\s\S]*Internal tags.*#hidden/)
})

it('makes nothing more public than it was', async () => {
  const site = await read({
    posts: [
      post('1', { visibility: 'paid' }),
      post('2', { status: 'sent' }),
      post('3', { status: 'scheduled', published_at: '2999-01-01T00:00:00.000Z' }),
      post('4', { status: 'scheduled', visibility: 'members', published_at: '2999-01-01T00:00:00.000Z' }),
      post('5', { status: 'draft', published_at: null }),
    ],
  })
  expect(site.entries.map(({ isPublished, publishAt }) => [isPublished, publishAt])).toEqual([
    [false, undefined],
    [false, undefined],
    [false, '2999-01-01T00:00:00.000Z'],
    [false, undefined],
    [false, undefined],
  ])
})

it('reads texts of both editors where there is no HTML', async () => {
  const text = (value: string, format = 0) => ({ type: 'extended-text', text: value, format })
  const lexical = {
    root: {
      type: 'root',
      children: [
        { type: 'extended-heading', tag: 'h2', children: [text('A < B')] },
        {
          type: 'paragraph',
          children: [
            text('bold', 3),
            { type: 'linebreak' },
            { type: 'link', url: 'https://a.example', children: [text('a')] },
          ],
        },
        { type: 'list', listType: 'number', children: [{ type: 'listitem', children: [text('one')] }] },
        { type: 'image', src: '__GHOST_URL__/content/images/a.png', alt: 'A', caption: 'The <b>a</b>' },
        { type: 'codeblock', code: '<x>' },
        { type: 'paywall' },
      ],
    },
  }
  const mobiledoc = {
    version: '0.3.1',
    atoms: [['soft-return', '', {}]],
    cards: [['image', { src: 'https://b.example/b.png' }]],
    markups: [['em'], ['a', ['href', 'https://c.example']]],
    sections: [
      [1, 'h1', [[0, [], 0, 'Title']]],
      [
        1,
        'p',
        [
          [0, [0], 1, 'em'],
          [1, [], 0, 0],
          [0, [1], 1, 'link'],
        ],
      ],
      [3, 'ul', [[[0, [], 0, 'one']]]],
      [10, 0],
    ],
  }
  const site = await read({
    posts: [
      post('1', { html: null, lexical: JSON.stringify(lexical) }),
      post('2', { html: '', mobiledoc: JSON.stringify(mobiledoc) }),
      post('3', { html: null, lexical: '{' }),
      post('4', { html: null, lexical: `{"root":${'{"children":['.repeat(60)}` }),
    ],
  })
  expect(bodyOf(site, 'post:1')).toBe(
    '<h2>A &#x3C; B</h2><p><strong><em>bold</em></strong><br><a href="https://a.example">a</a></p><ol><li>one</li></ol>' +
      '<figure><img src="import:file:%2Fcontent%2Fimages%2Fa.png" alt="A"><figcaption>The <b>a</b></figcaption></figure><pre><code>&#x3C;x></code></pre>',
  )
  expect(bodyOf(site, 'post:2')).toBe(
    '<h1>Title</h1><p><em>em</em><br><a href="https://c.example">link</a></p><ul><li>one</li></ul>' +
      '<figure><img src="https://b.example/b.png" alt=""></figure>',
  )
  expect(site.notes.join('\n')).toMatch(/Cards.*\(paywall\)[\s\S]*Texts that cannot be read are left out: 2/)
})

it.each([
  ['text', '[', 'blog.json: is not JSON'],
  ['another JSON', '{"db":[{"data":{}}]}', 'no .json file of Ghost'],
  ['JSON that is nested deep', `${'['.repeat(200)}${']'.repeat(200)}`, 'nested deeper than 100 levels'],
  ['an export without posts', exported({ posts: [] }), 'no posts and no pages'],
])('refuses %s', async (_, text, reason) => {
  await expect(readGhost(files({ 'blog.json': text }))).rejects.toThrow(reason)
})
