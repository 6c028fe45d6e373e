// Exports of other systems with any number of documents, written line by line. Documents name each other in circles: an
// article its author and articles before and after it, an author all of its articles.
import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import sharp from 'sharp'

/** An author has so many articles. */
const articlesOfAuthor = 20
const files = 100

/** Writes pictures, each of another colour. */
async function writePictures(at, name = i => `picture-${i}.png`, count = files) {
  mkdirSync(at, { recursive: true })
  for (let i = 0; i < count; i++)
    await sharp({ create: { width: 8, height: 8, channels: 3, background: { r: i, g: 255 - i, b: 77 } } })
      .png()
      .toFile(join(at, name(i)))
}

async function writeLines(path, lines) {
  mkdirSync(dirname(path), { recursive: true })
  const out = createWriteStream(path)
  let waiting = ''
  const flush = async () => {
    if (!out.write(waiting)) await new Promise(done => out.once('drain', done))
    waiting = ''
  }
  for (const line of lines) {
    waiting += `${line}\n`
    if (waiting.length > 2 ** 16) await flush()
  }
  await flush()
  await new Promise(done => out.end(done))
}

const time = i => new Date(Date.UTC(2015, 0, 1) + i * 60_000).toISOString()
const words = i => `Words of number ${i}, of which there are some. `.repeat(5 + (i % 20))
const authorOf = (i, authors) => (i * 7) % authors

/** How many of the documents are authors, and how many articles. */
function partsOf(documents) {
  const authors = Math.max(1, Math.floor(documents / (articlesOfAuthor + 1)))
  return { authors, articles: documents - authors }
}

/** Strapi 5: a document is published and has a draft row too, every tenth is a draft only. */
async function strapi(at, documents) {
  const { authors, articles } = partsOf(documents)
  const [author, article, file] = ['api::author.author', 'api::article.article', 'plugin::upload.file']
  const schema = (uid, name, attributes) =>
    JSON.stringify({
      ...{ uid, modelType: 'contentType', kind: 'collectionType' },
      info: { singularName: name, pluralName: `${name}s`, displayName: name },
      ...{ options: { draftAndPublish: true }, attributes },
    })
  const part = JSON.stringify({
    ...{ uid: 'shared.quote', modelType: 'component', info: { displayName: 'quote' } },
    attributes: { text: { type: 'text' } },
  })
  const relation = (kind, target, more) => ({ type: 'relation', relation: kind, target, ...more })
  const schemas = [
    part,
    schema(author, 'author', {
      name: { type: 'string', required: true },
      articles: relation('oneToMany', article, { mappedBy: 'author' }),
    }),
    schema(article, 'article', {
      ...{ title: { type: 'string', required: true }, slug: { type: 'uid' }, body: { type: 'blocks' } },
      cover: { type: 'media', multiple: false, allowedTypes: ['images', 'files'] },
      author: relation('manyToOne', author, { inversedBy: 'articles' }),
      next: relation('oneToOne', article),
      parts: { type: 'dynamiczone', components: ['shared.quote'] },
    }),
  ]
  const isShown = i => i % 10 !== 3
  /** The rows of a document: the draft, and the published one. */
  const rows = i => (isShown(i) ? [2 * i + 1, 2 * i + 2] : [2 * i + 1])
  const row = (type, id, i, data) => {
    const publishedAt = id % 2 === 0 ? time(i + 5) : null
    const times = { createdAt: time(i), updatedAt: time(i + 5), publishedAt }
    return JSON.stringify({ type, id, data: { documentId: `${type.at(5)}${i}`, ...times, ...data } })
  }
  function* entities() {
    for (let i = 0; i < authors; i++)
      for (const id of rows(10 * i)) yield row(author, id, 10 * i, { name: `Author ${i}` })
    for (let i = 0; i < articles; i++)
      for (const id of rows(i)) {
        const body = [{ type: 'paragraph', children: [{ type: 'text', text: words(i) }] }]
        const quotes = i % 10 === 0 ? [{ __component: 'shared.quote', id, text: `Quote ${i}` }] : []
        yield row(article, id, i, { title: `Number ${i}`, slug: `number-${i}`, body, parts: quotes })
      }
    for (let i = 0; i < files; i++)
      yield JSON.stringify({
        ...{ type: file, id: i + 1 },
        data: { name: `picture-${i}.png`, hash: `h${i}`, ext: '.png', mime: 'image/png' },
      })
  }
  function* links() {
    for (let i = 0; i < articles; i++)
      for (const ref of rows(i)) {
        const end = field => ({ type: article, ref, field })
        const target = (i + 1) % articles
        const state = ref % 2 === 0 && isShown(target) ? 2 : 1
        const to = 10 * authorOf(i, authors)
        const pair = (left, right) => JSON.stringify({ kind: 'relation.basic', left, right })
        yield pair(end('author'), {
          type: author,
          ref: 2 * to + (ref % 2 === 0 && isShown(to) ? 2 : 1),
          field: 'articles',
          pos: i,
        })
        yield pair(end('next'), { type: article, ref: 2 * target + state })
        const picture = { type: file, ref: (i % files) + 1, field: 'related' }
        yield JSON.stringify({ kind: 'relation.morph', left: picture, right: { ...end('cover'), pos: 1 } })
      }
  }
  await writeLines(join(at, 'schemas/schemas_00001.jsonl'), schemas)
  await writeLines(join(at, 'entities/entities_00001.jsonl'), entities())
  await writeLines(join(at, 'links/links_00001.jsonl'), links())
  await writePictures(join(at, 'assets/uploads'), i => `h${i}.png`)
  return Math.ceil(articles / 10)
}

async function sanity(at, documents) {
  const { authors, articles } = partsOf(documents)
  const reference = _ref => ({ _type: 'reference', _ref })
  function* lines() {
    for (let i = 0; i < authors; i++) {
      const own = Array.from({ length: 3 }, (_, j) => ({
        ...reference(`article-${(i * 11 + j) % articles}`),
        _key: `k${j}`,
      }))
      const times = { _createdAt: time(i), _updatedAt: time(i + 5) }
      yield JSON.stringify({ _id: `author-${i}`, _type: 'author', ...times, name: `Author ${i}`, best: own })
    }
    for (let i = 0; i < articles; i++)
      yield JSON.stringify({
        ...{ _id: `${i % 10 === 3 ? 'drafts.' : ''}article-${i}`, _type: 'article' },
        ...{ _createdAt: time(i), _updatedAt: time(i + 5), title: `Number ${i}` },
        slug: { _type: 'slug', current: `number-${i}` },
        author: reference(`author-${authorOf(i, authors)}`),
        ...((i + 1) % 10 === 3 ? {} : { next: reference(`article-${(i + 1) % articles}`) }),
        cover: { _type: 'image', _sanityAsset: `image@file://./images/picture-${i % files}.png` },
        body: [
          {
            ...{ _type: 'block', _key: 'b', style: 'normal', markDefs: [] },
            children: [{ _type: 'span', _key: 's', marks: [], text: words(i) }],
          },
        ],
      })
  }
  await writeLines(join(at, 'data.ndjson'), lines())
  await writePictures(join(at, 'images'))
}

async function wordpress(at, documents) {
  const authors = 20
  const terms = Math.max(1, Math.floor(documents / 100))
  const posts = documents - terms - authors
  const base = 'https://old.example'
  const uploads = `${base}/wp-content/uploads/2024/01`
  const first = 10_000
  const date = i => time(i).slice(0, 19).replace('T', ' ')
  function* lines() {
    yield '<?xml version="1.0" encoding="UTF-8" ?>'
    yield '<rss version="2.0" xmlns:excerpt="e" xmlns:content="c" xmlns:dc="d" xmlns:wp="w"><channel>'
    yield `<title>Old</title><wp:wxr_version>1.2</wp:wxr_version><wp:base_site_url>${base}</wp:base_site_url><wp:base_blog_url>${base}</wp:base_blog_url>`
    for (let i = 0; i < authors; i++)
      yield `<wp:author><wp:author_id>${i + 1}</wp:author_id><wp:author_login>writer${i}</wp:author_login><wp:author_display_name>Writer ${i}</wp:author_display_name></wp:author>`
    for (let i = 0; i < terms; i++)
      yield `<wp:category><wp:term_id>${i + 1}</wp:term_id><wp:category_nicename>category-${i}</wp:category_nicename><wp:category_parent>${i % 5 === 4 ? 'category-0' : ''}</wp:category_parent><wp:cat_name>Category ${i}</wp:cat_name></wp:category>`
    for (let i = 0; i < files; i++) {
      yield `<item><title>Picture ${i}</title><link>${base}/picture-${i}/</link><dc:creator>writer0</dc:creator><wp:post_id>${i + 1}</wp:post_id>`
      yield `<wp:post_date>${date(i)}</wp:post_date><wp:post_date_gmt>${date(i)}</wp:post_date_gmt><wp:post_name>picture-${i}</wp:post_name>`
      yield `<wp:status>inherit</wp:status><wp:post_type>attachment</wp:post_type><wp:attachment_url>${uploads}/picture-${i}.png</wp:attachment_url></item>`
    }
    for (let i = 0; i < posts; i++) {
      const category = i % terms
      yield `<item><title>Number ${i}</title><link>${base}/number-${i}/</link><dc:creator>writer${i % authors}</dc:creator><wp:post_id>${first + i}</wp:post_id>`
      yield `<content:encoded><![CDATA[<!-- wp:paragraph --><p>${words(i)}<a href="${base}/number-${(i + 1) % posts}/">next</a></p><!-- /wp:paragraph -->]]></content:encoded>`
      yield `<wp:post_date>${date(i)}</wp:post_date><wp:post_date_gmt>${date(i)}</wp:post_date_gmt><wp:post_modified_gmt>${date(i + 5)}</wp:post_modified_gmt><wp:post_name>number-${i}</wp:post_name>`
      yield `<wp:status>${i % 10 === 3 ? 'draft' : 'publish'}</wp:status><wp:post_type>post</wp:post_type>`
      yield `<category domain="category" nicename="category-${category}"><![CDATA[Category ${category}]]></category>`
      yield `<wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key><wp:meta_value>${(i % files) + 1}</wp:meta_value></wp:postmeta></item>`
    }
    yield '</channel></rss>'
  }
  await writeLines(join(at, 'old.xml'), lines())
  await writePictures(join(at, 'wp-content/uploads/2024/01'))
}

async function contentful(at, documents) {
  const { authors, articles } = partsOf(documents)
  const link = (id, linkType = 'Entry') => ({ sys: { type: 'Link', linkType, id } })
  const field = (id, type, more) => ({ id, name: id, type, ...more })
  const entryLink = { linkType: 'Entry' }
  const contentTypes = [
    {
      ...{ sys: { id: 'author' }, name: 'Author', displayField: 'name' },
      fields: [field('name', 'Symbol'), field('best', 'Link', entryLink)],
    },
    {
      ...{ sys: { id: 'article' }, name: 'Article', displayField: 'title' },
      fields: [
        ...[field('title', 'Symbol'), field('slug', 'Symbol'), field('body', 'Text')],
        ...[field('author', 'Link', entryLink), field('next', 'Link', entryLink)],
        field('cover', 'Link', { linkType: 'Asset' }),
      ],
    },
  ]
  const entry = (type, id, i, values, isShown = true) => {
    const sys = {
      ...{ id, createdAt: time(i), updatedAt: time(i + 5), contentType: { sys: { id: type } } },
      ...(isShown ? { publishedAt: time(i + 5), publishedVersion: 1, version: 2 } : { version: 1 }),
    }
    const fields = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { en: value }]))
    return JSON.stringify({ sys, fields })
  }
  function* entries() {
    for (let i = 0; i < authors; i++)
      yield entry('author', `author-${i}`, i, {
        name: `Author ${i}`,
        best: link(`article-${(11 * i) % articles}`),
      })
    for (let i = 0; i < articles; i++)
      yield entry(
        ...['article', `article-${i}`, i],
        {
          ...{ title: `Number ${i}`, slug: `number-${i}`, body: words(i), cover: link('picture', 'Asset') },
          author: link(`author-${authorOf(i, authors)}`),
          next: link(`article-${(i + 1) % articles}`),
        },
        i % 10 !== 3,
      )
  }
  const asset = {
    sys: { id: 'picture', createdAt: time(0), updatedAt: time(0), publishedVersion: 1, version: 2 },
    fields: {
      title: { en: 'Picture' },
      file: {
        en: { url: '//images.example/picture.png', fileName: 'picture.png', contentType: 'image/png' },
      },
    },
  }
  function* lines() {
    yield `{"contentTypes":${JSON.stringify(contentTypes)},"locales":[{"code":"en","default":true,"name":"English"}],`
    yield `"assets":[${JSON.stringify(asset)}],"entries":[`
    let comma = ''
    for (const one of entries()) {
      yield comma + one
      comma = ','
    }
    yield ']}'
  }
  await writeLines(join(at, 'export.json'), lines())
  await writePictures(join(at, 'images.example'), () => 'picture.png', 1)
}

/** Each writes an export of so many documents into a folder. @returns how many entries below others they have */
export const exporters = { strapi, sanity, wordpress, contentful }
