// What four people do to one page, and where: one round leads from a draft by comments and review to the public and back.
import { Person } from './people.mjs'
import { caller, login, must, password } from './product.mjs'

/** Makes the page, its datatype, and people with their roles. */
export async function prepare(site) {
  const cookie = await login(site.url)
  const call = must(caller(site.url, { Cookie: cookie }))
  const { datatype_id } = await call('POST', '/api/v1/datatypes', { label: 'Page', type: 'content' })
  for (const [label, field_type] of [
    ['Heading', 'text'],
    ['Teaser', 'textarea'],
    ['Body', 'richtext'],
  ])
    await call('POST', '/api/v1/fields', { parent_id: datatype_id, label, field_type })
  const { route_id } = await call('POST', '/api/v1/routes', { slug: '/prices', title: 'Prices' })
  const entry = await call('POST', '/api/v1/content', { datatype_id, route_id })
  const { role_id } = await call('POST', '/api/v1/roles', { label: 'reviewer' })
  const all = await call('GET', '/api/v1/permissions')
  const wanted = [
    'content:read',
    'content:update',
    'content:publish',
    'media:read',
    'routes:read',
    'users:read',
  ]
  for (const { permission_id, label } of all)
    if (wanted.includes(label)) await call('POST', '/api/v1/role-permissions', { role_id, permission_id })
  const roles = [
    ['ada', 'editor'],
    ['ben', 'editor'],
    ['grace', 'reviewer'],
    ['root', 'admin'],
  ]
  const people = {}
  for (const [i, [name, role]] of roles.entries()) {
    const email = `${name}@example.com`
    await call('POST', '/api/v1/users', { email, username: name, name, password, role })
    people[name] = new Person(name, { port: site.port, address: `127.0.0.${10 + i}`, email, password })
  }
  return { call, id: entry.content_data_id, people }
}

const inForm = name => page => page.locator(`[id="f-fields.${name}"]`)
const textIn = locate => async page => {
  const box = locate(page)
  // It may go between the two: the page shows then that the text is stored.
  return (await box.count()) > 0 ? box.inputValue({ timeout: 1000 }).catch(() => '') : ''
}
const plainText = html => html.replace(/<[^>]*>/g, '').replaceAll('&amp;', '&')

const storedField = name => async (trial, text) => {
  const rows = await trial.call('GET', `/api/v1/content-fields?content_data_id=${trial.id}`)
  const fields = await trial.fields()
  return rows.some(row => row.field_id === fields.get(name) && plainText(row.field_value) === text)
}
const field = name => ({
  form: '#form',
  locate: inForm(name),
  read: textIn(inForm(name)),
  isStored: storedField(name),
})
const body = page => page.getByRole('textbox', { name: 'Body' })
const comment = page => page.locator('textarea[data-names]')
const sendBack = 'form[action$="/return"]'
const note = page => page.locator(`${sendBack} textarea`)

/** Where a text is typed, how it is read there, and when the service has it. */
export const places = {
  heading: field('heading'),
  teaser: field('teaser'),
  body: {
    ...field('body'),
    locate: body,
    read: async page => ((await body(page).count()) > 0 ? (await body(page).innerText()).trim() : ''),
  },
  comment: {
    form: '.comment-new',
    locate: comment,
    read: textIn(comment),
    isStored: async (trial, text) => (await comments(trial)).some(one => one.body === text),
  },
  note: {
    form: sendBack,
    locate: note,
    read: textIn(note),
    async show(page) {
      if (await note(page).isVisible()) return
      const summary = page.getByText('Send back with a note')
      // A page without its stream of events hears of a review within 20 seconds.
      await summary.waitFor({ timeout: 40_000 })
      await summary.click()
    },
    isStored: async (trial, text) => (await requests(trial)).some(one => one.answer === text),
  },
}

const comments = trial => trial.call('GET', `/api/v1/comments?content_data_id=${trial.id}&limit=1000`)
const requests = trial => trial.call('GET', `/api/v1/review-requests?content_data_id=${trial.id}&limit=1000`)
const isOpen = async trial => (await requests(trial)).some(({ status }) => status === 'open')
const has = (name, text) => trial => storedField(name)(trial, text(trial.words))
const all =
  (...tests) =>
  async trial => {
    for (const test of tests) if (!(await test(trial))) return false
    return true
  }
const inBar = (page, name) => page.locator('.bar').getByRole('button', { name, exact: true })
const save = page => page.keyboard.press('Control+s')

const texts = {
  first: words => `From 10 euros, ${words}`,
  second: words => `From 12 euros, ${words}`,
  body: words => `Words of Ben, ${words}`,
  heading: words => `Prices, ${words}`,
  comment: words => `Is this right? ${words}`,
  note: words => `See my comment, ${words}`,
}
const publicTeaser = async trial => {
  const answer = await fetch(`${trial.site.url}/prices?format=clean`)
  return answer.ok ? (await answer.json()).teaser : undefined
}

const askForReview = text => ({
  who: 'ada',
  what: 'request a review',
  saves: ['teaser'],
  async act(page) {
    const request = inBar(page, 'Request review')
    // Without it the page still shows the state before a change by somebody else; saving shows the new one.
    if (!(await request.isVisible())) await save(page)
    await request.click()
  },
  isDone: all(has('teaser', text), isOpen),
})

export const operations = [
  { who: 'ada', field: 'teaser', text: texts.first },
  // It stays unsaved while the others save, comment and send back.
  { who: 'ben', field: 'body', text: texts.body },
  askForReview(texts.first),
  { who: 'grace', field: 'comment', text: texts.comment },
  {
    who: 'grace',
    what: 'comment',
    saves: ['comment'],
    act: page => page.getByRole('button', { name: 'Comment', exact: true }).click(),
    isDone: async trial => (await comments(trial)).some(({ body }) => body === texts.comment(trial.words)),
  },
  { who: 'root', field: 'heading', text: texts.heading },
  { who: 'grace', field: 'note', text: texts.note },
  {
    who: 'grace',
    what: 'send it back',
    saves: ['note'],
    act: page => page.getByRole('button', { name: 'Send back', exact: true }).click(),
    isDone: async trial =>
      (await requests(trial)).some(
        ({ answer, status }) => status === 'returned' && answer === texts.note(trial.words),
      ),
  },
  { who: 'ben', what: 'save', saves: ['body'], act: save, isDone: has('body', texts.body) },
  {
    who: 'ada',
    what: 'resolve the comment',
    act: page => page.getByRole('button', { name: 'Resolve', exact: true }).first().click(),
    isDone: async trial => (await comments(trial)).every(({ resolved }) => resolved),
  },
  { who: 'ada', field: 'teaser', text: texts.second },
  askForReview(texts.second),
  { who: 'root', what: 'save', saves: ['heading'], act: save, isDone: has('heading', texts.heading) },
  {
    who: 'grace',
    what: 'approve',
    act: page => page.getByRole('button', { name: 'Approve and publish' }).click(),
    isDone: async trial => (await publicTeaser(trial)) === texts.second(trial.words),
  },
  {
    who: 'root',
    what: 'unpublish',
    act: page => page.getByRole('button', { name: 'Unpublish', exact: true }).first().click(),
    isDone: async trial => (await publicTeaser(trial)) === undefined,
  },
]
