import { readFileSync } from 'node:fs'
import type { ClientChannel } from 'ssh2'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { testApp } from '../support/app.js'
import { exec, readAll, shell, sshOf } from '../support/ssh.js'

/** Only what hangs takes so long. */
const patience = { timeout: 180_000 }

const app = await testApp()
const ssh = await sshOf(app)
const password = { username: 'admin', password: 'correct horse' }

describe('a session over SSH', () => {
  it.each([
    [0, 0],
    [10_000, 10_000],
    [80, 24],
  ])('with a window of %i×%i meets the screens', async (cols, rows) => {
    const client = await ssh.client(password)
    const { channel, ended } = await shell(client, { cols, rows, term: 'xterm' })
    let seen = ''
    channel.on('data', (data: Buffer) => {
      seen += data
    })
    // Drawn anew, for what came before somebody listened here is lost.
    const drawn = () => {
      channel.write('\x0c')
      return seen
    }
    await expect.poll(drawn, patience).toContain('Slugline')
    channel.write('q')
    expect((await ended).code).toBe(0)
  })

  it('is one of the sessions of its user, and ends with its connection', async () => {
    const client = await ssh.client(password)
    const list = async () =>
      (await app.call('GET', '/api/v1/users/sessions')).body as { user_agent: string }[]
    const own = async () => (await list()).filter(({ user_agent }) => user_agent.includes('ssh2js'))
    expect((await exec(client, 'types')).code).toBe(0)
    expect(await own()).toHaveLength(1)
    client.end()
    await expect.poll(own, patience).toEqual([])
    const audits = (await app.audits()).filter(({ surface }) => surface === 'ssh')
    expect(audits.map(({ operation, table_name }) => [operation, table_name])).toContainEqual([
      'DELETE',
      'sessions',
    ])
  })
})

/** A command that goes on until it is ended. */
async function tail(how: Parameters<typeof ssh.client>[0], on: Pick<typeof ssh, 'client'> = ssh) {
  const client = await on.client(how)
  return new Promise<{ ended: ReturnType<typeof readAll>; channel: ClientChannel }>((resolve, reject) =>
    client.exec('audit tail', (error, channel) =>
      error ? reject(error) : resolve({ ended: readAll(channel), channel }),
    ),
  )
}

describe('a session ends', () => {
  const made = async (username: string) => {
    const { body } = await app.call('POST', '/api/v1/users', {
      body: {
        username,
        email: `${username}@example.com`,
        password: 'correct horse',
        role_id: await role('admin'),
      },
    })
    return { id: body.user_id as string, how: { username, password: 'correct horse' } }
  }
  const role = (label: 'admin' | 'viewer') => app.services.access.systemRole(label)
  const over = { code: 1, err: 'slugline: The session is over: sign in again.\n' }

  it('when the key is removed that has opened it', async () => {
    const { file, id } = await ssh.keyOf('admin')
    const { ended } = await tail({ username: 'x', privateKey: readFileSync(file) })
    const other = await tail(password)
    expect((await app.call('DELETE', `/api/v1/ssh-keys/${id}`)).status).toBe(204)
    expect(await ended).toMatchObject(over)
    other.channel.signal('INT')
    expect((await other.ended).code).toBe(0)
  })

  it('when the role changes', async () => {
    const { id, how } = await made('demoted')
    const { ended } = await tail(how)
    const body = { role_id: await role('viewer') }
    expect((await app.call('PUT', `/api/v1/users/${id}`, { body })).status).toBe(200)
    expect(await ended).toMatchObject(over)
  })

  it('when the password changes', async () => {
    const { id, how } = await made('renewed')
    const { ended } = await tail(how)
    await app.services.passwordReset.set(
      { ...systemActor, surface: 'cli', roleId: await role('admin') },
      id,
      'another horse',
    )
    expect(await ended).toMatchObject(over)
  })

  it('when the user is deleted', async () => {
    const { id, how } = await made('deleted')
    const { ended } = await tail(how)
    expect((await app.call('DELETE', `/api/v1/users/${id}`)).status).toBe(204)
    expect(await ended).toMatchObject(over)
  })

  it('when the user ends it elsewhere', async () => {
    const { how } = await made('elsewhere')
    const { ended } = await tail(how)
    const session = (await app.services.sessions.live()).at(-1)
    expect((await app.call('DELETE', `/api/v1/sessions/${session?.session_id}`)).status).toBe(204)
    expect(await ended).toMatchObject(over)
  })

  it('when nothing is typed for long, but not while a command runs', async () => {
    const hasty = await sshOf(app, { limits: { inAll: () => 200, idleMs: () => 500 } })
    const { channel, ended } = await tail(password, hasty)
    const client = await hasty.client(password)
    await new Promise<void>(done => client.once('close', () => done()))
    channel.signal('INT')
    expect(await ended).toMatchObject({ code: 0, err: '' })
  })

  it('with a sentence when the service stops', async () => {
    const stopped = await sshOf(app)
    const { ended } = await tail(password, stopped)
    await stopped.stop()
    expect(await ended).toMatchObject({
      code: 1,
      err: 'slugline: The service stops. Connect again in a moment.\n',
    })
  })
})

describe('a password for another account', () => {
  it('is one line of input, or is typed unseen at a terminal', async () => {
    const client = await ssh.client(password)
    const command = 'user create typed@example.com'
    const typed = await new Promise<ClientChannel>((resolve, reject) =>
      client.exec(command, { pty: true }, (error, channel) => (error ? reject(error) : resolve(channel))),
    )
    const ended = readAll(typed)
    typed.write('a fine passwordX\u007f of mine\r')
    expect(await ended).toMatchObject({
      code: 0,
      out: 'Created the account typed@example.com with the role viewer.\r\n',
      err: 'Password of typed@example.com: \r\n',
    })
    const signedIn = await ssh.client({ username: 'typed', password: 'a fine password of mine' })
    signedIn.end()
  })
})
