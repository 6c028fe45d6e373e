import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { testApp } from './app.js'
import { scratchFolder } from './backups.js'
import { factories } from './factories.js'
import { picture, uploader } from './media.js'
import { panelForms } from './panel-forms.js'
import { testStorage } from './storage.js'

/** A small site that has something on every page. @returns its app, and paths under `/admin` by what is on them */
export async function everyPage() {
  const storage = await testStorage()
  const app = await testApp({
    ...storage.config,
    i18n_enabled: true,
    publish_mode: 'staged',
    app_secret: 'a secret of sixteen characters and more',
    backup_dir: scratchFolder(),
  })
  const { call, db, clock } = app
  const { datatype, field, route, entry } = factories(app)
  const { post } = panelForms(app)
  const made = async (path: string, body: object) => {
    const answer = await call('POST', `/api/v1${path}`, { body })
    expect([path, answer.status, answer.text]).toEqual([path, 201, answer.text])
    return answer.body
  }
  await made('/locales', { code: 'de', label: 'German' })
  const page = await datatype('Page')
  const heading = await field(page.datatype_id, 'Heading', 'text', { translatable: true, required: true })
  await field(page.datatype_id, 'Text', 'richtext', { translatable: true })
  await field(page.datatype_id, 'Cover', 'media')
  await field(page.datatype_id, 'See also', 'relation', { data: { cardinality: 'many' } })
  await field(page.datatype_id, 'On the home page', 'boolean')
  const upload = uploader(app)
  const photo = await upload('harbour.png', await picture(640, 420).png().toBuffer(), {
    fields: { alt_text: 'A harbour in the morning' },
  })
  const { media_id } = photo.body
  await made('/media-folders', { name: 'Summer' })
  const route_id = (await route('/harbour', 'The harbour')).route_id
  const empty = await route('/empty', 'Nothing yet')
  const children = ['Boats', 'Nets and ropes', 'The old crane', 'Where to eat'].map(text => ({
    datatype_id: page.datatype_id,
    fields: { heading: text, text: `<p>${text}, and what there is to say about it.</p>` },
  }))
  const root = await entry(
    page.datatype_id,
    { route_id },
    {
      fields: {
        heading: 'The harbour',
        text: '<h2>Morning</h2><p>Boats come in <strong>at five</strong>, and the first coffee is at six.</p>',
        cover: media_id,
      },
      children,
    },
  )
  const id: string = root.content_data_id
  await call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
  clock.advance(3_600_000)
  await call('PUT', `/api/v1/content?q=${id}`, {
    as: 'editor',
    body: { fields: { heading: 'The old harbour' } },
  })
  await call('POST', '/api/v1/content/publish', { body: { content_data_id: id } })
  clock.advance(600_000)
  await call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { heading: 'The harbour at dawn' } } })
  const about = { content_data_id: id, field_id: heading.field_id, body: 'Is dawn not too early, @admin?' }
  await call('POST', '/api/v1/comments', { as: 'editor', body: about })
  const settled = await made('/comments', { content_data_id: id, body: 'The photo is from last year.' })
  await call('PUT', `/api/v1/comments/${settled.comment_id}`, { body: { resolved: true } })
  const asked = { content_data_id: id, note: 'The new heading' }
  await call('POST', '/api/v1/review-requests', { as: 'editor', body: asked })
  const redirect = await post('/admin/redirects/new', { slug: '/port', target: '/harbour', status: '301' })
  await post('/admin/webhooks/new', {
    name: 'Build the site',
    url: 'https://example.com/build',
    events: 'content.published',
  })
  await made('/content/preview-links', { content_data_id: id, label: 'Zoe' })
  const token = await made('/tokens', { label: 'The site' })
  const { body: connecting } = await call('POST', '/api/v1/auth/device', {
    as: 'nobody',
    body: { device_code: `slk_${randomBytes(32).toString('base64url')}`, host: 'zoes-laptop' },
  })
  await post('/admin/backups', {})
  while (!(await call('GET', '/admin/backups')).text.includes('Complete'))
    await new Promise(resolve => setImmediate(resolve))
  const idIn = (location: string) => {
    const [id] = /\w{26}/.exec(location) ?? []
    if (id === undefined) throw new Error(`there is no id in "${location}"`)
    return id
  }
  const first = async (table: Parameters<typeof db.findAll>[0]) => {
    const [row] = await db.findAll(table, {}, { limit: 1 })
    return String(Object(row)[table.key])
  }
  const role = await first(tables.roles)
  const versions = await db.findAll(tables.contentVersions, { content_data_id: id })
  const at = `/content/entry/${id}`
  const [one, two] = versions
  const pages: ReadonlyMap<string, string> = new Map([
    ['sign-in', '/sign-in'],
    ['forgotten', '/forgotten'],
    ['overview', ''],
    ['find', '/find?q=harbour'],
    ['calendar', '/calendar'],
    ['content', '/content'],
    ['content-of-kind', `/content?datatype_id=${page.datatype_id}`],
    ['entry', at],
    ['entry-german', `${at}?locale=de`],
    ['entry-delete', `${at}/delete`],
    ['preview-links', `${at}/preview-links`],
    ['versions', `${at}/versions`],
    ['compare', `${at}/compare?from=${one?.content_version_id}&to=${two?.content_version_id}`],
    ['changes', `${at}/changes`],
    ['media', '/media'],
    ['file', `/media/${media_id}`],
    ['file-crop', `/media/${media_id}/crop`],
    ['routes', '/routes'],
    ['route', `/routes/${route_id}`],
    ['new-page', '/content/new'],
    ['new-route', '/routes/new'],
    ['redirects', '/redirects'],
    ['redirect', `/redirects/${idIn(redirect.location)}`],
    ['datatypes', '/datatypes'],
    ['datatype', `/datatypes/${page.datatype_id}`],
    ['fields', '/fields'],
    ['field', `/fields/${heading.field_id}`],
    ['locales', '/locales'],
    ['people', '/users'],
    ['person', `/users/${app.users.editor}`],
    ['roles', '/roles'],
    ['role', `/roles/${role}`],
    ['api-keys', '/tokens'],
    ['api-key', `/tokens/${token?.id ?? token?.token_id ?? ''}`],
    ['webhooks', '/webhooks'],
    ['webhook', `/webhooks/${await first(tables.webhooks)}`],
    ['audit', '/audit'],
    ['audit-event', `/audit/${(await app.audits()).at(-1)?.audit_event_id}`],
    ['connect', `/connect?code=${connecting.user_code}`],
    ['connect-code', '/connect'],
    ['backups', '/backups'],
    ['settings', '/settings'],
    ['profile', '/profile'],
    ['second-factor', '/profile/second-factor'],
    ['passkeys', '/profile/passkeys'],
    ['providers', '/profile/providers'],
    ['parts', '/parts'],
    ...['redirects', 'datatypes', 'locales', 'users', 'roles', 'tokens', 'webhooks'].map(
      (resource): [string, string] => [`new-of-${resource}`, `/${resource}/new`],
    ),
    ['new-field', `/fields/new?of=${page.datatype_id}`],
    ['delete-datatype', `/datatypes/${page.datatype_id}/delete`],
    ['new-password', '/new-password?token=none'],
    ['empty-page', `/content/${empty.route_id}`],
    ...['content', 'media', 'routes', 'datatypes', 'fields'].map((list): [string, string] => [
      `admin-space-${list}`,
      `/space/${list}`,
    ]),
    ['not-found', '/media/01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ])
  return { app, pages }
}
