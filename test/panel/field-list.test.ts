import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, audits } = app
const { datatype, field } = factories(app)
const { post } = panelForms(app)

const card = await datatype('Card')
for (const label of ['One', 'Two', 'Three']) await field(card.datatype_id, label, 'text')
const other = await datatype('Other')
const foreign = await field(other.datatype_id, 'Foreign', 'text')

interface FieldRow {
  field_id: string
  label: string
  sort_order: number
  parent_id: string
}

/** The fields of a datatype, as the API has them, in their order. */
async function fieldsOf(id: string): Promise<FieldRow[]> {
  const { body } = await call('GET', '/api/v1/fields')
  const own = (body as FieldRow[]).filter(({ parent_id }) => parent_id === id)
  return own.sort((a, b) => a.sort_order - b.sort_order || (a.field_id < b.field_id ? -1 : 1))
}
const labelsOf = async (id: string) => (await fieldsOf(id)).map(({ label }) => label)
const page = `/admin/datatypes/${card.datatype_id}`

describe('the fields of a datatype', () => {
  it('are moved, and each change is one audit event', async () => {
    const three = (await fieldsOf(card.datatype_id)).at(-1)?.field_id ?? ''
    const before = (await audits()).length
    const { status, location } = await post(`${page}/order`, { place: `${three}.0` })
    expect([status, location]).toEqual([303, `${page}?saved`])
    expect(await labelsOf(card.datatype_id)).toEqual(['Three', 'One', 'Two'])
    const events = (await audits()).slice(before)
    expect(events.map(({ operation, table_name }) => [operation, table_name])).toEqual(
      Array.from({ length: 3 }, () => ['UPDATE', 'fields']),
    )
    // Nothing changes where the field already is.
    expect((await post(`${page}/order`, { place: `${three}.0` })).status).toBe(303)
    expect((await audits()).length).toBe(before + 3)
    // A place after the last is the last.
    await post(`${page}/order`, { place: `${three}.99` })
    expect(await labelsOf(card.datatype_id)).toEqual(['One', 'Two', 'Three'])
  })

  it('begin with the last place, also by the API', async () => {
    const { body } = await call('POST', '/api/v1/fields', {
      body: { label: 'Four', field_type: 'text', parent_id: card.datatype_id },
    })
    expect(body.sort_order).toBe(3)
    const added = await post(`${page}/fields`, {
      field_label: 'Five',
      field_type: 'number',
      field_required: 'true',
    })
    expect([added.status, added.location]).toEqual([303, `${page}?saved&new`])
    expect(await labelsOf(card.datatype_id)).toEqual(['One', 'Two', 'Three', 'Four', 'Five'])
    expect((await fieldsOf(card.datatype_id)).at(-1)).toMatchObject({ field_type: 'number', required: true })
  })

  it('are refused with the reason in the form, and nothing is stored', async () => {
    const labels = await labelsOf(card.datatype_id)
    const empty = await post(`${page}/fields`, { field_label: '', field_type: 'number' })
    expect(empty.status).toBe(400)
    expect(empty.text).toContain('id="e-field_label"')
    expect(empty.text).toMatch(/<details[^>]*id="add-field"[^>]*open/)
    expect(empty.text).toContain('value="number" checked')
    expect((await post(`${page}/fields`, { field_label: 'Six', field_type: 'colour' })).status).toBe(400)
    expect((await post(`${page}/fields`, { field_label: 'x'.repeat(2000), field_type: 'text' })).status).toBe(
      400,
    )
    const nowhere = '/admin/datatypes/01ARZ3NDEKTSV4RRFFQ69G5FAV/fields'
    expect((await post(nowhere, { field_label: 'Six', field_type: 'text' })).status).toBe(404)
    for (const place of ['', 'one.2', `${foreign.field_id}`, `${foreign.field_id}.-1`, '9'.repeat(5000)])
      expect((await post(`${page}/order`, { place })).status).toBe(400)
    expect((await post(`${page}/order`, { place: '01ARZ3NDEKTSV4RRFFQ69G5FAV.0' })).status).toBe(404)
    expect(await labelsOf(card.datatype_id)).toEqual(labels)
  })

  it('are for who may change the model', async () => {
    const { text } = await call('GET', page, { as: 'viewer' })
    expect(text).not.toContain('id="add-field"')
    expect(text).not.toContain('/order')
    const [first] = await fieldsOf(card.datatype_id)
    for (const as of ['nobody', 'viewer'] as const) {
      const refused = [
        await post(`${page}/fields`, { field_label: 'Seven', field_type: 'text' }, { as }),
        await post(`${page}/order`, { place: `${first?.field_id}.2` }, { as }),
      ]
      expect(refused.map(({ status }) => status)).toEqual([403, 403])
    }
    expect((await labelsOf(card.datatype_id))[0]).toBe(first?.label)
  })
})

const types = [
  ...['Text', 'Text area', 'Rich text', 'Number', 'Yes or no', 'Select', 'Date'],
  ...['Date and time', 'Media', 'Relation', 'Slug', 'Address', 'E-mail', 'JSON'],
]

describe.skipIf(chromiumMissing)(
  `in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('a datatype with all fourteen types takes 29 clicks or fewer on one page', async () => {
      const admin = await panel({ as: 'admin' })
      const full = await datatype('Full')
      await admin.open(`/datatypes/${full.datatype_id}`)
      let clicks = 0
      const click = async (text: string) => {
        clicks++
        await admin.page.locator('summary, .type-tile b').getByText(text, { exact: true }).click()
      }
      await click('Add a field')
      for (const [i, type] of types.entries()) {
        await admin.page.keyboard.type(`A ${type}`)
        // The first type is chosen already.
        if (type !== 'Text') await click(type)
        await admin.page.keyboard.press('Enter')
        await expect.poll(() => admin.page.locator('[data-order] > li').count()).toBe(i + 1)
        await admin.page.locator('#f-field_label:focus').waitFor()
        expect(await admin.page.locator('input[value=text]').isChecked()).toBe(true)
      }
      expect(clicks).toBeLessThanOrEqual(29)
      expect(await labelsOf(full.datatype_id)).toEqual(types.map(type => `A ${type}`))
      await expectClean(admin)
    })

    it('rows are moved by dragging and by Alt with an arrow, and keep the focus', async () => {
      const admin = await panel({ as: 'admin' })
      await admin.open(`/datatypes/${card.datatype_id}`)
      const rows = admin.page.locator('[data-order] > li')
      await rows
        .nth(2)
        .locator('svg')
        .first()
        .dragTo(rows.nth(0), { targetPosition: { x: 60, y: 4 } })
      await expect.poll(() => labelsOf(card.datatype_id)).toEqual(['Three', 'One', 'Two', 'Four', 'Five'])
      await admin.page.getByRole('link', { name: 'Two' }).focus()
      await admin.page.keyboard.press('Alt+ArrowUp')
      await expect.poll(() => labelsOf(card.datatype_id)).toEqual(['Three', 'Two', 'One', 'Four', 'Five'])
      await expect
        .poll(() => admin.page.evaluate(() => document.activeElement?.textContent?.trim()))
        .toBe('Two')
      await admin.page.getByRole('button', { name: 'Move down: Four' }).click()
      await expect.poll(() => labelsOf(card.datatype_id)).toEqual(['Three', 'Two', 'One', 'Five', 'Four'])
    })

    it('fits a phone', async () => {
      const admin = await panel({ as: 'admin', ...looks.phone, viewport: { width: 360, height: 740 } })
      await admin.open(`/datatypes/${card.datatype_id}`)
      await admin.page.getByText('Add a field').click()
      const { scrollWidth } = await admin.page.evaluate(() => ({ scrollWidth: document.body.scrollWidth }))
      expect(scrollWidth).toBeLessThanOrEqual(360)
      await expectClean(admin)
    })
  },
)
