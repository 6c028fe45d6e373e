import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { commands } from '../../src/cli/commands.js'
import { runLine } from '../../src/cli/program.js'
import { unifiedDiff } from '../../src/cli/unified-diff.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { unread } from '../support/terminal.js'

async function site() {
  const app = await testApp()
  const folder = mkdtempSync(join(tmpdir(), 'slugline-content-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const config = join(folder, 'cms.config.json')
  const { db_driver, db_url, db_name, db_username, db_password } = app.config
  writeFileSync(config, JSON.stringify({ db_driver, db_url, db_name, db_username, db_password }))
  const rows = factories(app)
  const post = await rows.datatype('Post')
  await rows.field(post.datatype_id, 'Title', 'text')
  await rows.field(post.datatype_id, 'Body', 'textarea')
  await rows.field(post.datatype_id, 'Next', 'relation')
  const line = async (text: string, { input = '', variables = {} as Record<string, string> } = {}) => {
    const ended = { code: 0, out: '', err: '' }
    ended.code = await runLine(commands, [...text.split(' '), '--config', config], {
      ...unread,
      write(some) {
        ended.out += some
      },
      writeError(some) {
        ended.err += some
      },
      writeSurely: () => undefined,
      readSecret: async () => '',
      isInteractive: false,
      async *input() {
        // A line may come in several pieces.
        for (let at = 0; at < input.length; at += 100) yield Buffer.from(input.slice(at, at + 100))
      },
      variables,
    })
    return ended
  }
  const page = async (slug: string, fields: object) => {
    const route_id = (await app.call('POST', '/api/v1/routes', { body: { slug, title: `The ${slug}` } })).body
      .route_id
    return (await rows.entry(post.datatype_id, { route_id }, { fields })).content_data_id as string
  }
  const fieldsOf = async (text: string) => JSON.parse((await line(`content get ${text} --json`)).out).fields
  return { app, rows, post, line, page, fieldsOf, folder }
}

it('content edit opens the fields as YAML, and saves those that changed', async () => {
  const { line, page, fieldsOf } = await site()
  await page('/about', { title: 'true', body: 'One\nTwo: 2\n' })
  const edited = await line('content edit /about', { variables: { EDITOR: "sed -i 's/Two/Three/'" } })
  expect(edited).toEqual({ code: 0, out: 'Saved body.\n', err: '' })
  expect(await fieldsOf('/about')).toEqual({ title: 'true', body: 'One\nThree: 2\n' })
  expect(await line('content edit /about', { variables: { EDITOR: 'true' } })).toMatchObject({
    code: 0,
    out: 'Nothing was changed.\n',
  })
})

it('content edit refuses to write over a save by somebody else, and keeps the text', async () => {
  const { app, line, page, fieldsOf, folder } = await site()
  const id = await page('/about', { title: 'Old' })
  const other = join(folder, 'other.sh')
  // The editor of the person waits until somebody else has saved.
  writeFileSync(
    other,
    `sed -i 's/Old/Mine/' "$1"; touch ${folder}/open; while [ ! -e ${folder}/saved ]; do sleep 0.05; done\n`,
  )
  const editing = line('content edit /about', { variables: { EDITOR: `sh ${other}` } })
  await expect
    .poll(() => execFileSync('ls', [folder], { encoding: 'utf8' }), { timeout: 180_000 })
    .toContain('open')
  await app.call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { title: 'Theirs' } } })
  writeFileSync(join(folder, 'saved'), '')
  const { code, err } = await editing
  expect(code).toBe(1)
  expect(await fieldsOf('/about')).toEqual({ title: 'Theirs' })
  const [, kept = ''] = /The text is kept in (\S+)/.exec(err) ?? []
  expect(execFileSync('cat', [kept], { encoding: 'utf8' })).toContain('title: Mine')
  rmSync(join(kept, '..'), { recursive: true })
})

it.each([
  ["sed -i 's/^title/titel/'", 'there is no field titel: did you mean title?'],
  ["sed -i 's/^title.*/title: [1]/'", 'title: must be a text'],
  ["sed -i 's/^title.*/title: \"x/'", 'the text is not YAML'],
  ['false', 'the editor false exited with code 1'],
])('content edit with %s says what is wrong and stores nothing', async (EDITOR, sentence) => {
  const { line, page, fieldsOf } = await site()
  await page('/about', { title: 'Old' })
  const { code, err } = await line('content edit /about', { variables: { EDITOR } })
  expect([code, err]).toEqual([1, expect.stringContaining(sentence)])
  expect(await fieldsOf('/about')).toEqual({ title: 'Old' })
  const [, kept] = /The text is kept in (\S+)/.exec(err) ?? []
  if (kept) rmSync(join(kept, '..'), { recursive: true })
})

it('content export and import carry trees, relations and publication to another site, once', async () => {
  const from = await site()
  const first = await from.page('/a', { title: 'A', body: 'One\nTwo' })
  const second = await from.page('/b', { title: 'B' })
  // A value that names an entry of a later line.
  await from.app.call('PUT', `/api/v1/content?q=${first}`, { body: { fields: { next: second } } })
  await from.rows.entry(from.post.datatype_id, { parent_id: first }, { fields: { title: 'Under A' } })
  await from.app.call('POST', '/api/v1/content/publish', { body: { content_data_id: first } })
  const { out } = await from.line('content export --datatype-id post')
  const lines = out
    .trim()
    .split('\n')
    .map(text => JSON.parse(text))
  expect(lines.map(({ fields }) => fields.title)).toEqual(['A', 'Under A', 'B'])

  const to = await site()
  const author = '--author admin@example.com'
  expect(await to.line(`content import ${author} --publish --dry-run`, { input: out })).toEqual({
    code: 0,
    out: 'Dry run: 3 created, 0 changed, 0 unchanged, 1 published. Nothing was stored.\n',
    err: '',
  })
  expect((await to.app.call('GET', '/api/v1/content')).body).toEqual([])
  expect(await to.line(`content import ${author} --publish`, { input: out })).toEqual({
    code: 0,
    out: '3 created, 0 changed, 0 unchanged, 1 published.\n',
    err: '',
  })
  const other = JSON.parse((await to.line('content get /b --json')).out).content_data_id
  expect(await to.fieldsOf('/a')).toEqual({ title: 'A', body: 'One\nTwo', next: other })
  const [a, under, b] = JSON.parse((await to.line('content list --json')).out)
  expect([a.status, under.status, b.status, under.parent_id]).toEqual([
    'published',
    'published',
    'draft',
    a.content_data_id,
  ])
  // A second time changes what differs, and makes nothing twice.
  const changed = out.replace('"Under A"', '"Below A"')
  expect((await to.line(`content import ${author}`, { input: changed })).out).toBe(
    '0 created, 1 changed, 2 unchanged, 0 published.\n',
  )
  expect(JSON.parse((await to.line('content list --json')).out)).toHaveLength(3)
})

it('content import takes an entry to the parent and the place of its line', async () => {
  const { rows, post, page, line } = await site()
  const [first, second] = [await page('/a', { title: 'A' }), await page('/b', { title: 'B' })]
  const under = async (parent_id: string, title: string) =>
    (await rows.entry(post.datatype_id, { parent_id }, { fields: { title } })).content_data_id as string
  const [one, two] = [await under(first, 'One'), await under(first, 'Two')]
  const exported = async () =>
    (await line('content export')).out
      .trim()
      .split('\n')
      .map(text => JSON.parse(text) as { content_data_id: string; parent_id: string; sort_order: number })
  const text = (lines: readonly object[]) => `${lines.map(row => JSON.stringify(row)).join('\n')}\n`
  const titles = async () =>
    (await exported()).map(row => (row as unknown as { fields: { title: string } }).fields.title)
  const author = '--author admin@example.com'
  const before = await exported()
  expect((await line(`content import ${author}`, { input: text(before) })).out).toBe(
    '0 created, 0 changed, 4 unchanged, 0 published.\n',
  )
  const order = new Map([
    [one, 7],
    [two, 3],
  ])
  const ordered = before.map(row => ({
    ...row,
    sort_order: order.get(row.content_data_id) ?? row.sort_order,
  }))
  const dry = await line(`content import ${author} --dry-run`, { input: text(ordered) })
  expect(dry.out).toBe('Dry run: 0 created, 2 changed, 2 unchanged, 0 published. Nothing was stored.\n')
  expect(await titles()).toEqual(['A', 'One', 'Two', 'B'])
  expect((await line(`content import ${author}`, { input: text(ordered) })).out).toBe(
    '0 created, 2 changed, 2 unchanged, 0 published.\n',
  )
  expect(await titles()).toEqual(['A', 'Two', 'One', 'B'])
  // Under another page, whose line comes later.
  const moved = (await exported()).map(row =>
    row.content_data_id === one ? { ...row, parent_id: second } : row,
  )
  expect((await line(`content import ${author}`, { input: text(moved) })).out).toBe(
    '0 created, 1 changed, 3 unchanged, 0 published.\n',
  )
  expect(await titles()).toEqual(['A', 'Two', 'B', 'One'])
  // Under itself, and under what is nowhere, it is refused, and stays.
  for (const [parent_id, sentence] of [
    [one, 'Circular reference detected'],
    ['01J9ZK2Y000000000000000000', 'parent_id: must be the id of an existing entry'],
  ] as const) {
    const wrong = (await exported())
      .filter(row => row.content_data_id === one)
      .map(row => ({ ...row, parent_id }))
    const refused = await line(`content import ${author}`, { input: text(wrong) })
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(sentence)])
  }
  expect(await titles()).toEqual(['A', 'Two', 'B', 'One'])
})

it('T26: content schedule takes times as people say them', async () => {
  const { app, page, line } = await site()
  const id = await page('/a', { title: 'A' })
  const schedule = (...words: string[]) => line(`content schedule ${words.join(' ')}`)
  const { code, out } = await schedule(id, '--publish', '+2h')
  expect([code, out]).toEqual([0, expect.stringMatching(/ draft publish \d{4}-\d\d-\d\dT/)])
  const { publish_at } = (await app.call('GET', `/api/v1/content?q=${id}`)).body
  expect(Math.abs(Date.parse(publish_at) - Date.now() - 7_200_000)).toBeLessThan(60_000)
  expect(await schedule(id, '--publish', '9:00')).toMatchObject({
    code: 1,
    err: expect.stringContaining('publish: needs a day, as today 9:00 or tomorrow 9:00'),
  })
  await schedule(id, '--publish', 'never')
  expect((await app.call('GET', `/api/v1/content?q=${id}`)).body.publish_at).toBeNull()
})

it.each([
  ['', 'standard input is empty: it must contain a line of JSON for each entry'],
  ['{"datatype":"post","slug":"/a"}\n{bad\n', 'line 2: it is not JSON'],
  ['{"datatype":"pots"}\n', 'line 1: datatype: there is no datatype pots: did you mean post?'],
  ['{"datatype":"post","feilds":{}}\n', 'line 1: '],
  [
    '{"datatype":"post","parent_id":"01J9ZK2Y000000000000000000"}\n',
    'line 1: parent_id: must be the id of an existing entry or of an entry on an earlier line',
  ],
  [
    `{"datatype":"post","fields":{"title":"${'x'.repeat(6_000_000)}"}}\n`,
    'line 1 is larger than 5242880 bytes',
  ],
])('content import refuses %.40s', async (input, sentence) => {
  const { line } = await site()
  const { code, err } = await line('content import --author admin@example.com', { input })
  expect([code, err]).toEqual([1, expect.stringContaining(sentence)])
})

it('versions compare --patch writes what patch applies', async () => {
  const { app, line, page, folder } = await site()
  const text = (word: string) =>
    Array.from({ length: 2000 }, (_, i) => `line ${i === 900 ? word : i}`).join('\n')
  const id = await page('/about', { title: 'A', body: text('old') })
  const versions: string[] = []
  for (const body of [text('old'), text('new')]) {
    await app.call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { body } } })
    versions.push(
      (await app.call('POST', '/api/v1/content/versions', { body: { content_data_id: id } })).body
        .content_version_id,
    )
  }
  const { out } = await line(`versions compare ${versions.join(' ')} --patch`)
  expect(out.split('\n').length).toBeLessThan(14)
  const file = join(folder, 'body')
  writeFileSync(file, text('old'))
  execFileSync('patch', [file], { input: out })
  expect(execFileSync('cat', [file], { encoding: 'utf8' })).toBe(text('new'))
})

it.each([
  ['', 'a\n'],
  ['a\n', ''],
  ['a', 'a\n'],
  ['1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n', '1\n2x\n3\n4\n5\n6\n7\n8\n9\n10\n11x\n12\n'],
])('a unified diff from %j applies', (before, after) => {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-patch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'text')
  writeFileSync(file, before)
  execFileSync('patch', ['--posix', file], { input: unifiedDiff('text', before, after) })
  expect(execFileSync('cat', [file], { encoding: 'utf8' })).toBe(after)
})
