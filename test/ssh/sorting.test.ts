import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { sampleOf } from '../support/ssh-sample.js'
import { type Client, goTo, openScreens } from '../support/ssh-screens.js'

/** The rows of the list, by the first word of each. */
const rowsOf = (client: Client): string[] =>
  client
    .text()
    .split('\n')
    .slice(3, -1)
    .flatMap(line => line.trim().split(/ {2,}/)[0] || [])

const head = (client: Client): string => client.text().split('\n')[2] ?? ''

/** Creates pages whose titles, addresses and ages are in different orders. */
async function pagesOf(app: Awaited<ReturnType<typeof testApp>>) {
  const make = factories(app)
  const page = await make.datatype('Page')
  const note = await make.datatype('Note')
  for (const [title, slug, type] of [
    ['Beta', '/3', page],
    ['Alpha', '/2', note],
    ['Gamma', '/1', page],
  ] as const) {
    const route = await make.route(slug, title)
    await make.entry(type.datatype_id, { route_id: route.route_id })
  }
}

it('content is sorted by < and > as the service orders it, and - reverses the order', async () => {
  const app = await testApp()
  await pagesOf(app)
  const client = await openScreens(app)
  await goTo(client, 'content', 'Gamma')
  expect(rowsOf(client)).toEqual(['Beta', 'Alpha', 'Gamma'])
  expect(head(client)).not.toMatch(/[↑↓]/)
  const sorted = async (key: string, label: string | RegExp, rows: readonly string[]) => {
    client.press(key)
    await client.sees(label)
    expect(rowsOf(client)).toEqual(rows)
  }
  // A key without an order has nothing to reverse.
  client.press('-')
  await sorted('>', 'Page ↑', ['Alpha', 'Beta', 'Gamma'])
  await sorted('-', 'Page ↓', ['Gamma', 'Beta', 'Alpha'])
  await sorted('>', 'Slug ↑', ['Gamma', 'Alpha', 'Beta'])
  await sorted('>', 'Datatype ↑', ['Alpha', 'Beta', 'Gamma'])
  expect(client.text()).toMatch(/Alpha +\/2 +Note/)
  await sorted('<', 'Slug ↑', ['Gamma', 'Alpha', 'Beta'])
  await sorted('<', 'Page ↑', ['Alpha', 'Beta', 'Gamma'])
  await sorted('<', /Page +Slug/, ['Beta', 'Alpha', 'Gamma'])
  await sorted('<', 'Changed ↓', ['Gamma', 'Alpha', 'Beta'])
  await sorted('<', 'Author ↑', ['Beta', 'Alpha', 'Gamma'])
  await sorted('<', 'State ↑', ['Beta', 'Alpha', 'Gamma'])
  client.press('?')
  await client.sees('reverse the order')
})

it('more of a sorted list, and what is found in it, come in its order from the service', async () => {
  const app = await testApp()
  const make = factories(app)
  const page = await make.datatype('Page')
  const n = 230
  // Creation is against the order of titles.
  for (let i = n; i > 0; i--) {
    const route = await make.route(`/p${i}`, `Page ${String(i).padStart(3, '0')}`)
    await make.entry(page.datatype_id, { route_id: route.route_id })
  }
  const client = await openScreens(app, 'admin', { rows: 40 })
  await goTo(client, 'content', 'Page 230')
  client.press('>')
  await client.sees('Page ↑')
  await client.sees('200 of 230 read')
  expect(rowsOf(client)[0]).toBe('Page 001')
  client.press('end')
  await client.sees('230 in all')
  client.press('end')
  await client.sees('Page 230')
  expect(rowsOf(client).at(-1)).toBe('Page 230')
  // Not loaded yet, and found in the order that is chosen.
  client.press('-')
  await client.sees('Page ↓')
  await client.sees('200 of 230 read')
  client.type('/page 02')
  client.press('enter')
  const found = Array.from({ length: n }, (_, i) => `Page ${String(i + 1).padStart(3, '0')}`).filter(title =>
    title.includes('02'),
  )
  await client.sees(`${found.length} found`)
  expect(rowsOf(client)).toEqual(found.toReversed())
  client.press('-')
  await client.sees('Page ↑')
  await client.sees(`${found.length} found`)
  expect(rowsOf(client)).toEqual(found)
})

it('a datatype with many entries is sorted too', async () => {
  const app = await testApp()
  const make = factories(app)
  const menu = await make.datatype('Menu', { type: '_global' })
  await make.field(menu.datatype_id, 'Title', 'text', { sort_order: 0 })
  for (const title of ['d', 'b', 'f', 'a', 'e', 'c'])
    await make.entry(menu.datatype_id, {}, { fields: { title: `Menu ${title}` } })
  const client = await openScreens(app)
  await goTo(client, 'content', '(6 entries)')
  client.press('enter')
  await client.sees('Menu c')
  expect(rowsOf(client)[0]).toBe('Menu c')
  client.press('>')
  await client.sees('Menu ↑')
  expect(rowsOf(client)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map(one => `Menu ${one}`))
})

it('every list whose service orders by age has its newest records first, by >', async () => {
  const app = await testApp({ webhook_enabled: true })
  await sampleOf(app)
  for (const name of ['First', 'Second']) {
    await app.call('POST', '/api/v1/admin/webhooks', {
      body: { name, url: 'https://hooks.example/', events: ['content.published'] },
    })
    await app.call('POST', '/api/v1/roles', { body: { label: name } })
  }
  const client = await openScreens(app)
  for (const screen of ['Routes', 'Datatypes', 'People', 'Roles', 'Webhooks']) {
    await goTo(client, screen.toLowerCase(), `› ${screen}`)
    await client.sees(/\d+ in all/)
    const before = rowsOf(client)
    expect(before.length).toBeGreaterThan(1)
    client.press('>')
    await client.sees('Created ↓')
    expect([screen, rowsOf(client)]).toEqual([screen, before.toReversed()])
    client.press('-')
    await client.sees('Created ↑')
    expect(rowsOf(client)).toEqual(before)
    client.press('>')
    await client.misses('Created')
  }
})

it('the trash and media are ordered by their own column', async () => {
  const app = await testApp()
  const { root } = await sampleOf(app)
  const { body } = await app.call('GET', '/api/v1/content?limit=100')
  const parts = body.filter((one: { parent_id: string | null }) => one.parent_id === root)
  for (const { content_data_id } of parts.slice(0, 2))
    await app.call('DELETE', `/api/v1/content?q=${content_data_id}`)
  const client = await openScreens(app)
  await goTo(client, 'trash', 'Opening hours')
  expect(rowsOf(client)).toEqual(['Contact', 'Opening hours'])
  client.press('>')
  await client.sees('Deleted ↓')
  expect(rowsOf(client)).toEqual(['Contact', 'Opening hours'])
  client.press('-')
  await client.sees('Deleted ↑')
  expect(rowsOf(client)).toEqual(['Opening hours', 'Contact'])
})
