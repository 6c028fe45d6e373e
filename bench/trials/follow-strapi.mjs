// Strapi 5 as a source that is followed: `--strapi DIR` names a folder whose node_modules has @strapi/strapi and better-sqlite3.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { caller, must } from './product.mjs'
import { folder, freePort, listens, program, until } from './programs.mjs'

const schema = (singular, plural, attributes) => ({
  ...{ kind: 'collectionType', collectionName: plural },
  info: { singularName: singular, pluralName: plural, displayName: singular },
  ...{ options: { draftAndPublish: true }, pluginOptions: {}, attributes },
})

const author = schema('author', 'authors', {
  name: { type: 'string', required: true },
  slug: { type: 'uid', targetField: 'name' },
  bio: { type: 'richtext' },
  photo: { type: 'media', multiple: false, allowedTypes: ['images'] },
  articles: { type: 'relation', relation: 'oneToMany', target: 'api::article.article', mappedBy: 'author' },
})

const article = schema('article', 'articles', {
  title: { type: 'string', required: true },
  slug: { type: 'uid', targetField: 'title' },
  teaser: { type: 'text' },
  body: { type: 'blocks' },
  notes: { type: 'richtext' },
  price: { type: 'decimal' },
  pages: { type: 'integer' },
  isHot: { type: 'boolean' },
  day: { type: 'date' },
  at: { type: 'datetime' },
  kind: { type: 'enumeration', enum: ['news', 'guide', 'review'] },
  extra: { type: 'json' },
  seo: { type: 'component', repeatable: false, component: 'shared.seo' },
  cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
  gallery: { type: 'media', multiple: true, allowedTypes: ['images'] },
  author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'articles' },
})

const seo = {
  collectionName: 'components_shared_seos',
  info: { displayName: 'seo' },
  options: {},
  attributes: { metaTitle: { type: 'string' }, metaDescription: { type: 'text' } },
}

const factory = (kind, uid) =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('${uid}')\n`

/** The token of the trial. */
const begin = `module.exports = {
  register() {},
  async bootstrap({ strapi }) {
    if (await strapi.db.query('admin::api-token').findOne({ where: { name: 'trial' } })) return
    const made = await strapi.service('admin::api-token').create({ name: 'trial', description: '', type: 'full-access', lifespan: null })
    require('node:fs').writeFileSync('token.txt', made.accessKey)
  },
}
`

/** Writes a minimal app. */
function write(at, modules, { port, shown }) {
  const put = (path, text) => {
    mkdirSync(dirname(join(at, path)), { recursive: true })
    writeFileSync(join(at, path), typeof text === 'string' ? text : JSON.stringify(text))
  }
  put('package.json', { name: 'trial', private: true, dependencies: { '@strapi/strapi': '*' }, strapi: {} })
  put(
    'config/server.js',
    `module.exports = { host: '127.0.0.1', port: ${port}, url: '${shown}', app: { keys: ['a', 'b'] }, cron: { enabled: false } }`,
  )
  put(
    'config/admin.js',
    `module.exports = { serveAdminPanel: false, autoOpen: false, auth: { secret: 'a secret 27' }, apiToken: { salt: 'salt 27' }, transfer: { token: { salt: 'salt 28' } }, secrets: { encryptionKey: 'key of 27 characters 123456' }, flags: { nps: false, promoteEE: false } }`,
  )
  put('config/api.js', 'module.exports = { rest: { defaultLimit: 25, maxLimit: 100, withCount: true } }')
  put(
    'config/database.js',
    `module.exports = { connection: { client: 'sqlite', connection: { filename: '${join(at, 'data.db')}' }, useNullAsDefault: true } }`,
  )
  put(
    'config/plugins.js',
    "module.exports = { 'users-permissions': { config: { jwtSecret: 'a secret 28' } } }",
  )
  put(
    'config/middlewares.js',
    "module.exports = ['strapi::errors', 'strapi::security', 'strapi::cors', 'strapi::query', 'strapi::body', 'strapi::session', 'strapi::favicon', 'strapi::public']",
  )
  put('src/index.js', begin)
  put('src/components/shared/seo.json', seo)
  for (const one of [author, article]) {
    const name = one.info.singularName
    const uid = `api::${name}.${name}`
    put(`src/api/${name}/content-types/${name}/schema.json`, one)
    put(`src/api/${name}/controllers/${name}.js`, factory('Controller', uid))
    put(`src/api/${name}/services/${name}.js`, factory('Service', uid))
    put(`src/api/${name}/routes/${name}.js`, factory('Router', uid))
  }
  mkdirSync(join(at, 'public/uploads'), { recursive: true })
  writeFileSync(join(at, 'favicon.png'), '')
  symlinkSync(modules, join(at, 'node_modules'))
}

/**
 * Starts Strapi and fills it over its API.
 * @param shown the address that the site believes to have
 * @returns a source to follow
 */
export async function strapi({ shown, documents, random, strapi: modules }) {
  if (!modules) throw new Error('--strapi DIR must name a folder whose node_modules has @strapi/strapi')
  const at = join(folder, 'strapi')
  const port = await freePort()
  write(at, join(modules, 'node_modules'), { port, shown })
  let server
  const start = async () => {
    const env = {
      PATH: process.env.PATH,
      HOME: at,
      NODE_ENV: 'production',
      STRAPI_TELEMETRY_DISABLED: 'true',
      STRAPI_DISABLE_UPDATE_NOTIFICATION: 'true',
    }
    server = program('strapi', process.execPath, ['node_modules/@strapi/strapi/bin/strapi.js', 'start'], {
      cwd: at,
      env,
    })
    await until(
      'Strapi listens',
      () => {
        if (server.isOver) throw new Error(`Strapi ended: ${server.log().slice(-3000)}`)
        return listens(port)
      },
      { ms: 180_000 },
    )
  }
  await start()
  const token = readFileSync(join(at, 'token.txt'), 'utf8')
  const key = { Authorization: `Bearer ${token}` }
  const { pick, chance, word } = random

  const pictures = []
  let made = 0
  const upload = async url => {
    const { default: sharp } = await import('sharp')
    const background = { r: Math.floor(random.next() * 256), g: made % 256, b: 77 }
    const png = await sharp({ create: { width: 64, height: 64, channels: 3, background } })
      .png()
      .toBuffer()
    const form = new FormData()
    const name = `picture-${++made}.png`
    form.append('files', new Blob([png], { type: 'image/png' }), name)
    form.append(
      'fileInfo',
      JSON.stringify({ name, alternativeText: `A square, number ${made}`, caption: `Caption ${made}` }),
    )
    const [{ id }] = await must(caller(url, key))('POST', '/api/upload', form)
    pictures.push(id)
  }
  const body = () => [
    { type: 'heading', level: 2, children: [{ type: 'text', text: `Part ${word()}` }] },
    {
      type: 'paragraph',
      children: [
        { type: 'text', text: 'Words of ' },
        { type: 'text', text: word(), bold: true },
        { type: 'text', text: ' & more' },
      ],
    },
    {
      ...{ type: 'list', format: 'unordered' },
      children: [{ type: 'list-item', children: [{ type: 'text', text: `one ${word()}` }] }],
    },
  ]
  const authors = []
  const articleData = () => ({
    ...{
      title: `Number ${word()}`,
      teaser: `Short ${word()}`,
      body: body(),
      notes: `Some **notes** ${word()}`,
    },
    ...{
      price: Math.floor(random.next() * 1000) / 4,
      pages: Math.floor(random.next() * 99),
      isHot: chance(0.5),
    },
    ...{ day: '2024-05-06', at: '2024-05-06T07:08:09.000Z', kind: pick(['news', 'guide', 'review']) },
    ...{ extra: { a: [1, word()] }, seo: { metaTitle: word(), metaDescription: `About ${word()}` } },
    ...(chance(0.7) ? { cover: pick(pictures) } : {}),
    ...(chance(0.2) ? { gallery: [pick(pictures), pick(pictures)] } : {}),
    ...(chance(0.9) ? { author: pick(authors) } : {}),
  })

  const editsOf = api => {
    const call = must((method, path, data) => api(method, `/api${path}`, data && { data }, key))
    const all = async (base, status) => {
      const found = []
      for (let page = 1; ; page++) {
        const { data } = await call(
          'GET',
          `/${base}?populate=*&sort=documentId&pagination[page]=${page}&pagination[pageSize]=100&status=${status}`,
        )
        found.push(...data)
        if (data.length < 100) return found
      }
    }
    const status = () => (chance(0.8) ? 'published' : 'draft')
    return {
      refresh: async () => undefined,
      all,
      async edit({ base, id }) {
        const what = random.weighted({
          text: 40,
          teaser: 10,
          picture: 8,
          relation: 8,
          component: 6,
          draft: 6,
          slug: 4,
        })
        const path = `/${base}/${id}`
        if (base === 'authors') {
          await call('PUT', `${path}?status=published`, {
            bio: `There ${word()}`,
            ...(chance(0.3) ? { name: `Named ${word()}` } : {}),
          })
          return 'author'
        }
        const data = {
          text: () => ({ title: `There ${word()}`, body: body() }),
          teaser: () => ({ teaser: `Short there ${word()}`, price: Math.floor(random.next() * 100) }),
          picture: () => ({ cover: chance(0.2) ? null : pick(pictures) }),
          relation: () => ({ author: chance(0.1) ? null : pick(authors) }),
          component: () => ({ seo: { metaTitle: word(), metaDescription: word() } }),
          draft: () => ({ title: `Draft ${word()}` }),
          slug: () => ({ slug: `there-${word()}` }),
        }[what]()
        await call('PUT', `${path}?status=${what === 'draft' ? 'draft' : 'published'}`, data)
        return what
      },
      async create() {
        const { data } = await call('POST', `/articles?status=${status()}`, articleData())
        return { base: 'articles', id: data.documentId }
      },
      remove: ({ base, id }) => call('DELETE', `/${base}/${id}`),
      async editShared() {
        if (chance(0.5)) {
          await upload(api.url)
          return 'upload'
        }
        const { data } = await call('POST', '/authors?status=published', {
          name: `Author ${word()}`,
          bio: word(),
        })
        authors.push(data.documentId)
        return 'new author'
      },
      async media() {
        const found = await must(api)('GET', '/api/upload/files', undefined, key)
        return found.map(({ id, alternativeText: alt }) => ({ id, alt: alt ?? '' }))
      },
      async records() {
        const found = []
        for (const base of ['articles', 'authors']) {
          const shown = new Set((await all(base, 'published')).map(one => one.documentId))
          for (const { documentId: id } of await all(base, 'draft'))
            found.push({ base, id, isPublic: shown.has(id) })
        }
        return found
      },
    }
  }

  const url = `http://127.0.0.1:${port}`
  const first = must(caller(url, key))
  // `compare` names 100 records that differ, and every author may be one.
  const [people, files] = [Math.max(3, Math.floor(documents / 40)), Math.max(3, Math.floor(documents / 10))]
  for (let i = 0; i < files; i++) await upload(url)
  for (let i = 0; i < people; i++) {
    const data = { name: `Author ${word()}`, bio: `Knows *${word()}*`, photo: pick(pictures) }
    authors.push((await first('POST', '/api/authors?status=published', { data })).data.documentId)
  }
  for (let i = 0; i < documents - people - files; i++)
    await first('POST', `/api/articles?status=${i % 10 === 3 ? 'draft' : 'published'}`, {
      data: articleData(),
    })

  const lists = ['articles', 'authors']
  return {
    ...{ system: 'strapi', token, ports: [port], root: '/api', options: [], lists },
    edited: lists,
    madeHere: {
      type: 'article',
      request: (datatype_id, slug) => [
        'POST',
        '/api/v1/content',
        { datatype_id, status: 'published', fields: { title: slug, slug } },
      ],
      find: (db, slug) =>
        db
          .prepare(
            `select content_data_id as id from content_fields join fields using (field_id)
             where name = 'slug' and field_value = ?`,
          )
          .get(slug)?.id,
    },
    /**
     * Differences that docs/moving-from/strapi.md lists: an author shows articles, of which Strapi shows drafts too, and
     * those that were changed or deleted here as they are here.
     */
    async exceptions(edits, here) {
      const shown = new Set((await edits.all('articles', 'published')).map(one => one.documentId))
      const found = new Set()
      for (const { documentId, author: of } of await edits.all('articles', 'draft'))
        if (of && (!shown.has(documentId) || here.has(`articles ${documentId}`))) found.add(of.documentId)
      for (const { documentId, author: of } of await edits.all('articles', 'published'))
        if (of && here.has(`articles ${documentId}`)) found.add(of.documentId)
      return (list, id, path) => list === 'authors' && path.startsWith('articles') && found.has(id)
    },
    /** The articles that an author shows there and here, without those that `compare` excepts. */
    async related(edits, here, own) {
      const shown = new Set((await edits.all('articles', 'published')).map(one => one.documentId))
      const isTold = ({ documentId: id }) => shown.has(id) && !here.has(`articles ${id}`)
      const found = []
      for (const author of await edits.all('authors', 'published')) {
        const told = list => [...new Set((list ?? []).filter(isTold).map(one => one.documentId))].join()
        const { json } = await own('GET', `/authors/${author.documentId}?populate[articles][fields][0]=title`)
        const [there, ours] = [told(author.articles), told(json?.data?.articles)]
        if (there !== ours) found.push(`${author.documentId} shows ${ours} instead of ${there}`)
      }
      return found
    },
    shows: path => path === 'teaser' || path === 'updatedAt',
    ...{ field: 'teaser', own: base => base === 'articles', editsOf, start },
    fileKey: id => `strapi file ${id}`,
    sourceKey: ({ id }) => `strapi document ${id}`,
    stop: () => server.kill(),
  }
}
