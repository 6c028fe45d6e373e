import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { settingNames } from '../../src/services/content/field-data.js'
import { type FieldType, fieldTypes } from '../../src/services/content/field-types.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, db, services } = app
const { datatype, entry, field, route } = factories(app)
const { post, seen } = panelForms(app)

const { datatype_id } = await datatype('Card')
await datatype('Author')

const dataOf = async (id: string) => (await services.space.fields.get(id)).data
type Values = [string, string][]

/** Makes a field by the form. @returns its settings */
async function made(field_type: string, settings: Values) {
  const values: Values = [
    ['parent_id', datatype_id],
    ['label', `A ${field_type}`],
    ['field_type', field_type],
    ['sort_order', '0'],
    ['data', ''],
    ...settings,
  ]
  const { status, location, text } = await post(`/admin/fields/new?of=${datatype_id}`, values)
  expect([status, /class="error"[^>]*>.*?<\/p>/s.exec(text)?.[0]]).toEqual([303, undefined])
  return dataOf(/\w{26}/.exec(location)?.[0] ?? '')
}

/** The form of a field as a browser sends it when nothing was touched. */
async function untouched(id: string): Promise<Values> {
  const { text } = await call('GET', `/admin/fields/${id}`)
  const form = /<form[^>]* id="form".*?<\/form>/s.exec(text)?.[0] ?? ''
  const plain = (html: string) =>
    html
      .replace(/&quot;/g, '"')
      .replace(/&#39;/g, "'")
      .replace(/&lt;/g, '<')
      .replace(/&amp;/g, '&')
  const values: Values = []
  for (const [tag, kind, name = ''] of form.matchAll(
    /<(input|select|textarea)[^>]*? name="([^"]*)"[^>]*>/g,
  )) {
    const from = form.indexOf(tag)
    if (kind === 'select') {
      const inner = form.slice(from, form.indexOf('</select>', from))
      values.push([name, /<option value="([^"]*)" selected/.exec(inner)?.[1] ?? ''])
    } else if (kind === 'textarea')
      values.push([name, plain(form.slice(from + tag.length + 1, form.indexOf('</textarea>', from)))])
    else if (!tag.includes('type="checkbox"') || tag.includes('checked'))
      values.push([name, plain(/ value="([^"]*)"/.exec(tag)?.[1] ?? '')])
  }
  return values
}

describe('the settings of a field in its form', () => {
  it.each(Object.keys(fieldTypes) as FieldType[])('are those that the service reads: %s', async type => {
    const { text } = await post('/admin/fields/new', { field_type: type, form_show: 'field_type' })
    const names = [...text.matchAll(/ name="data\.([^"]*)"/g)].map(([, name = '']) => name.split('.')[0])
    expect([...new Set(names)].sort()).toEqual(settingNames(type).sort())
  })

  it.each<[FieldType, Values, object]>([
    [
      'text',
      [
        ['data.minLength', '3'],
        ['data.maxLength', '8'],
        ['data.pattern', '^[A-Z]+$'],
        ['data.unique', 'false'],
        ['data.unique', 'true'],
        ['data.default', ''],
      ],
      { minLength: 3, maxLength: 8, pattern: '^[A-Z]+$', unique: true },
    ],
    [
      'number',
      [
        ['data.min', '-1.5'],
        ['data.max', '1e3'],
        ['data.integer', 'false'],
        ['data.default', '7'],
      ],
      { min: -1.5, max: 1000, default: 7 },
    ],
    ['datetime', [['data.min', '2026-01-01T08:30']], { min: '2026-01-01T08:30:00Z' }],
    ['boolean', [['data.default', 'false']], { default: false }],
    [
      'select',
      [
        ...['calm', '', 'bright', 'Bright and loud', '', 'Only a label', '', ''].map(
          (text): [string, string] => ['data.options', text],
        ),
        ['data.default', 'calm'],
      ],
      { options: ['calm', { value: 'bright', label: 'Bright and loud' }, 'Only a label'], default: 'calm' },
    ],
    [
      'media',
      [
        ['data.cardinality', 'many'],
        ['data.maxItems', '12'],
        ['data.kinds.ticked', ''],
        ['data.kinds.ticked', 'image'],
        ['data.kinds', 'application/pdf, text/csv'],
      ],
      { cardinality: 'many', maxItems: 12, kinds: ['image', 'application/pdf', 'text/csv'] },
    ],
    [
      'relation',
      [
        ['data.cardinality', 'one'],
        ['data.target', ''],
        ['data.target', 'author'],
      ],
      { target: 'author' },
    ],
    [
      'relation',
      [
        ['data.target', ''],
        ['data.target', 'author'],
        ['data.target', 'card'],
      ],
      { target: ['author', 'card'] },
    ],
    ['json', [['data.default', '{ "monday": null }']], { default: { monday: null } }],
    ['textarea', [['data.default', 'one\r\ntwo']], { default: 'one\ntwo' }],
  ])('are stored as the API takes them: %s', async (type, values, data) => {
    expect(await made(type, values)).toEqual(data)
  })

  const stored: [FieldType, Record<string, unknown>][] = [
    ['text', { pattern: '^"<&\'', default: '', hint: { a: 1 } }],
    ['number', { default: 0, min: 0, integer: false }],
    ['datetime', { min: '2026-12-31T23:59:59+01:00', default: '2026-06-01T08:00:00Z' }],
    [
      'select',
      { options: [3, 'calm', { value: 'b', label: 'B', colour: 'red' }, { value: 'c' }], default: 3 },
    ],
    ['media', { kinds: ['text/csv', 'image'], cardinality: 'one' }],
    ['relation', { target: ['gone', 'card'], cardinality: 'many', minItems: 1 }],
    ['json', { default: null }],
    ['boolean', {}],
  ]
  it.each(stored)('stay as they are stored where nothing is touched: %s %j', async (type, data) => {
    const { field_id } = await field(datatype_id, `Kept ${type}`, type)
    await db.write(systemActor, tx => tx.update(tables.fields, field_id, { data: data as never }))
    const saved = await post(`/admin/fields/${field_id}`, await untouched(field_id))
    expect([saved.status, JSON.stringify(await dataOf(field_id))]).toEqual([303, JSON.stringify(data)])
  })

  it('keep what is unknown of them when others change, and take new ones as JSON', async () => {
    const { field_id } = await field(datatype_id, 'Old', 'text')
    const old = { hint: { a: 1 }, maxLength: 3 }
    await db.write(systemActor, tx => tx.update(tables.fields, field_id, { data: old }))
    const path = `/admin/fields/${field_id}`
    const page = await call('GET', path)
    expect(page.text).toMatch(/<details class="folded" open="">/)
    const mark = { seen: await seen(path) }
    expect((await post(path, { ...mark, 'data.maxLength': '4' })).status).toBe(303)
    expect(await dataOf(field_id)).toEqual({ hint: { a: 1 }, maxLength: 4 })
    expect((await post(path, { 'data.maxLength': '', data: '{ "minLength": 1 }' })).status).toBe(303)
    expect(await dataOf(field_id)).toEqual({ minLength: 1 })
  })

  it('are refused beside the control that is wrong, and what was typed stays', async () => {
    const { field_id } = await field(datatype_id, 'Wrong', 'text', { data: { maxLength: 3 } })
    const path = `/admin/fields/${field_id}`
    const refused = async (values: Record<string, string> | Values, member: string, words: RegExp) => {
      const { status, text } = await post(path, values)
      const error = new RegExp(`<p class="error" id="e-${member}">.*?</p>`, 's').exec(text)?.[0]
      expect([values, status, error]).toEqual([values, 400, expect.stringMatching(words)])
      return text
    }
    const low = { 'data.minLength': '5', 'data.maxLength': '3', 'data.pattern': '^a' }
    const text = await refused(low, 'data.minLength', />must not be more than “At most”</)
    expect(text).toMatch(/name="data.minLength" value="5"/)
    expect(text).toMatch(/name="data.pattern" value="\^a"/)
    await refused({ 'data.pattern': '(a' }, 'data.pattern', /syntax of RE2/)
    await refused({ 'data.maxLength': 'x' }, 'data.maxLength', /must be a whole number/)
    await refused({ data: '{' }, 'data', />must be JSON</)
    await refused({ data: '[1]' }, 'data', />must be a JSON object</)
    await refused({ data: '{"maxLenght": 1}' }, 'data', /did you mean maxLength/)
    await refused(
      { 'data.minLength': '1', data: '{"minLength": 2}' },
      'data',
      /minLength has a field of its own/,
    )
    const range = { field_type: 'number', 'data.min': '5', 'data.max': '3' }
    await refused(range, 'data.min', />must not be more than “Largest”</)
    const some = { field_type: 'relation', 'data.maxItems': '3' }
    await refused(some, 'data.maxItems', />can be set only if “How many” is many</)
    const media = { field_type: 'media', 'data.kinds': 'image/png, picture' }
    await refused(media, 'data.kinds', />must be image, video/)
    const twice: Values = ['a', '', ' ', '', 'b', '', 'a', 'A'].map(value => ['data.options', value])
    const select = await refused(
      [['field_type', 'select'], ...twice],
      'data.options',
      />must have each value once, and has &quot;a&quot; twice</,
    )
    const marked = [...select.matchAll(/<input[^>]* name="data.options" value="([^"]*)"[^>]*>/g)].map(
      ([tag, value]) => [value, tag.includes('aria-invalid="true"')],
    )
    expect(marked.slice(0, 6)).toEqual([
      ['a', false],
      ['', false],
      ['b', false],
      ['', false],
      ['a', true],
      ['A', false],
    ])
    await refused({ field_type: 'json', 'data.default': '{' }, 'data.default', />must be JSON</)
    expect(await dataOf(field_id)).toEqual({ maxLength: 3 })
  })

  it('are shown for another type without the script, and nothing is saved by that', async () => {
    const count = (await app.audits()).length
    const chosen: Values = [
      ['label', 'Mood'],
      ['field_type', 'select'],
      ['form_show', 'field_type'],
    ]
    const shown = await post('/admin/fields/new', chosen)
    expect([shown.status, shown.text.includes('value="Mood"')]).toEqual([200, true])
    expect(shown.text.match(/name="data.options"/g)?.length).toBe(6)
    expect((await app.audits()).length).toBe(count)

    const options = ['a', 'A', 'b', '', 'c', 'C'].map((text): [string, string] => ['data.options', text])
    const rowsAfter = async (step: string) => {
      const { text } = await post('/admin/fields/new', [
        ['field_type', 'select'],
        ...options,
        ['form_show', step],
      ])
      return [...text.matchAll(/name="data.options" value="([^"]*)"/g)].map(([, value]) => value).join()
    }
    expect(await rowsAfter('data.options up 2 1')).toBe('b,,a,A,c,C,,,,')
    expect(await rowsAfter('data.options down 2 2')).toBe('a,A,b,,c,C,,,,')
    expect(await rowsAfter('data.options remove 2 0')).toBe('b,,c,C,,,,')
    for (const step of ['add 2 0', 'up 2 0', 'down 2 9', 'up 1000000000 1', 'down 0 0', 'down 0.001 0'])
      expect([step, await rowsAfter(`data.options ${step}`)]).toEqual([step, 'a,A,b,,c,C,,,,'])
  })

  it('give a select the list of its options as the default, also of those that are typed', async () => {
    const listOf = (text: string) => {
      const list = /<select[^>]* name="data.default"[^>]*>(.*?)<\/select>/s.exec(text)?.[1] ?? ''
      return [...list.matchAll(/value="([^"]*)"( selected="")?>([^<]*)/g)].map(([, ...all]) => all)
    }
    const data = { options: [10, { value: 'b', label: 'Bright' }, 2], default: 10 }
    const { field_id } = await field(datatype_id, 'Listed', 'select', { data })
    const { text } = await call('GET', `/admin/fields/${field_id}`)
    expect(listOf(text)).toEqual([
      ['', undefined, '–'],
      ['10', ' selected=""', '10'],
      ['b', undefined, 'Bright'],
      ['2', undefined, '2'],
    ])
    const typed = await post(`/admin/fields/${field_id}`, [
      ['field_type', 'select'],
      ...['x', '', '', 'Y'].map((option): [string, string] => ['data.options', option]),
      ['data.default', 'x'],
      ['form_show', 'data.options add 2 0'],
    ])
    expect(listOf(typed.text)).toEqual([
      ['', undefined, '–'],
      ['x', ' selected=""', 'x'],
      ['Y', undefined, 'Y'],
    ])
    const free = await post('/admin/fields/new', { field_type: 'select', form_show: 'field_type' })
    expect(free.text).toMatch(/<input[^>]* name="data.default"/)
  })

  it('take texts that want to harm, and say what is wrong with them', async () => {
    const { field_id } = await field(datatype_id, 'Harm', 'select')
    const path = `/admin/fields/${field_id}`
    const many = Array.from({ length: 20_000 }, (_, i): [string, string] => ['data.options', `${i}`])
    const harmful: Values[] = [
      [['data', '{"__proto__": {"a": 1}}']],
      [['data', '{"constructor": 1}']],
      [['field_type', '__proto__']],
      [
        ['field_type', 'constructor'],
        ['data.options', 'a'],
      ],
      [['data.__proto__', 'a']],
      [
        ['data.options', 'a'],
        ['data.options.0', 'b'],
        ['data', '['],
      ],
      many,
    ]
    for (const values of harmful) {
      const { status, text } = await post(path, values)
      expect([values.slice(0, 2), [303, 400].includes(status), text.length < 3_000_000]).toEqual([
        values.slice(0, 2),
        true,
        true,
      ])
      expect(await dataOf(field_id)).toEqual({})
    }
    const html = await post(path, [
      ['data.options', '"><script>x</script>'],
      ['form_show', 'field_type'],
    ])
    expect(html.text).toContain('value="&quot;&gt;&lt;script&gt;x&lt;/script&gt;"')
  })

  it('can be read by who may not change them', async () => {
    const data = { options: ['calm', { value: 'loud', label: 'Very loud' }], default: 'calm' }
    const { field_id } = await field(datatype_id, 'Read', 'select', { data })
    const idOf = async (list: string, id: string) => {
      const { body } = await call('GET', `/api/v1/${list}`)
      const label = list === 'roles' ? 'viewer' : 'fields:read'
      return body.find((one: { label: string }) => one.label === label)[id] as string
    }
    const body = {
      role_id: await idOf('roles', 'role_id'),
      permission_id: await idOf('permissions', 'permission_id'),
    }
    expect((await call('POST', '/api/v1/role-permissions', { body })).status).toBe(201)
    const { status, text } = await call('GET', `/admin/fields/${field_id}`, { as: 'viewer' })
    expect([status, /<form[^>]* id="form"/.test(text)]).toEqual([200, false])
    expect(text).toContain('calm, loud, Very loud')
  })
})

it('D24: the type of a field is locked while entries have values, and the form says so', async () => {
  const page = await datatype('Locked')
  const { route_id } = await route('/locked', 'Locked')
  const { field_id } = await field(page.datatype_id, 'Count', 'number')
  const path = `/admin/fields/${field_id}`
  const control = async () => {
    const { text } = await call('GET', path)
    const isFree = /<select[^>]* name="field_type"/.test(text)
    return [isFree, /<span class="hint" id="h-field_type">\s*([^<]*?)\s*<\/span>/.exec(text)?.[1]]
  }
  expect(await control()).toEqual([true, 'cannot change while there are values'])
  const { content_data_id } = await entry(page.datatype_id, { route_id }, { fields: { count: 3 } })
  expect(await control()).toEqual([false, 'locked: entries have values of this field'])
  expect((await call('GET', path)).text).toMatch(/<p class="fixed ">Number<\/p>/)
  // The rest of the form saves, and the service refuses the type from an older page.
  const own = await untouched(field_id)
  expect(own.map(([name]) => name)).not.toContain('field_type')
  const renamed = own.map(([name, value]): [string, string] => [name, name === 'label' ? 'Amount' : value])
  expect((await post(path, renamed)).status).toBe(303)
  const retyped = await post(path, [...(await untouched(field_id)), ['field_type', 'text']])
  expect([retyped.status, (await services.space.fields.get(field_id)).field_type]).toEqual([409, 'number'])
  const [change] = (await app.audits()).filter(({ record_id }) => record_id === field_id).slice(-1)
  expect((await call('GET', `/admin/audit/${change?.audit_event_id}`)).text).toContain('Amount')
  await call('DELETE', `/api/v1/content?q=${content_data_id}`)
  expect(await control()).toEqual([true, 'cannot change while there are values'])
})
