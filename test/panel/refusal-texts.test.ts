import { describe, expect, it } from 'vitest'
import { refusals as german } from '../../src/texts/de/refusals.js'
import { refusals as french } from '../../src/texts/fr/refusals.js'
import { refusalsIn, valuesIn } from '../../src/texts/refusals.js'
import { testApp } from '../support/app.js'
import { errorSentences } from '../support/error-sentences.js'
import { factories } from '../support/factories.js'

const app = await testApp()
const { call, send } = app
const { datatype, field, route, entry } = factories(app)

/** Where the refusals come from that the forms of the panel show. */
const inForms =
  /^src\/(?:services\/(?:accounts|content|import|media|operation|review|webhooks|limited|secrets|sentences|text)|errors|actor|panel|resources|middleware\/request-body|db\/dialects)/
/** Codes of refusals that only programs meet. */
const ofPrograms = new Set([
  ...['malformed', 'start', 'key_reused', 'answer_lost', 'still_running', 'unsupported_media_type'],
  ...['method_not_allowed', 'sign_in_pending', 'sign_in_denied', 'sign_in_expired', 'unauthenticated'],
  // A sentence of the panel says these in all languages (limited.ts).
  ...['outside_limits', 'unknown_member', 'foreign_key'],
])

/** A sentence without the names of members before it. */
function bare(sentence: string): string {
  const rest = sentence.replace(/^(?:…|[\w.…]+): (?=.*\p{L}{2})/u, '')
  return rest === sentence ? rest : bare(rest)
}

const { sentences } = errorSentences()
const met = new Set(
  sentences
    .filter(({ code, file }) => !ofPrograms.has(code) && inForms.test(file))
    .map(one => bare(one.sentence).replace('at … ', 'at least ')),
)
const isWorded = (sentence: string) => /\p{L}{2}.*\p{L}{2}/u.test(sentence.replaceAll('…', ''))

/** Sentences about what no form of the panel can send. */
const notFromForms: readonly string[] = [
  '',
  'Diese Seite gibt es nicht. Vielleicht wurde sie gelöscht oder verschoben.',
  'Missing code parameter',
  'a child entry must have the same route as its parent',
  'a revoked key cannot be restored',
  'a role or API key with limits cannot change roles',
  'a … field has no such setting: …',
  'an API key cannot allow a key more requests than it may make itself',
  'an API key cannot create a key that expires later than itself',
  'an API key with a rate limit cannot create keys',
  'an API key with limits cannot create or change a key that may change more of the site',
  'api_key',
  'datatype_id cannot change while the entry has field values',
  'differs from role_id',
  'foreign key failure: content_version_id names no version',
  'give either target or route_id',
  'guests cannot change anything: sign in first',
  'is in use',
  'is not a child of this entry',
  'is not a field of this entry',
  'is too repetitive: it needs at least … different pairs of neighbouring characters',
  'must contain at least one, or be null for all permissions of the user',
  'must contain every child of the parent exactly once',
  'must have a filter, a search or an order',
  'must look like resource:operation',
  'must name a field and its place',
  'must name an entry',
  'names nothing that can be undone',
  'no media item has the id …',
  'nothing would change: the entry already has the proposed values',
  'only api_key can be created',
  'public-key',
  'route_id or parent_id: an entry needs one of them unless its datatype is of type _global',
  "sessions don't match",
  'slugline',
  'tags: ',
  'the datatype "…" is private: queries and searches show only what the public sees',
  'the stored snapshot has …, and this version of the service reads format …',
  'the user of the key does not have …',
  'there are no media records, so every file would be deleted: use force=true to delete them anyway',
  'this entry is a draft: agents can change published entries and their own open proposals',
  'this is the locale of `fields`: put the values there',
  'this key is read-only',
  'this page has unpublished changes: wait until they are published or discarded',
  'this sign-in is … already',
  'token already exists',
  '… have … …, and one request can have at most …: send the parts one by one',
  '… of your proposals are waiting for a review: wait for the answers',
  'must be 1 to 64 ASCII letters, digits, dots, hyphens or underscores',
  'must be 1 to … ids of the trash',
  'must be 16 to 255 visible ASCII characters',
  'must be a JSON object',
  'must be a field of the entry’s datatype',
  'must be a path',
  'must be a version of the same entry',
  'must be an array',
  'must be an object',
  'must be base64url without padding',
  'must be in the Unicode form NFC',
  'must be slk_ and 32 random bytes as base64url without padding',
  'must be the route of the entry',
  'must be …',
  'must be … …',
]

describe.each([
  ['German', german],
  ['French', french],
])('refusals in %s', (_, texts) => {
  it('are said with the values of the English sentence', () => {
    const wrong = Object.entries(texts).filter(([english, translated]) => {
      const values = english.split('…').length - 1
      const used = [...translated.matchAll(/\{(\d+)\}/g)].map(([, n]) => Number(n))
      return translated.trim() === '' || used.some(n => n < 1 || n > values)
    })
    expect(wrong).toEqual([])
  })

  it('are those that the service has', () => {
    const templates = sentences.map(({ sentence }) => bare(sentence).split('…'))
    const unknown = Object.keys(texts).filter(english => !templates.some(parts => valuesIn(english, parts)))
    expect(unknown).toEqual([])
  })

  it('are all that a form may be answered with', () => {
    const said = refusalsIn(texts)
    const missing = [...met].filter(
      sentence => isWorded(sentence) && !notFromForms.includes(sentence) && said(sentence) === sentence,
    )
    expect(missing).toEqual([])
  })
})

describe('a refusal in a language', () => {
  const said = refusalsIn({
    'is required': 'fehlt',
    'must have at most …': 'darf höchstens {1} haben',
    'must have at most … characters': 'darf höchstens {1} Zeichen haben',
    'must be …, but … is …': '{2} ist {3}, nicht {1}',
    'there is no event ……': 'es gibt kein Ereignis {1}{2}',
    '… is taken, … is available': '{2} ist frei, {1} nicht',
  })

  it.each([
    ['is required', 'fehlt'],
    ['price: is required', 'price: fehlt'],
    ['must have at most 3 characters', 'darf höchstens 3 Zeichen haben'],
    ['must have at most 3 items', 'darf höchstens 3 items haben'],
    ['fields.title: must have at most 3 characters', 'fields.title: darf höchstens 3 Zeichen haben'],
    ['must be image, but a is b, but c is pdf', 'a ist b, but c is pdf, nicht image'],
    ['there is no event x: did you mean y?', 'es gibt kein Ereignis x: did you mean y?'],
    ['/a is taken, /a-2 is available', '/a-2 ist frei, /a nicht'],
    ['is taken, is available', 'is taken, is available'],
    ['something new', 'something new'],
    ['something: new', 'something: new'],
    ['', ''],
  ])('%s', (english, expected) => {
    expect(said(english)).toBe(expected)
  })

  it('stays in English where it is longer than any of ours', () => {
    const long = `must have at most ${'x'.repeat(3000)} characters`
    expect(said(long)).toBe(long)
  })
})

describe('the panel in German', () => {
  const inGerman = { Cookie: `${app.config.cookie_name}=admin-secret-of-this-test; slugline_language=de` }
  async function post(path: string, values: Record<string, string>) {
    const { text } = await call('GET', '/admin/profile', { headers: inGerman })
    const form_token = /name="form_token" value="([^"]*)"/.exec(text)?.[1] ?? ''
    return send('POST', path, {
      body: new URLSearchParams({ ...values, form_token }).toString(),
      headers: { ...inGerman, 'Content-Type': 'application/x-www-form-urlencoded' },
    })
  }

  it('says beside a field what is wrong with its value', async () => {
    const { datatype_id } = await datatype('Card')
    await field(datatype_id, 'Price', 'number')
    const { route_id } = await route('/card')
    const { content_data_id: id } = await entry(datatype_id, { route_id })
    const path = `/admin/content/entry/${id}`
    const wrong = await post(path, { 'fields.price': 'three' })
    expect([wrong.status, wrong.text]).toEqual([
      400,
      expect.stringMatching(/id="e-fields.price"[^>]*>.*muss eine Zahl sein/s),
    ])
  })

  it('says why a page cannot be published', async () => {
    const { datatype_id } = await datatype('Rule')
    await field(datatype_id, 'Name', 'text', { required: true })
    await field(datatype_id, 'Price', 'number', { data: { max: 10 } })
    const { route_id } = await route('/rule')
    const { content_data_id: id } = await entry(datatype_id, { route_id })
    const refused = await post(`/admin/content/entry/${id}`, { next: 'publish', 'fields.price': '11' })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('Name ist erforderlich')
    expect(refused.text).toContain('Price darf höchstens 10 sein')
  })

  it('says for each of several entries why it was refused', async () => {
    const { datatype_id } = await datatype('Part')
    await field(datatype_id, 'Name', 'text', { required: true })
    const { route_id } = await route('/part')
    const { content_data_id: id } = await entry(datatype_id, { route_id })
    const { status, text } = await post('/admin/content-work', { what: 'publish', ids: id })
    expect(status).toBe(409)
    expect(text).toContain('ist erforderlich')
    const gone = await post('/admin/content-work', { what: 'publish', ids: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })
    expect(gone.text).toContain('Kein Eintrag hat diese Kennung.')
  })

  it('says a refusal that has no field on its page, and to a script', async () => {
    const { status, headers, text } = await send('POST', '/admin/profile', {
      body: new URLSearchParams({ form_token: 'another' }).toString(),
      headers: { ...inGerman, 'Content-Type': 'application/x-www-form-urlencoded' },
    })
    const said = 'dieses Formular ist abgelaufen: die Seite neu laden'
    expect(status).toBe(403)
    expect(text).toContain(said)
    expect(decodeURIComponent(headers.get('x-error') ?? '')).toBe(said)
  })
})
