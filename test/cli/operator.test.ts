import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.js'
import { machineCommands } from '../../src/cli/site-commands.js'
import { showList } from '../../src/cli/table.js'
import { NobodyReads } from '../../src/cli/terminal.js'
import { visible } from '../../src/cli/visible.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { runFrom, servingCommands } from '../support/remote.js'
import { exec, sshOf } from '../support/ssh.js'
import { runHere, unread } from '../support/terminal.js'

const app = await testApp({ readers_see_drafts: false })
const rows = factories(app)
const ssh = await sshOf(app)
const key = await ssh.keyOf('admin')
const viewer = await ssh.keyOf('viewer')
const folder = mkdtempSync(join(tmpdir(), 'slugline-operator-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const config = join(folder, 'cms.config.json')
const { db_driver, db_url, db_name, db_username, db_password } = app.config
writeFileSync(
  config,
  JSON.stringify({ environment: 'local', db_driver, db_url, db_name, db_username, db_password }),
)

const post = await rows.datatype('Post', { visibility: 'public' })
await rows.field(post.datatype_id, 'Title', 'text')
let made = 0
/** A page with an entry under it, both drafts. */
async function page() {
  const slug = `/page-${++made}`
  const { route_id } = await rows.route(slug, `Page ${made}`)
  const fields = { title: 'Winter' }
  const { content_data_id: id } = await rows.entry(post.datatype_id, { route_id }, { fields })
  const under = await rows.entry(post.datatype_id, { parent_id: id })
  return { slug, id: id as string, route_id: route_id as string, under: under.content_data_id as string }
}
const there = (command: string, input = '') => ssh.ssh(command, { key: key.file, input })
const here = (text: string, person: Parameters<typeof runHere>[1] = {}) =>
  runHere([...text.split(' '), '--config', config], person)
/** Audit events, without those of the sessions that commands make. */
const changes = async () => (await app.audits()).filter(({ table_name }) => table_name !== 'sessions')
const isThere = async (id: string) => (await app.call('GET', `/api/v1/content?q=${id}`)).status === 200

describe('the command line', () => {
  it('T5: shows a draft with its fields, which can be changed and sent back', async () => {
    const { slug, id } = await page()
    expect((await there(`content get ${slug}`)).out).toContain('fields.title: Winter\n')
    const { out } = await there(`content get ${id} --json`)
    const entry = JSON.parse(out)
    expect(entry).toMatchObject({ datatype: 'post', slug, status: 'draft', fields: { title: 'Winter' } })
    const changed = JSON.stringify({ ...entry, fields: { title: 'Spring' } })
    expect(await there(`content update ${slug}`, changed)).toEqual({ code: 0, out: `${id}\n`, err: '' })
    expect(JSON.parse((await there(`content get ${slug} --json`)).out).fields).toEqual({ title: 'Spring' })
    // It was read before that change.
    const late = await there(`content update ${slug} --json`, changed)
    expect([late.code, JSON.parse(late.err)]).toMatchObject([1, { code: 'changed' }])
    expect(await ssh.ssh(`content get ${id}`, { key: viewer.file })).toMatchObject({ code: 1, out: '' })
  })

  it('T13: asks before it deletes, is refused where nobody can be asked, and says what is deleted', async () => {
    const { slug, id, under } = await page()
    for (const command of [
      `content delete ${slug} --recursive`,
      `routes delete ${slug}`,
      'roles delete viewer',
    ])
      expect(await there(command)).toEqual({
        code: 1,
        out: '',
        err: 'slugline: cannot ask for confirmation without a terminal: add --yes to continue, or --dry-run to see what would change\n',
      })
    const before = await changes()
    const dry = await there(`content delete ${slug} --recursive --dry-run --json`)
    expect(JSON.parse(dry.out)).toEqual({
      would_delete: id,
      name: `the entry “Page ${made}”`,
      message: expect.stringContaining('1 entry under it'),
    })
    const no = await here(`content delete ${slug} --recursive`, { answers: ['no'] })
    expect([no.code, no.asked, no.err]).toEqual([
      1,
      [expect.stringContaining(`Delete the entry “Page ${made}”? This deletes`)],
      'slugline: nothing was changed\n',
    ])
    expect(await changes()).toEqual(before)
    expect(await here(`content delete ${slug} --recursive`, { answers: ['yes'] })).toMatchObject({
      code: 0,
      out: `Deleted the entry “Page ${made}”.\n`,
    })
    expect([await isThere(id), await isThere(under)]).toEqual([false, false])
    const json = await there(`routes delete ${slug} --yes --json`)
    expect(JSON.parse(json.out)).toMatchObject({ name: `the route “Page ${made}”` })
  })

  it('T14: takes the names of records in place of ids', async () => {
    const { slug, id, route_id } = await page()
    expect((await there(`content publish ${slug.slice(1)}`)).out).toBe(`${id} published\n`)
    expect((await there(`versions list ${slug}`)).code).toBe(0)
    for (const [command, wanted] of [
      [`routes get ${slug}`, { route_id }],
      ['datatypes get post', { datatype_id: post.datatype_id }],
      ['fields get post.title', { name: 'title', parent_id: post.datatype_id }],
      ['user get admin@example.com', { user_id: app.users.admin }],
      ['roles get editor', { label: 'editor' }],
    ] as const)
      expect(JSON.parse((await there(`${command} --json`)).out)).toMatchObject(wanted)
    const found = JSON.parse((await there('content list --datatype-id post --json')).out)
    expect(found.length).toBeGreaterThan(0)
    expect((await there('content list --datatype-id pots')).err).toBe(
      'slugline: not found: pots (--datatype-id)\n',
    )
    expect((await there('user get nobody@example.com')).code).toBe(1)
  })

  it('T15: has heads and short times on a terminal, and columns that wide characters do not move', async () => {
    const { route_id } = await rows.route('/ja', '日本語')
    await rows.entry(post.datatype_id, { route_id })
    const { out } = await here('content list', { isTerminal: true })
    const [head = '', ...shown] = out.split('\n')
    expect(head).toMatch(/^ID +STATUS +DATATYPE +SLUG +TITLE +MODIFIED$/)
    expect(shown[0]).toMatch(/ ago$|\d{4}-\d\d-\d\d$/)
    expect((await here('content list')).out).not.toContain('STATUS')
    const cells = async (text: string, title: string) => {
      const line = (await here(text, { isTerminal: true })).out.split('\n').find(one => one.includes(title))
      return line?.indexOf(title)
    }
    expect(await cells('routes list', '日本語')).toBe(await cells('routes list', 'TITLE'))
    expect((await there('fields list')).out).toContain('  post  text  title  Title\n')
    const { id } = await page()
    await there(`content publish ${id}`)
    expect((await there(`versions list ${id} --json`)).out).not.toContain('snapshot')
  })

  it('T15: a record is one row of the terminal, with its id whole, at home, over SSH and elsewhere', async () => {
    const title = 'A title that is longer than what a terminal of eighty cells has room for, 日本語'
    await rows.route('/long-address-of-a-page-with-a-long-title', title)
    const shown = async (columns: number) =>
      (await here('routes list', { isTerminal: true, columns })).out
        .split('\n')
        .find(one => one.includes('/long'))
    expect(await shown(80)).toMatch(
      /^[0-9A-Z]{26} {2}\/long-address-of-a-page-… {2}A title that is longer t…$/,
    )
    expect(await shown(200)).toContain(title)
    // In a narrow one it takes several rows, and nothing is cut.
    expect(await shown(30)).toContain(title)
    expect((await here('routes list', { columns: 80 })).out).toContain(title)
    const client = await ssh.client({ username: 'admin', password: 'correct horse' })
    const terminal = async (term: string, env: Record<string, string> = {}) => {
      const pty = { term, cols: 80, rows: 24, width: 0, height: 0, modes: {} }
      return (await exec(client, 'routes list', { pty, env })).out
    }
    const own = await terminal('xterm-256color')
    const bold = '\u001b[1m'
    expect(own.startsWith(`${bold}ID `)).toBe(true)
    expect(own).not.toContain(title)
    for (const out of [await terminal('xterm-256color', { NO_COLOR: '1' }), await terminal('dumb')]) {
      expect(out).toMatch(/^ID +SLUG/)
      expect(out).not.toContain('\u001b')
    }
    const { address, key: token } = await servingCommands(app)
    const remote = await runFrom({ address, key: token }, ['routes', 'list'], { columns: 80 }).ended
    expect(remote.out).toBe(own.replaceAll('\r', ''))
  })

  it('T16: leaves sessions out of the changes, which are shown in words', async () => {
    await page()
    const { out } = await there('audit list --limit 20')
    expect(out).toMatch(/Route created +Page \d+ +Administrator +by the API/)
    expect(out).not.toMatch(/session/i)
    expect((await there('audit list --limit 20 --sessions')).out).toContain('Session')
    expect((await there('audit list --limit 20 --jsonl')).out).toContain('"table_name":"sessions"')
  })

  it('T17: ends with 2 for an impossible option, and writes errors as JSON with --json', async () => {
    expect(await there('content list --limit abc')).toEqual({
      code: 2,
      out: '',
      err: 'slugline: --limit: must be a whole number\n',
    })
    const { code, out, err } = await there('routes create --json', '{"slug":"/x","titel":"x"}')
    expect([code, out]).toEqual([1, ''])
    expect(JSON.parse(err)).toMatchObject({ code: 'unknown_member', member: 'titel' })
    const lines = (await there('routes list --jsonl')).out.trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line).slug)).toContain('/ja')
  })

  it('T24: lists API keys, and ends one', async () => {
    const { out } = await there('token create admin@example.com --label leaked --json')
    const { token_id, token } = JSON.parse(out)
    expect((await there('token list')).out).toMatch(/admin@example.com +leaked +false/)
    expect((await there(`token revoke ${token_id}`)).out).toMatch(/^The key \S+… is revoked\.\n$/)
    const answer = await app.call('GET', '/api/v1/routes', {
      as: 'nobody',
      headers: { Authorization: `Bearer ${token}` },
    })
    expect(answer.status).toBe(403)
  })

  it('T27: a list whose reader has gone ends without a word', async () => {
    let written = ''
    const io = {
      ...unread,
      write: () => undefined,
      writeError: (text: string) => {
        written += text
      },
      drained: () => Promise.reject(new NobodyReads()),
      readSecret: async () => '',
      isInteractive: false,
    }
    const batches = (async function* () {
      yield [{ id: 1 }]
    })()
    await showList(io, {}, { batches, columns: ['id'] })
    expect(written).toBe('')
  })

  it('T28: a family of emoji is one picture, and a joiner elsewhere is visible', () => {
    expect(visible('👩‍👩‍👧 a\u200db \u200d👩')).toBe('👩‍👩‍👧 a\\u200db \\u200d👩')
  })

  it('T32: a command of the machine says so over SSH', async () => {
    const local = commands.filter(command => 'run' in command).map(({ words }) => words)
    expect(machineCommands).toEqual(local)
    expect(await there('serve --port 1')).toEqual({
      code: 2,
      out: '',
      err: 'slugline: serve runs only on the machine of the service, not over SSH\n',
    })
  })

  it('T39: a record in use says how it is deleted with what hangs on it', async () => {
    const { slug, id, under } = await page()
    const refused = await there(`routes delete ${slug} --yes`)
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--recursive deletes that too')])
    expect((await there(`routes delete ${slug} --yes --recursive`)).code).toBe(0)
    expect([await isThere(id), await isThere(under)]).toEqual([false, false])
  })
})
