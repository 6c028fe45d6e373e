import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { exec, sshOf } from '../support/ssh.js'

const app = await testApp()
const ssh = await sshOf(app)
const rows = factories(app)
const { file: adminKey } = await ssh.keyOf('admin')
const { file: editorKey } = await ssh.keyOf('editor')
const { file: viewerKey } = await ssh.keyOf('viewer')
const admin = (command: string, input = '') => ssh.ssh(command, { key: adminKey, input })

const idIn = (line: string) => line.split(' ')[0]

describe('a command over SSH', () => {
  it('is one of the command line, with its help and its words', async () => {
    const { code, out, err } = await admin('help')
    expect([code, err]).toEqual([0, ''])
    for (const offered of ['content', 'query', 'backup']) expect(out).toContain(`\n  ${offered} `)
    for (const local of ['serve', 'init', 'migrate', 'doctor', 'quickstart'])
      expect(out).not.toContain(`\n  ${local} `)
    expect((await admin('content list --help')).out).not.toContain('--config')
    expect(await admin('content lst')).toEqual({
      code: 2,
      out: '',
      err: "slugline: unknown command 'lst'\n(Did you mean list?)\n",
    })
    for (const local of ['serve', 'migrate up', 'backup restore x', 'content list --config /etc/passwd'])
      expect(await admin(local)).toMatchObject({ code: 2, out: '' })
  })

  it('makes a page of the JSON on standard input, and shows, publishes and finds it', async () => {
    const datatype = await rows.datatype('Post', { visibility: 'public' })
    await rows.field(datatype.datatype_id, 'Title', 'text')
    const page = {
      slug: '/first',
      title: 'First',
      datatype_id: datatype.datatype_id,
      fields: { title: 'The first of them' },
    }
    const created = await ssh.ssh('pages create --json', { key: adminKey, input: JSON.stringify(page) })
    expect([created.code, created.err]).toEqual([0, ''])
    const { route, entry } = JSON.parse(created.out)
    const id = entry.content_data_id
    expect((await app.call('GET', `/api/v1/routes/${route.route_id}`)).body.slug).toBe('/first')

    expect(JSON.parse((await admin('content list --json')).out)).toEqual(
      (await app.call('GET', '/api/v1/content')).body,
    )
    expect((await admin('content list')).out).toMatch(
      new RegExp(`^${id}  draft  ${datatype.name}  /first  First  \\S+\n$`),
    )
    expect((await admin(`content publish ${id}`)).out).toBe(`${id} published\n`)
    const found = await admin(`query ${datatype.name} --sort=-title --json`)
    expect(found.out).toBe(`${(await app.call('GET', `/api/v1/query/${datatype.name}?sort=-title`)).text}\n`)
    expect((await admin(`query ${datatype.name} 'title[eq]=The first of them'`)).out).toBe(
      `${id}  First\n  title: The first of them\n`,
    )
    expect((await admin('search first')).out).toContain(`${id}  ${datatype.name}  /first  First\n`)
    // What the command shows and refuses is what the API does.
    const searched = await app.call('GET', '/api/v1/search?q=first')
    expect((await admin('search first --json')).out).toBe(`${searched.text}\n`)
    for (const [option, parameter] of [
      ['--limit 51', 'limit=51'],
      ["--locale '\"'", 'locale=%22'],
      ['--type missing', 'type=missing'],
    ] as const) {
      const refused = await app.call('GET', `/api/v1/search?q=first&${parameter}`)
      expect([refused.status, (await admin(`search first ${option}`)).err]).toEqual([
        400,
        `slugline: ${refused.body.error}\n`,
      ])
    }
    const missing = [
      ['content get nothing', 'nothing (the id of the entry, or the slug of its page)'],
      ['versions list nothing', 'nothing (the id of the entry, or the slug of its page)'],
      ['versions restore nothing', 'nothing (the id of the version)'],
      ['versions compare one other', 'one (the id of a version) or other (the id of another one)'],
    ] as const
    for (const [line, named] of missing)
      expect((await admin(line)).err).toBe(`slugline: not found: ${named}\n`)

    const audits = (await app.audits()).filter(({ record_id }) => record_id === id)
    expect(audits.map(({ surface, user_id }) => [surface, user_id])).toEqual([
      ['ssh', app.users.admin],
      ['ssh', app.users.admin],
    ])
  })

  it('shows a person the first 100 of a list and how many there are, and a program all', async () => {
    for (let i = 0; i < 120; i++) await rows.route(`/many-${i}`)
    const total = (await app.call('GET', '/api/v1/routes')).body.length
    const linesOf = ({ out }: { out: string }) => out.trimEnd().split('\n')
    const first = await admin('routes list')
    expect([linesOf(first).length, first.err]).toEqual([100, `100 of ${total}. --limit 0 shows all.\n`])
    const all = await admin('routes list --limit 0')
    expect([linesOf(all).length, all.err]).toEqual([total, ''])
    expect(linesOf(all).slice(0, 100).map(idIn)).toEqual(linesOf(first).map(idIn))
    const few = await admin('routes list --limit 3')
    expect([linesOf(few).length, few.err]).toEqual([3, ''])
    const json = await admin('routes list --json')
    expect([JSON.parse(json.out).length, json.err]).toEqual([total, ''])
    expect(JSON.parse((await admin('routes list --json --limit 7')).out)).toHaveLength(7)
    const audit = await admin('audit list --sessions')
    expect([linesOf(audit).length, audit.err]).toEqual([100, 'The first 100. --limit 0 shows all.\n'])
    const audits = await app.audits()
    expect(linesOf(await admin('audit list --limit 0 --sessions')).length).toBeGreaterThanOrEqual(
      audits.length,
    )
    expect((await admin('user list')).err).toBe('')
  })

  it.each([
    ['routes create', 'POST', '/api/v1/routes', '{"slug":"/x","title":1}'],
    ['routes create', 'POST', '/api/v1/routes', '{"slug":"/x","titel":"x"}'],
    ['routes create', 'POST', '/api/v1/routes', '{"slug":"/x","slug":"/y","title":"x"}'],
    ['routes create', 'POST', '/api/v1/routes', '{'],
    ['pages create', 'POST', '/api/v1/pages', '{"slug":"admin","title":"x"}'],
  ])('refuses what the API refuses, with its sentence: %s < %s', async (command, method, path, body) => {
    const { error } = (await app.call(method, path, { body })).body
    // What is the body of a request there comes by standard input here.
    const sentence = error.replace(/^the body/, 'standard input')
    expect(await admin(command, body)).toEqual({ code: 1, out: '', err: `slugline: ${sentence}\n` })
  })

  it.each([
    ['viewer', 'routes create', 'POST', '/api/v1/routes'],
    ['viewer', 'user list', 'GET', '/api/v1/users'],
    ['editor', 'backup create', 'POST', '/api/v1/admin/backups'],
    ['editor', 'audit list', 'GET', '/api/v1/audit-events'],
    ['editor', 'content publish x', 'POST', '/api/v1/content/publish'],
    ['viewer', 'deliveries tail', 'GET', '/api/v1/admin/webhooks'],
  ] as const)('is refused to a %s as the API refuses it: %s', async (as, command, method, path) => {
    const refused = await app.call(method, path, { as, ...(method === 'POST' ? { body: {} } : {}) })
    expect(refused.status).toBe(403)
    const key = as === 'viewer' ? viewerKey : editorKey
    expect(await ssh.ssh(command, { key })).toEqual({
      code: 1,
      out: '',
      err: `slugline: ${refused.body.error}\n`,
    })
  })

  it.each([
    [`content get '$(id)'`, 1],
    ['content get `id`', 1],
    ['content get $HOME; id', 2],
    ['content list | cat /etc/passwd', 2],
    [`content get "a\\"b" 'c`, 2],
    ['content get --', 2],
    ["content get ''", 1],
    ['content list\nserve', 2],
    ['content list > /tmp/x', 2],
    ['a'.repeat(20_000), 2],
    ['\u001b]0;title\u0007', 2],
    ['__proto__ constructor', 2],
    ['constructor', 2],
  ])('expands nothing: %j', async (line, code) => {
    const client = await ssh.client({ username: 'admin', password: 'correct horse' })
    const ended = await exec(client, line)
    expect(ended).toMatchObject({ code, out: '' })
    expect(ended.err).not.toContain('\u001b')
    expect(ended.err).not.toContain('uid=')
  })
})
