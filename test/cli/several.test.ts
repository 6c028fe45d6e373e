import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runAs } from '../../src/cli/command.js'
import { siteCommands } from '../../src/cli/site-commands.js'
import { limits } from '../../src/limits.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'
import { sshOf } from '../support/ssh.js'
import { runHere, unread } from '../support/terminal.js'

/** One command that changes several records, on the machine and over SSH. */

const app = await testApp({ webhook_enabled: true })
const rows = factories(app)
const ssh = await sshOf(app)
const key = await ssh.keyOf('admin')
const viewer = await ssh.keyOf('viewer')
const folder = mkdtempSync(join(tmpdir(), 'slugline-several-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const config = join(folder, 'cms.config.json')
const { db_driver, db_url, db_name, db_username, db_password } = app.config
writeFileSync(
  config,
  JSON.stringify({ environment: 'local', db_driver, db_url, db_name, db_username, db_password }),
)
await app.subscribe()

const most = limits.content.selectedRecords
let made = 0
/** A datatype with pages and an entry under each, all of them drafts. */
async function site(count = 2) {
  const type = await rows.datatype(`Type ${++made}`, { visibility: 'public' })
  await rows.field(type.datatype_id, 'Title', 'text')
  const pages = []
  for (let i = 0; i < count; i++) {
    const slug = `/several-${++made}`
    const { route_id } = await rows.route(slug, `Page ${made}`)
    const { content_data_id: id } = await rows.entry(type.datatype_id, { route_id })
    const under = await rows.entry(type.datatype_id, { parent_id: id })
    pages.push({ slug, id: id as string, under: under.content_data_id as string })
  }
  return { name: type.name as string, pages, ids: pages.map(({ id }) => id) }
}
const there = (command: string, input = '', file = key.file) => ssh.ssh(command, { key: file, input })
const here = (text: string, person: Parameters<typeof runHere>[1] = {}) =>
  runHere([...text.split(' '), '--config', config], person)
const statusOf = async (id: string) => {
  const { status, body } = await app.call('GET', `/api/v1/content?q=${id}`)
  return status === 200 ? body.status : 'gone'
}
const statuses = (ids: readonly string[]) => Promise.all(ids.map(statusOf))
const changes = async () => (await app.audits()).filter(({ table_name }) => table_name !== 'sessions')

describe('a command on several records', () => {
  it('publishes the trees that match, each once, with an event and a delivery for each', async () => {
    const { name, pages, ids } = await site(3)
    const where = `--where datatype-id=${name} status=draft`
    const before = await changes()
    const dry = await there(`content publish ${where} --dry-run --json`)
    expect(JSON.parse(dry.out)).toEqual({ would_publish: ids, entries: 6, drafts: 6, errors: [] })
    expect((await there(`content publish ${where} --dry-run`)).out).toBe(
      `This would publish 3 entries with 3 entries under them.\n6 entries will be public. They are drafts now.\n${ids.join('\n')}\n`,
    )
    expect(await changes()).toEqual(before)
    const published = async () =>
      (await app.deliveries()).filter(({ event }) => event === 'content.published').length
    const sent = await published()
    expect(await there(`content publish ${where}`)).toEqual({
      code: 0,
      out: ids.map(id => `${id} published\n`).join(''),
      err: '',
    })
    expect(await statuses(pages.flatMap(({ id, under }) => [id, under]))).toEqual(Array(6).fill('published'))
    const events = (await changes()).slice(before.length)
    expect(events.filter(({ table_name }) => table_name === 'content_data')).toHaveLength(6)
    expect((await published()) - sent).toBe(3)
    // Nothing is left to publish.
    expect(await there(`content publish ${where}`)).toEqual({
      code: 0,
      out: '',
      err: 'slugline: no records match\n',
    })
  })

  it('asks a person once, with the count, and does nothing after a no', async () => {
    const { name, ids } = await site()
    const no = await here(`content publish --where datatype-id=${name}`, { answers: ['no'] })
    expect([no.code, no.asked]).toEqual([
      1,
      [expect.stringContaining('Publish 2 entries with 2 entries under them?\n4 entries will be public.')],
    ])
    expect(await statuses(ids)).toEqual(['draft', 'draft'])
    const yes = await here(`content publish --where datatype-id=${name}`, { answers: ['yes'] })
    expect([yes.code, yes.asked.length]).toEqual([0, 1])
    expect(await statuses(ids)).toEqual(['published', 'published'])
  })

  it('takes ids and names as arguments and from the output of a list', async () => {
    const { name, pages, ids } = await site()
    const [first, second] = pages
    expect((await there(`content publish ${first?.slug} ${second?.id}`)).out).toBe(
      ids.map(id => `${id} published\n`).join(''),
    )
    const { out } = await there(`content list --datatype-id ${name}`)
    const unpublished = await there('content unpublish - --json', out)
    expect(JSON.parse(unpublished.out)).toEqual({ unpublished: ids, refused: [] })
    const at = '--publish 2040-01-01T00:00:00Z'
    expect((await there(`content schedule - ${at}`, `${first?.slug}\n\n${second?.slug}\n`)).out).toBe(
      ids.map(id => `${id} scheduled\n`).join(''),
    )
    expect((await app.call('GET', `/api/v1/content?q=${ids[1]}`)).body.publish_at).toMatch(/^2040-01-01/)
  })

  it('names a rejected record, and changes the others', async () => {
    const { ids } = await site()
    const field = await rows.datatype(`Strict ${++made}`, { visibility: 'public' })
    await rows.field(field.datatype_id, 'Title', 'text', { required: true })
    const { route_id } = await rows.route(`/strict-${++made}`, 'Strict')
    const { content_data_id: strict } = await rows.entry(
      field.datatype_id,
      { route_id },
      { fields: { title: '' } },
    )
    const all = [ids[0], strict, ids[1]].join(' ')
    const json = await there(`content publish ${all} --json`)
    expect(json.code).toBe(1)
    expect(JSON.parse(json.out)).toMatchObject({ published: ids, refused: [{ id: strict }] })
    const text = await there(`content publish ${all}`)
    expect([text.code, text.err]).toEqual([1, expect.stringContaining(`slugline: ${strict}: `)])
  })

  it('deletes after --yes, parents with --recursive, and entries before those that they are under', async () => {
    const { name, pages, ids } = await site()
    const where = `--where datatype-id=${name}`
    expect((await there(`content delete ${where}`)).err).toContain('add --yes to continue')
    const dry = await there(`content delete ${where} --recursive --dry-run --json`)
    expect(JSON.parse(dry.out)).toMatchObject({ would_delete: ids, records: ids.map(id => ({ id })) })
    const asked = await here(`content delete ${where} --recursive`, { answers: ['no'] })
    expect(asked.asked).toEqual([
      expect.stringMatching(/^Delete 2 entries\? This deletes 2 entries and 2 entries under them\./),
    ])
    expect(await statuses(ids)).toEqual(['draft', 'draft'])
    const [first] = pages
    const own = [first?.id, first?.under].join(' ')
    expect((await there(`content delete ${own} --yes`)).out).toBe(
      `${first?.under} deleted\n${first?.id} deleted\n`,
    )
    expect((await there(`content delete ${where} --recursive --yes`)).out).toBe(`${ids[1]} deleted\n`)
    expect(await statuses(ids)).toEqual(['gone', 'gone'])
    const trash = await there('trash restore - --json', pages.map(({ slug }) => slug).join('\n'))
    expect(JSON.parse(trash.out).restored).toHaveLength(2)
  })

  it('deletes records of other resources, and says which depend on something', async () => {
    const { pages } = await site(1)
    const [page] = pages
    const { route_id } = await rows.route(`/free-${++made}`, 'Free')
    const call = `routes delete ${page?.slug} ${route_id}`
    expect((await here(call, { answers: ['no'] })).asked).toEqual([
      expect.stringContaining('Delete 2 routes? Those that something depends on stay'),
    ])
    const ended = await there(`${call} --yes`)
    expect([ended.code, ended.out]).toEqual([1, `${route_id} deleted\n`])
    expect(ended.err).toContain('--recursive deletes that too')
  })
})

describe('a command on several records refuses', () => {
  it.each([
    ['content publish', 'add the id of a record'],
    ['content publish /a --where status=draft', 'not both'],
    ['content publish --where', 'argument missing'],
    ['content publish --where state=draft', '--where state=draft: must be '],
    ['content publish --where status', '--where status: must be '],
    ['content publish --where status=', '--where status=: must be '],
    ['content publish --where status=draft status=published', 'each filter can be given once'],
    ['roles delete --where label=x --yes', "unknown option '--where'"],
  ])('%s', async (call, words) => {
    const before = await changes()
    const ended = await there(call)
    expect([ended.code, ended.out, ended.err]).toEqual([2, '', expect.stringContaining(words)])
    expect(await changes()).toEqual(before)
  })

  it('a record that does not exist, before it changes the others', async () => {
    const { ids } = await site(1)
    for (const [missing, given] of [
      ['/nowhere', `${ids[0]}\n/nowhere\n`],
      ['01J9ZK2YAAAAAAAAAAAAAAAAAA', `01J9ZK2YAAAAAAAAAAAAAAAAAA\n${ids[0]}`],
    ])
      expect(await there('content publish -', given)).toEqual({
        code: 1,
        out: '',
        err: `slugline: not found: ${missing}\n`,
      })
    expect((await there('content publish --where status=pblished')).code).toBe(1)
    expect(await statuses(ids)).toEqual(['draft'])
  })

  it('more records than a selection may have', async () => {
    const { ids } = await site(1)
    const lines = Array.from({ length: most + 1 }, () => ids[0]).join('\n')
    expect(await there('content publish -', lines)).toEqual({
      code: 1,
      out: '',
      err: `slugline: a command changes at most ${most} records, and these are more\n`,
    })
    const type = await rows.datatype(`Many ${++made}`)
    for (let i = 0; i <= most; i++) await rows.entry(type.datatype_id, { parent_id: ids[0] })
    const many = await there(`content delete --yes --where datatype-id=${type.name}`)
    expect([many.code, many.err]).toEqual([1, expect.stringContaining(`these are ${most + 1}`)])
    expect((await there(`content list --datatype-id ${type.name} --jsonl`)).out.split('\n')).toHaveLength(
      most + 2,
    )
    expect(await statuses(ids)).toEqual(['draft'])
  })

  it('callers without the permission to change or to list the records', async () => {
    const { name, ids } = await site(1)
    const where = `datatype-id=${name}`
    const refused = await there(`content publish --where ${where}`, '', viewer.file)
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('content:publish')])
    const { actor } = await callersOf(app).callerWith('content:publish')
    const command = siteCommands.find(({ words }) => words === 'content publish')
    if (!command) throw new Error('there is no such command')
    const io = {
      ...unread,
      write: () => undefined,
      writeError: () => undefined,
      readSecret: async () => '',
      isInteractive: false,
    }
    const publish = (options: Record<string, string>, ...given: string[]) =>
      runAs(actor, app.services, command, { io, options, given })
    await expect(publish({ where })).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('content:read'),
    })
    expect(await statuses(ids)).toEqual(['draft'])
    expect(await publish({}, ...ids)).toBe(0)
    expect(await statuses(ids)).toEqual(['published'])
  })
})
