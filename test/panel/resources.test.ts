import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { type Caller, testApp } from '../support/app.js'
import { picture, uploader } from '../support/media.js'
import { panelForms } from '../support/panel-forms.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const sharpOf = (background: string) =>
  sharp({ create: { width: 40, height: 30, channels: 3, background } })
    .png()
    .toBuffer()
const app = await testApp(storage.config, { file: {} })
const { call, db, services, send } = app
const { post, seen, tokenFor } = panelForms(app)

const idIn = (location: string) => /\w{26}/.exec(location)?.[0] ?? ''
/** The paths of a page's records. */
const made = async (path: string, values: Record<string, string> | [string, string][]) => {
  const answer = await post(`${path}/new`, values)
  expect([path, answer.status]).toEqual([path, 303])
  return idIn(answer.location)
}

/** Who may look at which page, written by hand: nobody, viewer, editor, administrator. */
const table = `
/                  - v e a
/profile           - v e a
/find              - v e a
/find/results      - v e a
/content           - - e a
/content/new       - - e a
/media             - v e a
/routes            - v e a
/routes/new        - - e a
/datatypes         - - e a
/datatypes/new     - - e a
/fields            - - e a
/fields/new        - - e a
/redirects         - v e a
/redirects/new     - - e a
/backups           - - - a
/locales           - v e a
/locales/new       - - - a
/users             - - e a
/users/new         - - - a
/roles             - - - a
/roles/new         - - - a
/tokens            - - - a
/tokens/new        - - - a
/webhooks          - - - a
/webhooks/new      - - - a
/audit             - - - a
/settings          - - e a
`

describe('the pages', () => {
  it('are for whom they are for', async () => {
    for (const line of table.trim().split('\n')) {
      const [path, ...may] = line.split(/\s+/)
      const seenBy: string[] = []
      for (const [as, mark] of [
        ['nobody', 'n'],
        ['viewer', 'v'],
        ['editor', 'e'],
        ['admin', 'a'],
      ] as [Caller, string][]) {
        const { status } = await call('GET', `/admin${path}`, { as })
        expect([path, as, [200, 303, 403].includes(status)]).toEqual([path, as, true])
        seenBy.push(status === 200 ? mark : '-')
      }
      expect([path, seenBy.join(' ')]).toEqual([path, may.join(' ')])
    }
  })

  it('show in the rail what one may look at, and nothing else', async () => {
    const rail = async (as: Caller) =>
      [...(await call('GET', '/admin', { as })).text.matchAll(/<span class="word[^"]*">([^<]+)</g)].map(
        ([, word]) => word,
      )
    expect(await rail('viewer')).toEqual([
      ...['Slugline', 'Overview', 'Media', 'Routes', 'Redirects', 'Locales', 'viewer', 'Profile'],
    ])
    expect(await rail('editor')).toContain('Datatypes')
    expect(await rail('editor')).not.toContain('Roles')
  })
})

describe('people', () => {
  it('are made with a role, changed without touching the password, and deleted', async () => {
    const editor =
      (await services.roles.list({ label: 'editor' }, { limit: 1 }).next()).value?.[0]?.role_id ?? ''
    const id = await made('/admin/users', {
      name: 'Grace',
      email: 'grace@example.com',
      username: '',
      role_id: editor,
      password: 'a long pass phrase',
    })
    expect(await services.users.get(id)).toMatchObject({ role_label: 'editor', username: 'grace' })
    const before = (await db.get(tables.users, id))?.password
    await post(`/admin/users/${id}`, {
      name: 'Grace Hopper',
      password: '',
      seen: await seen(`/admin/users/${id}`),
    })
    expect(await db.get(tables.users, id)).toMatchObject({ name: 'Grace Hopper', password: before })
    const taken = await post('/admin/users/new', { email: 'grace@example.com', username: '', password: '' })
    expect([taken.status, taken.text.includes('already exists')]).toEqual([409, true])
    expect((await post(`/admin/users/${id}/delete`, {})).status).toBe(303)
  })

  it('have roles whose permissions are a grid that is saved as a whole', async () => {
    const id = await made('/admin/roles', { label: 'Translator' })
    const all = await db.findAll(tables.permissions)
    const idOf = (label: string) => all.find(one => one.label === label)?.permission_id ?? ''
    const save = (labels: string[], as: Caller = 'admin') =>
      post(
        `/admin/roles/${id}/permissions`,
        [['permission_id', ''], ...labels.map(label => ['permission_id', idOf(label)] as [string, string])],
        { as },
      )
    const held = async () => (await services.rolePermissions.ofRole(id)).map(({ label }) => label).toSorted()
    const count = (await app.audits()).length
    expect((await save(['content:read', 'content:update'])).status).toBe(303)
    expect((await save(['content:read', 'media:read'])).status).toBe(303)
    expect(await held()).toEqual(['content:read', 'media:read'])
    expect((await app.audits()).slice(count).map(({ operation }) => operation)).toEqual([
      'INSERT',
      'INSERT',
      'INSERT',
      'DELETE',
    ])
    expect((await save(['content:read'], 'editor')).status).toBe(403)
    const unknown = await post(`/admin/roles/${id}/permissions`, {
      permission_id: '01JZ8M4Q7R6T5V3W2X1Y0ZABCD',
    })
    expect(unknown.status).toBe(400)
    expect(await held()).toEqual(['content:read', 'media:read'])
    const missing = await post('/admin/roles/01JZ8M4Q7R6T5V3W2X1Y0ZABCD/permissions', { permission_id: '' })
    expect(missing.status).toBe(404)
    expect((await save([])).status).toBe(303)
    expect(await held()).toEqual([])
  })
})

describe('secrets', () => {
  it('of a key are shown once, and it may do what was ticked', async () => {
    const answer = await post('/admin/tokens/new', [
      ['label', 'Build'],
      ['expires_at', '2027-01-31T09:30'],
      ['read_only', 'false'],
      ['read_only', 'true'],
      ['permissions', ''],
      ['permissions', 'content:read'],
    ])
    const key = /id="secret">(slk_[^<]+)</.exec(answer.text)?.[1] ?? ''
    const id = idIn(/href="\/admin\/tokens\/(\w{26})"/.exec(answer.text)?.[1] ?? '')
    expect(await services.tokens.get(id)).toMatchObject({
      expires_at: '2027-01-31T09:30:00.000Z',
      read_only: true,
      permissions: ['content:read'],
    })
    const asKey = { as: 'nobody', headers: { Authorization: `Bearer ${key}` } } as const
    expect((await call('GET', '/api/v1/content', asKey)).status).toBe(200)
    expect((await call('GET', `/admin/tokens/${id}`)).text).not.toContain(key)
    await post(`/admin/tokens/${id}`, { label: 'Build', permissions: '', revoked: 'true' })
    expect(await services.tokens.get(id)).toMatchObject({ revoked: true, permissions: null })
    const past = await post('/admin/tokens/new', {
      label: 'old',
      expires_at: '2020-01-01T00:00',
      permissions: '',
    })
    expect(past.status).toBe(400)
  })

  it('of a webhook are shown once; its deliveries are told, and what failed is sent again', async () => {
    const answer = await post('/admin/webhooks/new', [
      ['name', 'Search'],
      ['url', 'https://receiver.example/hook'],
      ['is_active', 'false'],
      ['is_active', 'true'],
      ['events', ''],
      ['events', 'content.published'],
      ['secret', ''],
      ['headers', '{"X-Site": "one"}'],
    ])
    expect(answer.text).toMatch(/id="secret">[^<*]{20,}</)
    const id = idIn(/href="\/admin\/webhooks\/(\w{26})"/.exec(answer.text)?.[1] ?? '')
    expect(await services.webhooks.get(id)).toMatchObject({
      events: ['content.published'],
      headers: { 'X-Site': '********' },
      is_active: true,
    })
    const page = await call('GET', `/admin/webhooks/${id}`)
    expect(page.text).toContain('No deliveries yet.')
    const test = await post(`/admin/webhooks/${id}/test`, {})
    expect([test.status, test.text.includes('Not delivered')]).toEqual([200, true])
    const unknown = await post(`/admin/webhooks/${id}/deliveries/01JZ8M4Q7R6T5V3W2X1Y0ZABCD/retry`, {})
    expect(unknown.status).toBe(409)
    expect((await post(`/admin/webhooks/${id}/rotate`, {}, { as: 'editor' })).status).toBe(403)
    const other = { name: 'Search', url: 'https://other.example/hook', is_active: 'true', events: '*' }
    for (const secret of ['********', '']) {
      const kept = await post(`/admin/webhooks/${id}`, {
        ...other,
        secret,
        headers: '{"X-Site": "********"}',
      })
      expect(kept.status).toBe(400)
      for (const field of ['secret', 'headers'])
        expect(kept.text).toMatch(new RegExp(`id="e-${field}">.*?must be given again`))
    }
    expect((await services.webhooks.get(id)).url).toBe('https://receiver.example/hook')
    const again = { ...other, secret: 'another secret', headers: '{"X-Site": "two"}' }
    expect((await post(`/admin/webhooks/${id}`, again)).status).toBe(303)
    expect((await services.webhooks.get(id)).url).toBe(other.url)
    expect((await post(`/admin/webhooks/${id}/rotate`, {})).text).toMatch(/id="secret">[^<*]{20,}</)
    const wrong = await post('/admin/webhooks/new', { name: 'x', url: 'ftp://x', events: '', headers: '{' })
    expect(wrong.status).toBe(400)
  })
})

describe('the content model', () => {
  it('is made, and goes with what hangs on it after saying what that is', async () => {
    const datatype = await made('/admin/datatypes', {
      label: 'Card',
      type: 'content',
      parent_id: '',
      sort_order: '0',
    })
    const field = await made('/admin/fields', {
      parent_id: datatype,
      label: 'Price',
      field_type: 'number',
      data: '{"min": 0}',
      sort_order: '1',
    })
    expect(await services.space.fields.get(field)).toMatchObject({ name: 'price', data: { min: 0 } })
    const route = await made('/admin/routes', { title: 'Shop', slug: '/shop' })
    const entry = { datatype_id: datatype, route_id: route, fields: { price: 3 } }
    expect((await call('POST', '/api/v1/content', { body: entry })).status).toBe(201)
    const wrong = await post(`/admin/fields/${field}`, { label: 'Price', data: '{"mim": 0}' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toMatch(/id="e-data"[^>]*>.*did you mean min/s)
    await post(`/admin/fields/${field}`, { label: 'Price', data: '{"min": 5}' })
    expect((await call('GET', `/admin/fields/${field}`)).text).toContain('Values that break these rules')
    expect((await call('GET', `/admin/datatypes/${datatype}`)).text).toContain(`/admin/fields/${field}`)
    const { text: list } = await call('GET', '/admin/datatypes')
    const row = /<tr>(?:(?!<tr>).)*>Card<.*?<\/tr>/s.exec(list)?.[0] ?? ''
    expect(
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ).toBe('Card card Content Linked 1')
    const question = await call('GET', `/admin/datatypes/${datatype}/delete`)
    expect(question.text).toContain('This also deletes 1 field, 1 entry, 1 value')
    expect((await post(`/admin/datatypes/${datatype}/delete`, {})).status).toBe(303)
    expect((await call('GET', `/admin/fields/${field}`)).status).toBe(404)
    expect((await post(`/admin/routes/${route}/delete`, {})).status).toBe(303)
  })
})

describe('media', () => {
  it('have alt text, name and caption in each other language', async () => {
    const { body: added } = await call('POST', '/api/v1/locales', { body: { code: 'fi', label: 'Finnish' } })
    const { body: media } = await uploader(app)('wall.png', await picture(20, 20).png().toBuffer())
    const at = `/admin/media/${media.media_id}`
    expect((await call('GET', at)).text).toContain('Alt text in Finnish')
    const alt = 'translations.fi.alt_text'
    const saved = await post(at, { [alt]: 'Seinä', 'translations.fi.caption': '' })
    expect(saved.status).toBe(303)
    const translations = async () => (await services.media.items.get(media.media_id)).translations
    expect(await translations()).toEqual({ fi: { alt_text: 'Seinä' } })
    expect((await call('GET', at)).text).toMatch(/id="f-translations\.fi\.alt_text"[^>]*value="Seinä"/)
    const long = await post(at, { [alt]: 'x'.repeat(1025) })
    expect([long.status, /id="e-translations\.fi\.alt_text"[^>]*>./.test(long.text)]).toEqual([400, true])
    await post(at, { [alt]: '' })
    expect(await translations()).toEqual({})
    await call('DELETE', `/api/v1/locales?q=${added.locale_id}`)
  })
})

it('a form on the page of a file replaces it, with the token of the browser', async () => {
  const red = await sharpOf('red')
  const { body: media } = await uploader(app)('wall.png', red)
  const at = `/admin/media/${media.media_id}`
  const { text } = await call('GET', at)
  const [, action = ''] = /action="([^"]+media-file[^"]+)"/.exec(text) ?? []
  const form = (as: Caller, path: string, content: Uint8Array) => {
    const body = new FormData()
    body.set('file', new Blob([content as BlobPart]), 'wall.png')
    const request = new Request('http://x/', { method: 'POST', body })
    const type = { 'Content-Type': request.headers.get('content-type') ?? '' }
    return request.arrayBuffer().then(bytes => send('POST', path, { as, body: bytes, headers: type }))
  }
  const blue = await sharpOf('blue')
  expect((await form('admin', action.split('?')[0] ?? '', blue)).status).toBe(403)
  expect((await form('viewer', action, blue)).status).toBe(403)
  expect((await form('admin', action, Buffer.from('text'))).status).toBe(400)
  const done = await form('admin', action, blue)
  expect([done.status, done.headers.get('location')?.startsWith(at)]).toEqual([303, true])
  expect((await services.media.items.get(media.media_id)).size).toBe(blue.byteLength)
  expect((await call('GET', at, { as: 'viewer' })).text).not.toContain('media-file')
})

describe('routes', () => {
  it('have a title and a slug in each other language, and a refusal stands at its field', async () => {
    const locale = { code: 'fi', label: 'Finnish' }
    const { body: added } = await call('POST', '/api/v1/locales', { body: locale })
    const path = '/admin/routes/new'
    const { text: form } = await call('GET', path)
    expect(form).toContain('Title in Finnish')
    const values = { title: 'Boats', slug: '/boats', 'translations.fi.title': '', 'translations.fi.slug': '' }
    const { location } = await post(path, values)
    const translations = async () => (await services.space.routes.get(idIn(location))).translations
    expect(await translations()).toEqual({})
    const at = `/admin/routes/${idIn(location)}`
    await post(at, { ...values, 'translations.fi.title': 'Veneet', 'translations.fi.slug': '/veneet' })
    expect(await translations()).toEqual({ fi: { slug: '/veneet', title: 'Veneet' } })
    expect((await call('GET', at)).text).toMatch(/id="f-translations\.fi\.slug"[^>]*value="\/veneet"/)
    const taken = await post(at, { ...values, 'translations.fi.slug': '/boats' })
    expect(taken.status).toBe(409)
    expect(taken.text).toMatch(/id="e-translations\.fi\.slug"[^>]*>.*already exists/s)
    const wrong = await post(at, { ...values, 'translations.fi.slug': 'no slash' })
    expect([wrong.status, /id="e-translations\.fi\.slug"/.test(wrong.text)]).toEqual([400, true])
    await post(at, { ...values, 'translations.fi.title': 'Veneet' })
    expect(await translations()).toEqual({ fi: { title: 'Veneet' } })
    await call('DELETE', `/api/v1/locales?q=${added.locale_id}`)
    expect((await post(at, values)).status).toBe(303)
  })
})

describe('media', () => {
  it('are uploaded without a script, into folders, described and deleted', async () => {
    const folder = idIn((await post('/admin/media-folders', { name: 'Press', parent_id: '' })).location)
    const upload = async (token: string, as: Caller = 'admin') => {
      const form = new FormData()
      form.set('folder_id', folder)
      form.set('file', new Blob([Uint8Array.from(await picture(300, 200).png().toBuffer())]), 'a.png')
      return send('POST', `/admin/media-upload?form_token=${token}`, { as, body: form })
    }
    expect((await upload('x')).status).toBe(403)
    expect((await upload(await tokenFor('viewer'), 'viewer')).status).toBe(403)
    const answer = await upload(await tokenFor('admin'))
    const path = (answer.headers.get('location') ?? '').replace('?saved', '')
    expect([answer.status, path]).toEqual([303, expect.stringMatching(/^\/admin\/media\/\w{26}$/)])
    const list = await call('GET', `/admin/media?folder=${folder}`)
    expect(list.text).toContain(path)
    expect((await call('GET', '/admin/media?folder=root')).text).not.toContain(path)
    expect((await call('GET', '/admin/media?text=a.png')).text).toContain(path)
    const refused = await post(path, { alt_text: 'A square', focal_x: '101', focal_y: '' })
    expect([refused.status, refused.text.includes('value="A square"')]).toEqual([400, true])
    await post(path, { alt_text: 'A square', folder_id: '', focal_x: '20', focal_y: '30' })
    expect(await services.media.items.get(path.split('/').at(-1) ?? '')).toMatchObject({
      alt_text: 'A square',
      folder_id: null,
      focal_x: 20,
    })
    expect((await post(`/admin/media-folders/${folder}/delete`, {})).status).toBe(303)
    expect((await post(`${path}/delete`, {})).status).toBe(303)
  })
})

describe('what the operator looks at', () => {
  it('finds changes by who and what, and shows each with both values', async () => {
    await made('/admin/locales', { label: 'Dansk', code: 'da', is_enabled: 'true', sort_order: '0' })
    const list = await call('GET', '/admin/audit?table_name=locales&operation=INSERT&record_id=&user_id=')
    const path = /href="(\/admin\/audit\/\w{26})"/.exec(list.text)?.[1] ?? ''
    const event = await call('GET', path)
    expect(event.text).toContain('<ins>Dansk</ins>')
    expect(event.text).toContain('panel')
    expect((await call('GET', '/admin/audit?operation=nonsense&since=x')).status).toBe(200)
  })

  it('changes settings that may be changed, and names the one that is wrong', async () => {
    const page = await call('GET', '/admin/settings')
    expect(page.text).toContain('name="log_level"')
    expect(page.text).not.toMatch(/name="(db_url|app_secret|ssh_enabled)"/)
    const answer = await post('/admin/settings', { publish_mode: 'staged', readers_see_drafts: 'true' })
    expect([answer.status, await app.db.findAll(internalTables.settings)]).toEqual([
      303,
      [{ name: 'publish_mode', value: '"staged"' }],
    ])
    const wrong = await post('/admin/settings', { version_max_per_content: '-1' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toMatch(/id="e-version_max_per_content"/)
    expect((await post('/admin/settings', { publish_mode: 'live' }, { as: 'editor' })).status).toBe(403)
    await post('/admin/settings', { publish_mode: 'live' })
  })
})

describe('the profile', () => {
  it('changes the password with the current one, and ends other sessions', async () => {
    const wrong = await post('/admin/profile/password', {
      current_password: 'no',
      password: 'a long new phrase',
    })
    expect([wrong.status, wrong.text.includes('wrong current password')]).toEqual([401, true])
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@laptop'
    expect((await post('/admin/profile/keys', { public_key: 'nonsense', label: '' })).status).toBe(400)
    expect((await post('/admin/profile/keys', { public_key: key, label: 'Laptop' })).status).toBe(303)
    const profile = await call('GET', '/admin/profile')
    const path = /action="(\/admin\/profile\/keys\/\w{26}\/delete)"/.exec(profile.text)?.[1] ?? ''
    expect((await post(path, {}, { as: 'viewer' })).status).toBe(403)
    expect((await post(path, {})).status).toBe(303)
    const others = await db.findAll(tables.sessions, { user_id: app.users.admin })
    expect(others).toHaveLength(1)
    expect((await post('/admin/profile/sessions/others/end', {})).status).toBe(303)
    const session = (await db.findAll(tables.sessions, { user_id: app.users.editor }))[0]?.session_id ?? ''
    expect((await post(`/admin/profile/sessions/${session}/end`, {}, { as: 'viewer' })).status).toBe(403)
  })
})
