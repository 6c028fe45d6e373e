import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { callerOf, made } from '../support/calls.js'
import { newKey, openssh, publicKeyOf, sshOf } from '../support/ssh.js'
import { sampleOf } from '../support/ssh-sample.js'
import { startWithTerminal } from '../support/ssh-session.js'
import { sshCommand, tmux, tmuxMissing } from '../support/tmux.js'

it.skipIf(tmuxMissing)('is used by ssh in a real terminal', async () => {
  const app = await testApp()
  await sampleOf(app)
  const { port, keyOf } = await sshOf(app)
  const { file } = await keyOf('admin')
  const terminal = tmux(sshCommand(port, 'admin', '-i', file))
  await terminal.sees('configuration of the service')
  terminal.keys('Enter')
  await terminal.sees('Straße')
  terminal.type('/welc')
  await terminal.sees('1 found')
  terminal.keys('Enter', 'Enter')
  await terminal.sees('Our team 日本語')
  // Wide characters leave the box where it is.
  for (const line of terminal.text().split('\n').slice(2, 22)) expect(line).toMatch(/│\s*$/)
  terminal.keys('Down', 'J')
  await terminal.sees(/Contact[\s\S]*Opening hours/)
  terminal.keys('Enter')
  await terminal.sees('Section · draft')
  terminal.keys('Enter')
  terminal.type(' on Sundays é日👩‍👩‍👧')
  terminal.keys('BSpace', 'Enter', 'C-s')
  await terminal.sees('Saved.')
  terminal.keys('p')
  await terminal.sees('1 entry will be public')
  terminal.type('y')
  await terminal.sees('is public')
  terminal.resize(120, 30)
  await terminal.sees(/ {20}Administrator/)
  terminal.keys('q')
  await terminal.sees('Opening hours on Sundays é日')
  terminal.keys('g')
  await terminal.sees('Go to')
  terminal.type('audit')
  terminal.keys('Enter')
  await terminal.sees(/Entry published +Opening hours on Sundays é日 +Administrator +in the terminal/)
  terminal.keys('C-c')
  await terminal.ended()
  expect(terminal.text()).not.toContain('Audit log')
  const values = await app.call('GET', '/api/v1/search?q=sundays')
  expect(values.status).toBe(200)
})

it.skipIf(tmuxMissing)('ssh -t host go opens what is found, or asks', async () => {
  const app = await testApp({ readers_see_drafts: false })
  await sampleOf(app)
  const { port, keyOf, ssh } = await sshOf(app)
  const { file } = await keyOf('admin')
  const opened = (...words: string[]) => tmux([...sshCommand(port, 'admin', '-i', file), 'go', ...words])
  const one = opened('/welcome')
  await one.sees('Our team 日本語')
  // Behind it is the first screen.
  one.keys('q')
  await one.sees('configuration of the service')
  const none = opened('nothing', 'of', 'this')
  await none.sees('No results.')
  expect(none.text()).toContain('nothing of this')
  const several = opened('e')
  await several.sees(/Search e[\s\S]*Media folders/)

  const shown = await ssh('go /welcome --json', { key: file })
  expect(JSON.parse(shown.out)).toMatchObject([{ kind: 'page', name: 'Welcome', about: '/welcome' }])
  const viewer = await keyOf('viewer')
  expect(await ssh('go /welcome --json', { key: viewer.file })).toMatchObject({ code: 0, out: '[]\n' })
  expect(await ssh('go', { key: file })).toMatchObject({ code: 2 })
})

/** The page of an address, as anybody is answered. */
const pageOf = async (url: string, slug: string) => {
  const answer = await fetch(`${url}${slug}?format=clean`)
  return { status: answer.status, text: await answer.text() }
}

it.skipIf(tmuxMissing)('makes, publishes, changes, brings back and plans a site from nothing', async () => {
  const product = await startWithTerminal({ config: { publish_mode: 'staged' } })
  const { sees, keys, type } = tmux(
    sshCommand(
      product.sshPort,
      'admin',
      '-o',
      'PreferredAuthentications=password',
      '-o',
      'PubkeyAuthentication=no',
    ),
    [100, 30],
  )
  const page = () => pageOf(product.url, '/about')
  const goTo = async (name: string, wanted: string | RegExp) => {
    type('g')
    await sees('Go to')
    type(name)
    keys('Enter')
    await sees(wanted)
  }
  const save = async () => {
    keys('C-s')
    await sees('Saved.')
    type('q')
  }
  const write = async (text: string) => {
    keys('Enter')
    await sees('accept')
    type(text)
    keys('Enter')
    await sees(/Enter change/)
  }
  await sees(/password:/)
  type('correct horse')
  keys('Enter')
  await sees('configuration of the service')

  for (const [label, field] of [
    ['Page', 'Title'],
    ['Part', 'Heading'],
  ] as const) {
    await goTo('datatypes', '› Datatypes')
    type('n')
    await sees('New datatype')
    await write(label)
    await save()
    await sees(new RegExp(`${label} +${label.toLowerCase()} `))
    type(`/${label}`)
    await sees('1 found')
    keys('Enter')
    type('f')
    await sees(`Fields of ${label}`)
    type('n')
    await sees('New field')
    await write(field)
    await save()
    await sees(new RegExp(`${field} +${field.toLowerCase()} +`))
  }

  await goTo('routes', '› Routes')
  type('n')
  await sees('New route')
  await write('About us')
  keys('Down')
  keys('Enter', 'C-u')
  type('/about')
  keys('Enter')
  await sees(/Enter change/)
  await save()
  await sees('/about')
  type('c')
  await sees('Datatype of “About us”')
  type('page')
  keys('Enter')
  await sees('○ About us')
  keys('Enter')
  await sees('Page · draft')
  await write('About the bakery')
  await save()
  // One under the page, and one under that.
  for (const heading of ['Where we are', 'How to come']) {
    await sees('Enter edit  Space mark')
    keys('End')
    type('a')
    await sees(/Under [AW]/)
    type('part')
    keys('Enter')
    await sees('Part · draft')
    await write(heading)
    await save()
    await sees(`○ ${heading}`)
  }
  await sees(/\n {5}○ Where we are +[\s\S]*\n {7}○ How to come/)
  expect((await page()).status).toBe(404)
  keys('Home')
  await sees(/│ About us/)
  type('p')
  await sees('will be public')
  type('y')
  await sees('● How to come')
  const first = await page()
  expect(first.status).toBe(200)
  for (const text of ['About the bakery', 'Where we are', 'How to come']) expect(first.text).toContain(text)

  keys('Enter')
  await sees('Page · published')
  await write(' of Ada')
  await save()
  await sees('1 unpublished')
  expect((await page()).text).toBe(first.text)
  type('p')
  await sees('No draft becomes public by this.')
  type('y')
  await sees(/● About us +[^(]/)
  await expect
    .poll(async () => (await page()).text, { timeout: 180_000 })
    .toContain('About the bakery of Ada')
  type('v')
  await sees('v2 Published')
  keys('Enter')
  await sees('From v1 to v2')
  await sees('About the bakery of Ada')
  type('q')
  await sees('v2 Published')
  keys('Down')
  type('r')
  await sees('Restore version 1')
  type('y')
  await sees('Restored 1 value and')
  await sees('1 unpublished')
  type('p')
  await sees('No draft becomes public by this.')
  type('y')
  await expect.poll(async () => (await page()).text, { timeout: 180_000 }).not.toContain('of Ada')

  keys('End')
  await sees(/│ How to come/)
  type('D')
  await sees('Duplicated. This is the copy.')
  type('s')
  await sees('Public from')
  await write('2030-01-31T12:00')
  keys('C-s')
  await sees('public from 2030-01-31 12:00')
  const call = await callerOf(product)
  const plans = (await made(call('GET', '/content'))).map(
    (one: { publish_at: string | null }) => one.publish_at,
  )
  expect(plans.filter(Boolean)).toEqual([expect.stringContaining('2030-01-31T12:00')])
  const { text } = await page()
  expect(text.match(/How to come/g)).toHaveLength(1)
  keys('C-c')
})

it('makes, publishes, changes, brings back and plans the same by commands', async () => {
  const product = await startWithTerminal({ config: { publish_mode: 'staged' } })
  const key = newKey()
  const password = { user: 'admin', password: 'correct horse', input: publicKeyOf(key) }
  expect(await openssh('ssh', product.sshPort, ['keys', 'add'], password)).toMatchObject({ code: 0, err: '' })
  /** What a command answers, given JSON. */
  const run = async (command: string, input?: object) => {
    const given = input === undefined ? '' : JSON.stringify(input)
    const { code, out, err } = await openssh('ssh', product.sshPort, [`${command} --json`], {
      key,
      input: given,
    })
    expect([command, code, err]).toEqual([command, 0, ''])
    return JSON.parse(out)
  }
  const kinds: Record<string, string> = {}
  for (const [label, field] of [
    ['Page', 'Title'],
    ['Part', 'Heading'],
  ] as const) {
    const { datatype_id } = await run('datatypes create', { label, type: 'content' })
    await run('fields create', { parent_id: datatype_id, label: field, field_type: 'text' })
    kinds[label] = datatype_id
  }
  const { route_id } = await run('routes create', { slug: '/about', title: 'About us' })
  const under = async (place: object, label: string, fields: object) =>
    (await run('content create', { ...place, datatype_id: kinds[label], fields })).content_data_id as string
  const root = await under({ route_id }, 'Page', { title: 'About the bakery' })
  const part = await under({ parent_id: root }, 'Part', { heading: 'Where we are' })
  const inner = await under({ parent_id: part }, 'Part', { heading: 'How to come' })
  const page = () => pageOf(product.url, '/about')
  expect((await page()).status).toBe(404)
  await run(`content publish ${root}`)
  const first = await page()
  for (const text of ['About the bakery', 'Where we are', 'How to come']) expect(first.text).toContain(text)
  await run(`content update ${root}`, { fields: { title: 'About Ada' } })
  expect((await page()).text).toBe(first.text)
  await run(`content publish ${root}`)
  await expect.poll(async () => (await page()).text, { timeout: 180_000 }).toContain('About Ada')
  const versions = await run(`versions list ${root}`)
  const [before, after] = [1, 2].map(
    wanted =>
      versions.find((one: { version_number: number }) => one.version_number === wanted).content_version_id,
  )
  expect((await run(`versions compare ${before} ${after}`)).values).toMatchObject([
    { content_data_id: root, before: 'About the bakery', after: 'About Ada' },
  ])
  expect(await run(`versions restore ${before}`)).toMatchObject({ restored: 1, recreated: [] })
  expect((await page()).text).toContain('About Ada')
  await run(`content publish ${root}`)
  await expect.poll(async () => (await page()).text, { timeout: 180_000 }).toBe(first.text)
  expect(await run(`content schedule ${inner} --unpublish 2030-01-31T12:00:00Z`)).toMatchObject({
    unpublish_at: expect.stringContaining('2030-01-31T12:00'),
  })
  await run(`content unpublish ${part}`)
  await expect.poll(async () => (await page()).text, { timeout: 180_000 }).not.toContain('How to come')
})
