import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'
import { openScreens } from '../support/ssh-screens.js'

const app = await testApp()
const { call, db } = app
const { datatype, field, route, entry } = factories(app)
const { post } = panelForms(app)

const { datatype_id } = await datatype('Post')
const hints = { help: 'Shown in lists of <posts>.', placeholder: 'What happened?', rows: 3, own: ['kept'] }
const teaser = await field(datatype_id, 'Teaser', 'textarea', { ui_config: hints })
await field(datatype_id, 'Heading', 'text', {
  ui_config: { placeholder: 'A few words', rows: 4 },
  required: true,
})
await field(datatype_id, 'See also', 'relation', {
  ui_config: { help: 'Other posts.', placeholder: 'x' },
  data: { cardinality: 'many' },
})
await field(datatype_id, 'Body', 'richtext', { ui_config: { help: 'The whole story.' } })
const { route_id } = await route('/hints', 'Hints')
const made = await entry(datatype_id, { route_id })
const at = `/admin/content/entry/${made.content_data_id}`

const storedOf = async (id: string) => (await call('GET', `/api/v1/fields?q=${id}`)).body.ui_config
const put = (ui_config: unknown) =>
  call('PUT', `/api/v1/fields?q=${teaser.field_id}`, { body: { ui_config } })

describe('ui_config of a field', () => {
  it('is shown under and in its control', async () => {
    const { text } = await call('GET', at)
    expect(text).toContain('<p class="help" id="u-fields.teaser">Shown in lists of &lt;posts&gt;.</p>')
    const control = (name: string) =>
      new RegExp(`<(?:textarea|input)[^>]*id="f-fields.${name}"[^>]*>`).exec(text)?.[0] ?? ''
    expect(control('teaser')).toContain('rows="3"')
    expect(control('teaser')).toContain('placeholder="What happened?"')
    expect(control('teaser')).toContain('aria-describedby="u-fields.teaser"')
    expect(control('heading')).toContain('placeholder="A few words"')
    expect(control('heading')).toContain('aria-describedby="h-fields.heading"')
    expect(text).toContain('aria-describedby="u-fields.seeAlso"')
    expect(text).toContain('>The whole story.</p>')
  })

  it('describes a field beside what is wrong with it', async () => {
    const refused = await post('/admin/content/new', { title: '', slug: '', datatype_id })
    expect(refused.status).toBe(400)
    const { text } = await post(at, { next: 'publish' })
    expect(text).toContain('aria-describedby="e-fields.heading"')
  })

  it.each([
    ['help', 5, 'ui_config.help'],
    ['help', 'x'.repeat(501), 'ui_config.help'],
    ['placeholder', ['x'], 'ui_config.placeholder'],
    ['rows', '3', 'ui_config.rows'],
    ['rows', 1, 'ui_config.rows'],
    ['rows', 51, 'ui_config.rows'],
  ])('refuses %s %j by its name', async (name, value, member) => {
    const answer = await put({ [name]: value })
    expect([answer.status, answer.body.member]).toEqual([400, member])
    expect(await storedOf(teaser.field_id)).toEqual(hints)
  })

  it('keeps what it does not know, and shows nothing of what an older version stored wrongly', async () => {
    expect((await put({ own: { any: ['thing'] }, help: 'New' })).status).toBe(200)
    expect(await storedOf(teaser.field_id)).toEqual({ own: { any: ['thing'] }, help: 'New' })
    await db.write(systemActor, tx =>
      tx.update(tables.fields, teaser.field_id, {
        ui_config: { help: { html: 'x' }, rows: 'many', placeholder: 'Still' },
      }),
    )
    const answer = await call('GET', at)
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain('id="u-fields.teaser"')
    expect(answer.text).toContain('placeholder="Still"')
    await put(hints)
  })

  it('has a control for each of its members in the form of the field', async () => {
    const form = `/admin/fields/${teaser.field_id}`
    const { text } = await call('GET', form)
    expect(text).toContain('name="ui_config.help"')
    expect(text).toContain('value="What happened?"')
    const saved = await post(form, {
      label: 'Teaser',
      'ui_config.help': 'Typed by hand',
      'ui_config.placeholder': '',
      'ui_config.rows': '8',
    })
    expect([saved.status, await storedOf(teaser.field_id)]).toEqual([
      303,
      { help: 'Typed by hand', rows: 8, own: ['kept'] },
    ])
    const refused = await post(form, { label: 'Teaser', 'ui_config.rows': '500' })
    expect(refused.text).toContain('<a href="#f-ui_config.rows">')
    const created = await post('/admin/fields/new', {
      label: 'Fresh',
      parent_id: datatype_id,
      field_type: 'boolean',
      sort_order: '0',
      required: 'false',
      translatable: 'false',
      'ui_config.help': 'On or off',
    })
    const [, id = ''] = /fields\/(\w{26})/.exec(created.location) ?? []
    expect(await storedOf(id)).toEqual({ help: 'On or off' })
    expect((await call('GET', `/admin/fields/${id}`)).text).not.toContain('ui_config.placeholder')
    await put(hints)
  })

  it('is shown in the terminal beside how a field is written', async () => {
    const client = await openScreens(app)
    client.press('enter')
    await client.sees('Hints')
    client.press('enter', 'enter')
    await client.sees('Shown in lists of <posts>. · For example:')
  })
})

describe.skipIf(chromiumMissing)(
  `ui_config in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('makes a control as high as it says, and stays readable', async () => {
      const admin = await panel({ as: 'admin' })
      await admin.open(at.slice('/admin'.length))
      await admin.page.locator('.ProseMirror').waitFor()
      const heightOf = () =>
        admin.page.locator('[id="f-fields.teaser"]').evaluate(({ clientHeight }) => clientHeight)
      const three = await heightOf()
      await expectClean(admin)
      await put({ ...hints, rows: 9 })
      await admin.page.reload()
      expect(await heightOf()).toBeGreaterThan(three * 2)
    })
  },
)
