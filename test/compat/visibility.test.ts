import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'

const app = await testApp({ client_site: 'site.example' })
const { call } = app
const make = factories(app)

/** A story is by an author, who is of a house, which is in a town: three relations. */
const typeOf: Record<string, string> = {}
for (const [name, more] of Object.entries({
  town: {},
  house: {},
  author: {},
  story: { visibility: 'public' },
})) {
  const { datatype_id } = await make.datatype(name, { type: '_global', name, ...more })
  typeOf[name] = datatype_id
  await make.field(datatype_id, 'Title', 'text')
  await make.field(datatype_id, 'Phone', 'text')
}
const relate = (name: string, target: string) =>
  make.field(typeOf[name] ?? '', target, 'relation', { data: { target } })
await relate('story', 'author')
await relate('author', 'house')
await relate('house', 'town')

const published = async (name: string, fields: object) =>
  (await make.entry(typeOf[name] ?? '', {}, { status: 'published', fields })).content_data_id as string
const town = await published('town', { title: 'T', phone: '+49-town' })
const house = await published('house', { title: 'H', phone: '+49-house', town })
const author = await published('author', { title: 'A', phone: '+49-author', house })
const story = await published('story', { title: 'S', phone: '+49-story', author })
const draft = await make.entry(typeOf.author ?? '', {}, { status: 'draft', fields: { title: 'D' } })
await published('story', { title: 'of a draft', author: draft.content_data_id })

const names = ['author', 'house', 'town']
const idOf: Record<string, string> = { author, house, town }
type Level = 'private' | 'linked' | 'public'
async function setLevels(...levels: readonly Level[]) {
  for (const [i, visibility] of levels.entries())
    await call('PUT', `/api/v1/datatypes/?q=${typeOf[names[i] ?? '']}`, { body: { visibility } })
}

const contentful = '/compat/contentful/spaces/s/environments/master'
const strapi = '/compat/strapi/api'
const wordpress = '/compat/wordpress/wp-json/wp/v2'
const groq = (query: string) =>
  `/compat/sanity/v2024-01-01/data/query/production?query=${encodeURIComponent(query)}`
/** Every way on which a root shows what relations name, as far as it goes. */
const showing: Record<string, string> = {
  'Strapi, populate': `${strapi}/stories?populate[author][populate][house][populate]=town`,
  'Strapi, populate of one': `${strapi}/stories/${story}?populate[author][populate][house][populate]=town`,
  'Contentful, include': `${contentful}/entries?content_type=story&include=5`,
  'Contentful, by ids': `${contentful}/entries?sys.id[in]=${story}&include=5`,
  'Sanity, -> three times': groq('*[_type=="story"]{title,author->{phone,house->{phone,town->{phone}}}}'),
  'Sanity, by id': groq(`*[_id=="${story}"][0]{title,author->{phone,house->{phone,town->{phone}}}}`),
  'WordPress, _embed': `${wordpress}/stories?_embed=1`,
}

const ask = (path: string, as: 'nobody' | 'viewer' | 'editor' = 'nobody') => call('GET', path, { as })

it.each<[Level[], string[]]>([
  [['private', 'public', 'public'], []],
  [['linked', 'private', 'public'], ['author']],
  [
    ['linked', 'linked', 'private'],
    ['author', 'house'],
  ],
  [['linked', 'linked', 'linked'], names],
  [['public', 'public', 'public'], names],
])('no root shows what is private, at any depth: %j', async (levels, shown) => {
  await setLevels(...levels)
  for (const [way, path] of Object.entries(showing))
    for (const as of ['nobody', 'viewer'] as const) {
      const { status, text } = await ask(path, as)
      expect([way, as, status]).toEqual([way, as, 200])
      const seen = names.filter(name => text.includes(`+49-${name}`) || text.includes(idOf[name] ?? ''))
      // WordPress goes one relation far, and to what its parts are.
      const expected = way.startsWith('WordPress') ? shown.filter(name => seen.includes(name)) : shown
      expect([way, as, seen]).toEqual([way, as, expected])
    }
})

it('no root lists a private datatype, whoever asks for what is published', async () => {
  await setLevels('private')
  for (const path of [
    `${strapi}/authors`,
    `${strapi}/authors/${author}`,
    `${contentful}/entries?content_type=author`,
  ]) {
    expect([path, (await ask(path)).status]).toEqual([path, path.includes('contentful') ? 401 : 403])
    const { status, text } = await ask(path, 'editor')
    expect([path, [403, 404].includes(status), text.includes('+49-author')]).toEqual([path, true, false])
  }
  for (const as of ['nobody', 'viewer'] as const) {
    const { body } = await ask(groq('*[_type=="author"]{phone}'), as)
    expect(body.result).toEqual([])
    expect((await ask(groq(`*[_id=="${author}"]{phone}`), as)).body.result).toEqual([])
    const { items } = (await ask(`${contentful}/content_types`, as)).body
    expect(items.map(({ sys }: { sys: { id: string } }) => sys.id)).not.toContain('author')
  }
  const drafts = await call('GET', `${strapi}/authors?status=draft`, { as: 'editor' })
  expect([drafts.status, drafts.text.includes('+49-author')]).toEqual([200, true])
})

/** One condition on the phone of an author, in the words of each system. */
const conditions: Record<string, string> = {
  Strapi: `${strapi}/stories?filters[author][phone][$startsWith]=%2B49`,
  'Strapi, among others': `${strapi}/stories?filters[$or][0][title]=x&filters[$or][1][author][phone][$eq]=%2B49-author`,
  'Strapi, not': `${strapi}/stories?filters[$not][author][phone][$eq]=x`,
  Contentful: `${contentful}/entries?content_type=story&fields.author.fields.phone=%2B49-author&fields.author.sys.contentType.sys.id=author`,
  'Contentful, match': `${contentful}/entries?content_type=story&fields.author.fields.phone[match]=49`,
  Sanity: groq('*[_type=="story" && author->phone == "+49-author"]{title}'),
  'Sanity, count': groq('count(*[_type=="story" && author->phone == "+49-author"])'),
}

it.each(Object.entries(conditions))(
  'a condition of %s looks into what the caller may list',
  async (_, path) => {
    const answers = async () => {
      const stranger = await ask(path)
      const withKey = await call('GET', path, { as: 'nobody', headers: { Authorization: `Bearer ${key}` } })
      return [stranger.status, withKey.status, withKey.status === 200 && withKey.text.length > 0]
    }
    const { body } = await call('POST', '/api/v1/tokens', { body: { permissions: ['content:read'] } })
    const key = body.token
    await setLevels('linked')
    expect(await answers()).toEqual([400, 200, true])
    // The other order: what was kept for one is not given to the other.
    expect(await answers()).toEqual([400, 200, true])
    expect((await ask(path)).text).toContain('the public entries in author have no field')
    await setLevels('public')
    expect(await answers()).toEqual([200, 200, true])
    await setLevels('private')
    expect(await answers()).toEqual([400, 400, false])
  },
)

it('no condition tells whether a published entry refers to a draft', async () => {
  await setLevels('linked')
  const id = draft.content_data_id
  for (const path of [
    `${strapi}/stories?filters[author][documentId][$eq]=${id}`,
    `${strapi}/stories?filters[author][id][$in][0]=${draft.numeric_id}`,
    `${contentful}/entries?content_type=story&fields.author.sys.id=${id}`,
    `${contentful}/entries?content_type=story&links_to_entry=${id}`,
    groq(`*[_type=="story" && author._ref == "${id}"]`),
    groq(`*[_type=="story" && references("${id}")]`),
  ]) {
    const { status, text } = await ask(path)
    expect([path, status, text.includes('of a draft')]).toEqual([path, 200, false])
  }
})

it('a wrong key gets what anybody does, and keeps nothing from a right one', async () => {
  await setLevels('linked')
  const { body } = await call('POST', '/api/v1/tokens', { body: { permissions: ['content:read'] } })
  const asked = async (path: string, key: string) => {
    const headers = { Authorization: `Bearer ${key}` }
    return call('GET', path, { as: 'nobody', headers })
  }
  const types = `${contentful}/content_types`
  const isAuthor = ({ sys }: { sys: { id: string } }) => sys.id === 'author'
  for (let i = 0; i < 2; i++) {
    const [wrong, right] = [await asked(types, 'nobodys'), await asked(types, body.token)]
    expect([wrong, right].map(({ body }) => body.items.some(isAuthor))).toEqual([false, true])
  }
  // A relation that may name anything: with a right key it is looked into what is linked.
  const { field_id } = await make.field(typeOf.story ?? '', 'About', 'relation')
  await published('story', { title: 'about A', about: author })
  const path = `${strapi}/stories?filters[about][title][$eq]=A`
  for (const key of ['nobodys', body.token, 'nobodys', body.token]) {
    const { status, text } = await asked(path, key)
    expect([key, status, text.includes('about A')]).toEqual([key, 200, key === body.token])
  }
  await call('DELETE', `/api/v1/fields/?q=${field_id}&recursive=true`)
})
