import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { addressOf } from '../../src/cli/remote/client.js'
import { isRemote, login, loginWithKey, logout, runElsewhere, wishOf } from '../../src/cli/remote/index.js'
import { keyFile, storedKey, storeKey } from '../../src/cli/remote/keys.js'
import { commandsPath, contentType } from '../../src/cli/remote/protocol.js'
import { NobodyReads } from '../../src/cli/terminal.js'
import { limits } from '../../src/limits.js'
import { testApp } from '../support/app.js'
import { panelForms } from '../support/panel-forms.js'
import { productEnv, runProduct } from '../support/process.js'
import { runFrom, servingCommands } from '../support/remote.js'
import { unread } from '../support/terminal.js'

const folder = mkdtempSync(join(tmpdir(), 'slugline-remote-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const app = await testApp({})
const remote = await servingCommands(app)
const variables = { XDG_CONFIG_HOME: folder }
beforeEach(() => rmSync(keyFile(variables), { force: true }))

const keyOf = async (body: object): Promise<string> =>
  (await app.call('POST', '/api/v1/tokens', { body })).body.token
const run = (args: string[], given = {}, key = remote.key) => runFrom({ ...remote, key }, args, given).ended

const call = {
  args: ['version'],
  answers: [],
  hasInput: false,
  canAsk: false,
  isTerminal: false,
  hasColour: false,
  zone: 'UTC',
}
const post = async (body: string | object, headers: Record<string, string> = {}, method = 'POST') => {
  const text = typeof body === 'string' ? body : `${JSON.stringify(body)}\n`
  const answer = await fetch(`${remote.address}${commandsPath}`, {
    method,
    headers: { 'Content-Type': contentType, Authorization: `Bearer ${remote.key}`, ...headers },
    ...(method === 'GET' ? {} : { body: text }),
  })
  const said = await answer.text()
  return { status: answer.status, error: answer.ok ? said : JSON.parse(said).error }
}

function terminal(secret = '') {
  const end = { out: '', err: '' }
  const own = {
    ...unread,
    write(some: string) {
      end.out += some
    },
    writeError(some: string) {
      end.err += some
    },
    writeBytes(some: Uint8Array) {
      end.out += Buffer.from(some).toString()
    },
    readSecret: async () => secret,
    isInteractive: false,
    variables,
  }
  return { own, end }
}

describe('a call', () => {
  it.each<[string, () => ReturnType<typeof post>, number, string]>([
    ['nobody', () => post(call, { Authorization: '' }), 403, 'no valid credentials'],
    ['a wrong key', () => post(call, { Authorization: 'Bearer wrong' }), 403, 'unknown, expired or revoked'],
    ['a session', () => post(call, { Authorization: '', Cookie: 'slugline=x' }), 403, 'no valid credentials'],
    ['another method', () => post('', {}, 'PUT'), 405, 'method'],
    ['another type', () => post(call, { 'Content-Type': 'application/json' }), 415, contentType],
    ['no body', () => post(''), 400, 'incomplete'],
    ['no line', () => post('{}'), 400, 'incomplete'],
    ['no JSON', () => post('{\n'), 400, 'not JSON'],
    ['a missing member', () => post({ args: [] }), 400, 'answers'],
    ['an unknown member', () => post({ ...call, more: 1 }), 400, 'more'],
    ['an unknown zone', () => post({ ...call, zone: 'Mars/Here' }), 400, 'zone'],
    ['too many words', () => post({ ...call, args: Array(1001).fill('a') }), 400, 'args'],
    ['a hostile size', () => post('x'.repeat(limits.commands.callBytes * 4)), 413, 'larger'],
  ])('is refused: %s', async (_, sent, status, sentence) => {
    expect(await sent()).toEqual({ status, error: expect.stringContaining(sentence) })
  })

  it('runs at most so many commands of a user at a time, and ends one whose caller has gone', async () => {
    const stopping = new AbortController()
    const open = Array.from({ length: limits.commands.ofUser }, () =>
      fetch(`${remote.address}${commandsPath}`, {
        method: 'POST',
        headers: { 'Content-Type': contentType, Authorization: `Bearer ${remote.key}` },
        body: `${JSON.stringify({ ...call, args: ['audit', 'tail'] })}\n`,
        signal: stopping.signal,
      }),
    )
    await Promise.all(open)
    expect(await post(call)).toMatchObject({ status: 429 })
    stopping.abort()
    await expect.poll(async () => (await post(call)).status).toBe(200)
  })
})

describe('a command', () => {
  it('of the machine is refused by its name', async () => {
    for (const words of ['serve', 'init', 'backup restore', 'content edit'])
      expect(await run([...words.split(' '), 'x'])).toMatchObject({
        code: 2,
        out: '',
        err: `slugline: ${words} runs only on the machine of the service\n`,
      })
  })

  it('has the rights of its key, and its audit events name the user', async () => {
    const viewer = await keyOf({ user_id: app.users.viewer })
    const readOnly = await keyOf({ user_id: app.users.admin, read_only: true })
    const line = ['locales', 'create']
    const input = JSON.stringify({ code: 'fr', label: 'French' })
    expect(await run(line, { input }, viewer)).toMatchObject({
      code: 1,
      err: expect.stringContaining('content:admin'),
    })
    expect(await run(line, { input }, readOnly)).toMatchObject({
      code: 1,
      err: expect.stringContaining('read-only'),
    })
    expect(await run(line, { input })).toMatchObject({ code: 0 })
    const last = (await app.audits()).filter(({ table_name }) => table_name === 'locales').at(-1)
    expect(last).toMatchObject({ user_id: app.users.admin, surface: 'api', user_agent: 'slugline' })
  })

  it('asks here, and changes nothing before the answer', async () => {
    const make = async () =>
      (await app.call('POST', '/api/v1/redirects', { body: { slug: '/old', target: '/' } })).body.redirect_id
    const id = await make()
    const isThere = async () => (await app.call('GET', `/api/v1/redirects/?q=${id}`)).status === 200
    const line = ['redirects', 'delete', id]
    expect(await run(line)).toMatchObject({ code: 1, err: expect.stringContaining('--yes') })
    expect(await run(line, { answers: ['no'] })).toMatchObject({
      code: 1,
      asked: [expect.stringContaining('Delete')],
    })
    expect(await isThere()).toBe(true)
    expect(await run(line, { answers: ['yes'] })).toMatchObject({ code: 0, err: '' })
    expect(await isThere()).toBe(false)
  })

  it('reads all of its input, however slowly it comes', async () => {
    const record = JSON.stringify({ code: 'it', label: 'Italian' })
    const pieces = async function* () {
      for (const piece of ['{', ' '.repeat(100_000), record.slice(1), '\n']) {
        await new Promise(done => setTimeout(done, 50))
        yield Buffer.from(piece)
      }
    }
    expect(await run(['locales', 'create'], { pieces })).toMatchObject({ code: 0, err: '' })
  })

  it('reads only a file that the line names', async () => {
    const server = createServer((_, response) => {
      const need = Buffer.from(JSON.stringify({ need: { kind: 'file', path: '/etc/passwd' } }))
      const head = Buffer.from([3, 0, 0, 0, need.length])
      response.setHeader('Content-Type', contentType).end(Buffer.concat([head, need]))
    }).listen(0, '127.0.0.1')
    afterAll(() => server.close())
    await expect.poll(() => server.address()).not.toBe(null)
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await expect(runFrom({ address, key: 'k' }, ['media', 'upload', 'a.txt']).ended).rejects.toThrow(
      'a file that the command does not name',
    )
  })
})

describe('a service', () => {
  const answering = async (status: number, body: string, headers = {}) => {
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(status, headers).end(body)
    }).listen(0, '127.0.0.1')
    afterAll(() => server.close())
    await expect.poll(() => server.address()).not.toBe(null)
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const from = (address: string) => runFrom({ address, key: 'key' }, ['help']).ended

  it('that cannot be used says why', async () => {
    await expect(from(await answering(404, '{"error":"not found"}'))).rejects.toThrow('an older version')
    await expect(from(await answering(502, '<html>'))).rejects.toThrow('status 502')
    await expect(from(await answering(301, '', { Location: 'https://example.com/x' }))).rejects.toThrow(
      'redirects to https://example.com: use that URL',
    )
    await expect(from(await answering(200, '', { 'Content-Type': contentType }))).rejects.toThrow(
      'ended before',
    )
    await expect(
      from(await answering(200, '\u0001\u007f\u007f\u007f\u007f', { 'Content-Type': contentType })),
    ).rejects.toThrow('no answer of a Slugline service')
    await expect(from('http://127.0.0.1:1')).rejects.toThrow('nothing listens there (ECONNREFUSED)')
    await expect(from('http://nobody.invalid')).rejects.toThrow(
      /the host does not exist|could not be looked up/,
    )
    await expect(run(['help'], {}, 'wrong')).rejects.toThrow('unknown, expired or revoked')
  })

  it('is named by a URL with encryption', () => {
    expect(addressOf('https://example.com/', false)).toBe('https://example.com')
    expect(addressOf('https://example.com/cms/', false)).toBe('https://example.com/cms')
    expect(addressOf('http://127.0.0.1:80', false)).toBe('http://127.0.0.1')
    expect(addressOf('http://example.com', true)).toBe('http://example.com')
    for (const [text, sentence] of [
      ['http://example.com', 'no encryption'],
      ['http://127.example.com', 'no encryption'],
      ['ftp://example.com', 'not the URL'],
      ['example.com', 'not the URL'],
      ['', 'not the URL'],
      ['https://a:b@example.com', 'user or password'],
    ] as const)
      expect(() => addressOf(text, false)).toThrow(sentence)
  })
})

describe('the line', () => {
  it('names the service before the command', () => {
    expect(wishOf(['--remote', 'https://a', 'content', 'list'], {})).toEqual({
      url: 'https://a',
      isInsecure: false,
      args: ['content', 'list'],
    })
    expect(wishOf(['--remote=https://a', '--insecure-http', 'x'], { SLUGLINE_URL: 'https://b' })).toEqual({
      url: 'https://a',
      isInsecure: true,
      args: ['x'],
    })
    expect(isRemote(wishOf(['content', 'list'], {}))).toBe(false)
    expect(isRemote(wishOf(['content', 'list'], { SLUGLINE_URL: 'https://b' }))).toBe(true)
    expect(isRemote(wishOf(['completion', 'bash'], { SLUGLINE_URL: 'https://b' }))).toBe(false)
  })

  it('ends without a word when nobody reads any more', async () => {
    const { own, end } = terminal()
    const drained = async () => {
      throw new NobodyReads('nobody reads standard output')
    }
    const from = { ...own, drained, variables: { ...variables, SLUGLINE_KEY: remote.key } }
    expect(await runElsewhere(wishOf(['--remote', remote.address, 'locales', 'list'], {}), from)).toBe(0)
    expect(end.err).toBe('')
  })

  it('says that there is no key', async () => {
    const { own, end } = terminal()
    expect(await runElsewhere(wishOf(['--remote', remote.address, 'help'], {}), own)).toBe(1)
    expect(end.err).toContain(`run slugline login ${remote.address}`)
  })
})

describe('the key', () => {
  it('is stored for its user alone, used, revoked and deleted', async () => {
    const key = await keyOf({ user_id: app.users.admin })
    const { own, end } = terminal(`${key}\n`)
    expect(await loginWithKey(own, `${remote.address}/`, false)).toBe(0)
    expect(end.err).not.toContain(key)
    expect(statSync(keyFile(variables)).mode & 0o777).toBe(0o600)
    expect(await runElsewhere(wishOf(['--remote', remote.address, 'locales', 'list'], {}), own)).toBe(0)
    expect(end.out).toContain('en')
    expect(await logout(own, remote.address, false)).toBe(0)
    expect(existsSync(keyFile(variables))).toBe(false)
    await expect(run(['help'], {}, key)).rejects.toThrow('revoked')
    await expect(logout(own, remote.address, false)).rejects.toThrow('no stored key')
  })

  it('that is wrong is not stored', async () => {
    await expect(loginWithKey(terminal('wrong').own, remote.address, false)).rejects.toThrow('unknown')
    await expect(loginWithKey(terminal('a b').own, remote.address, false)).rejects.toThrow('not an API key')
    expect(existsSync(keyFile(variables))).toBe(false)
  })

  it('is deleted here when it cannot be revoked', async () => {
    const address = 'http://127.0.0.1:1'
    storeKey(address, 'key', variables)
    storeKey('https://other', 'other', variables)
    const { own, end } = terminal()
    expect(await logout(own, address, false)).toBe(1)
    expect(end.err).toContain('not revoked')
    expect(JSON.parse(readFileSync(keyFile(variables), 'utf8'))).toEqual({ 'https://other': 'other' })
  })

  it('is not read from a file that others may read, or that is damaged', () => {
    storeKey('https://a', 'key', variables)
    chmodSync(keyFile(variables), 0o644)
    expect(() => storedKey('https://a', variables)).toThrow('chmod 600')
    chmodSync(keyFile(variables), 0o600)
    expect(storedKey('https://a', variables)).toBe('key')
    expect(storedKey('constructor', variables)).toBe(undefined)
  })
})

describe('signing in by a browser', () => {
  const { post: postForm } = panelForms(app)
  /** What a person does in a browser, while the command line waits. */
  const deciding = (end: { err: string }, verb: 'approve' | 'deny') => {
    let waits = 0
    return async () => {
      waits++
      app.clock.advance(2000)
      const code = /code=(\S+)/.exec(end.err)?.[1] ?? ''
      if (waits === 2)
        expect((await postForm(`/admin/connect/${verb}`, { code })).location).toBe(
          `/admin/connect?code=${code}`,
        )
    }
  }

  it('stores a key that works, until it is signed out', async () => {
    const { own, end } = terminal()
    expect(await login(own, `${remote.address}/`, false, deciding(end, 'approve'))).toBe(0)
    const key = storedKey(remote.address, variables) ?? ''
    const [file, folderOfFile] = [keyFile(variables), join(keyFile(variables), '..')]
    expect([statSync(file).mode & 0o777, statSync(folderOfFile).mode & 0o777]).toEqual([0o600, 0o700])
    expect(end.err).toMatch(
      /^Open this page in a browser, and approve the code [A-Z]{4}-[A-Z]{4}:\nhttp:\S+\/admin\/connect\?code=\S+\nWaiting…\nSigned in to \S+ as admin@example\.com\. The key is stored\.\n$/,
    )
    expect(end.err).not.toContain(key)
    expect(await runElsewhere(wishOf(['--remote', remote.address, 'locales', 'list'], {}), own)).toBe(0)
    expect((await app.audits()).at(-1)).toMatchObject({ table_name: 'tokens', operation: 'INSERT' })
    expect(await logout(own, '', false)).toBe(0)
    expect(existsSync(file)).toBe(false)
    await expect(run(['help'], {}, key)).rejects.toThrow('revoked')
  })

  it('stores nothing when it is denied, or nobody answers', async () => {
    const { own, end } = terminal()
    await expect(login(own, remote.address, false, deciding(end, 'deny'))).rejects.toThrow('was denied')
    const forgotten = login(terminal().own, remote.address, false, async () => app.clock.advance(120_000))
    await expect(forgotten).rejects.toThrow('expired')
    await expect(login(own, 'http://127.0.0.1:1', false)).rejects.toThrow('nothing listens there')
    expect(existsSync(keyFile(variables))).toBe(false)
  })

  it('goes on after a failure, waits longer when it is told to, and gives up in time', async () => {
    const answers: [number, object][] = []
    const begun = {
      user_code: 'BCDF-GHJK',
      verification_url: 'https://a.example/',
      interval: 2,
      expires_in: 60,
    }
    const server = createServer((request, response) => {
      request.resume()
      const [status, body] = answers.shift() ?? [503, { error: 'away', code: 'unavailable' }]
      response.writeHead(status).end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    afterAll(() => server.close())
    await expect.poll(() => server.address()).not.toBe(null)
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const waits: number[] = []
    const wait = async (ms: number) => {
      waits.push(ms)
    }
    const pending: [number, object] = [400, { error: 'wait', code: 'sign_in_pending' }]
    const slower: [number, object] = [429, { error: 'slower', code: 'too_many_requests' }]
    const away: [number, object] = [503, { error: 'away', code: 'unavailable' }]

    answers.push([200, begun], away, pending, slower, away, [200, { email: 'ada\u001b@example.com' }])
    const { own, end } = terminal()
    expect(await login(own, address, false, wait)).toBe(0)
    expect(waits).toEqual([2000, 2000, 2000, 7000, 7000])
    expect(end.err).toContain('as ada\\u001b@example.com')

    answers.push([200, begun])
    await expect(login(own, address, false, wait)).rejects.toThrow('away')
    answers.push([200, begun], ...Array.from({ length: 30 }, () => pending))
    await expect(login(own, address, false, wait)).rejects.toThrow('in time')
    for (const wrong of [
      {},
      { ...begun, verification_url: 'file:///etc/passwd' },
      { ...begun, interval: 0 },
    ]) {
      answers.push([200, wrong])
      await expect(login(own, address, false, wait)).rejects.toThrow('no answer of a Slugline service')
    }
  })
})

it('opens the browser and signs in, as a process of its own on a terminal', async () => {
  const [bin, opened] = [join(folder, 'bin'), join(folder, 'opened')]
  mkdirSync(bin)
  // Stands in for the browser of the desktop.
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nprintf %s "$1" > '${opened}.part'\nmv '${opened}.part' '${opened}'\n`,
    {
      mode: 0o755,
    },
  )
  const env = { XDG_CONFIG_HOME: folder, DISPLAY: ':0', PATH: `${bin}:${productEnv.PATH}` }
  const ended = runProduct(['login', remote.address], {
    ...{ cwd: folder, env },
    before: ['sh', '-c', 'exec script -qec "$*" /dev/null', 'sh'],
  })
  await expect.poll(() => existsSync(opened), { timeout: 180_000 }).toBe(true)
  const { origin, searchParams } = new URL(readFileSync(opened, 'utf8'))
  expect(origin).toBe(remote.address)
  const code = searchParams.get('code') ?? ''
  await panelForms(app).post('/admin/connect/approve', { code })
  expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining('as admin@example.com') })
  const key = storedKey(remote.address, variables) ?? ''
  expect(await run(['locales', 'list'], {}, key)).toMatchObject({ code: 0 })
  expect(await runProduct(['logout'], { cwd: folder, env })).toMatchObject({
    code: 0,
    err: `The key for ${remote.address} is revoked and deleted.\n`,
  })
  await expect(run(['help'], {}, key)).rejects.toThrow('revoked')
})

describe('signing out', () => {
  it('asks which of several services is meant', async () => {
    const { own } = terminal()
    await expect(logout(own, '', false)).rejects.toThrow('there is no stored key')
    storeKey('https://a', 'key', variables)
    storeKey('https://b', 'key', variables)
    await expect(logout(own, '', false)).rejects.toThrow('name one of the services: https://a, https://b')
  })
})

it('sends a stored key to the service of its address alone', () => {
  storeKey('https://a.example', 'key', variables)
  expect(storedKey('https://a.example:444', variables)).toBe(undefined)
})
