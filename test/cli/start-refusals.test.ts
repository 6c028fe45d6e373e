import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { engine, freshDatabase } from '../support/database.js'
import { freePort, portListens, runProduct } from '../support/process.js'

function folderWith(config: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-refused-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'cms.config.json'), JSON.stringify(config))
  return folder
}

const refusalOf = async (folder: string, before: readonly string[] = []) => {
  const { code, err } = await runProduct(['serve'], { cwd: folder, before })
  return [code, err]
}

describe.runIf(engine === 'sqlite')('a database file that cannot be opened is named in one line', () => {
  it.each([
    ['is in no folder', 'none/site.db', (at: string) => `there is no folder ${join(at, 'none')}`],
    ['is a folder', 'a-folder', () => 'is a folder'],
    ['is something else', 'a-text', () => 'file is not a database'],
  ])('when it %s', async (_, db_url, problem) => {
    const folder = folderWith({ db_url })
    mkdirSync(join(folder, 'a-folder'))
    writeFileSync(
      join(folder, 'a-text'),
      'this is no database, but it is long enough to look at. '.repeat(50),
    )
    expect(await refusalOf(folder)).toEqual([
      1,
      `slugline: db_url: ${join(folder, db_url)}: ${problem(folder)}\n`,
    ])
  })
})

/** Runs a command where its folder is on a disk that is only read: nothing else keeps root from writing. */
const onlyReading = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  'mount --bind . . && cd "$PWD" && mount -o remount,bind,ro . && exec "$@"',
  'sh',
]

it.each(['serve', 'quickstart'])('%s refuses a port that is none before anything is made', async command => {
  const folder = folderWith({})
  const { code, err } = await runProduct(
    [command, '--port', 'eighty', ...(command === 'serve' ? [] : ['--dir', folder])],
    { cwd: folder },
  )
  const words = '--port must be a port such as 8080 or an address such as 127.0.0.1:8080'
  expect([code, err]).toEqual([1, `slugline: ${words}\n`])
})

describe.runIf(engine === 'sqlite' && process.getuid?.() === 0)('a folder that cannot be written', () => {
  it.each(['serve', 'quickstart', 'migrate up'])('is named in one line by %s', async command => {
    const folder = folderWith({ log_level: 'error' })
    const { code, err } = await runProduct(command.split(' '), { cwd: folder, before: onlyReading })
    const refused =
      command === 'quickstart'
        ? // Node says ENOENT where it makes a folder in one that is only read.
          `${join(folder, 'quickstart')} cannot be written (ENOENT)`
        : `db_url: ${join(folder, 'modula.db')}: ${folder} cannot be written`
    expect([code, err]).toEqual([1, `slugline: ${refused}\n`])
  })

  it('is one line of the log where a secret should be kept in it, and fails at doctor', async () => {
    const folder = folderWith({})
    const served = await runProduct(['serve'], { cwd: folder, before: onlyReading })
    expect(
      served.out
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual([expect.objectContaining({ reason: 'EROFS', file: join(folder, 'modula.db.secret') })])
    expect(served.out).not.toContain('stack')
    const { code, out } = await runProduct(['doctor'], { cwd: folder, before: onlyReading })
    expect([code, out]).toEqual([
      1,
      expect.stringContaining(
        `FAIL database: ${join(folder, 'modula.db')} is missing, and ${folder} cannot be written\n`,
      ),
    ])
  })
})

it.runIf(engine === 'sqlite')(
  'an address that is no address of this machine is named in one line',
  async () => {
    const [code, err] = await refusalOf(folderWith({ port: '192.0.2.1:8080', log_level: 'error' }))
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/slugline: port: 192\.0\.2\.1:8080: .* \(EADDRNOTAVAIL\)\n$/),
    ])
  },
)

it.runIf(engine === 'sqlite').each(['port', 'ssh_port', 'metrics_port'])(
  'a %s that another program has is named last, and nothing is left listening',
  async field => {
    const [taken, ...free] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
    const other = createServer().listen(taken, '127.0.0.1')
    onTestFinished(() => void other.close())
    const names = ['port', 'ssh_port', 'metrics_port']
    const ports = names.map((name, i) => [name, `127.0.0.1:${name === field ? taken : free[i]}`])
    const [code, err] = await refusalOf(folderWith({ ...Object.fromEntries(ports), log_level: 'error' }))
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(new RegExp(`\\nslugline: ${field}: 127\\.0\\.0\\.1:${taken}: [^\\n]+\\n$`)),
    ])
    for (const port of free) expect(await portListens(port)).toBe(false)
  },
)

describe.runIf(engine !== 'sqlite')('a server', () => {
  const server = async () => {
    const { address, drop } = await freshDatabase()
    await drop()
    return { url: new URL(address.db_url ?? ''), driver: address.db_driver }
  }

  it('without the database is refused in one line that names the field and the place', async () => {
    const { url, driver } = await server()
    const [code, err] = await refusalOf(folderWith({ db_driver: driver, db_url: url.href }))
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^slugline: db_name: ${url.host}${url.pathname}: [^\n]+\n$`)),
    ])
  })

  it('that is away is one line a try, without what is secret', async () => {
    const { driver } = await server()
    const port = await freePort()
    const folder = folderWith({
      db_driver: driver,
      db_url: `127.0.0.1:${port}`,
      db_name: 'site',
      db_password: 'a-secret-of-the-test',
      app_secret: 'a secret that is set makes no file',
    })
    const { code, out, err } = await runProduct(['serve'], { cwd: folder, before: ['timeout', '8'] })
    expect(code).toBe(124)
    expect(err).toBe('')
    const lines = out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines)
      expect(line).toEqual({
        level: 40,
        time: expect.any(Number),
        database: `127.0.0.1:${port}/site`,
        reason: expect.stringMatching(/^ECONNREFUSED/),
        retry_in_ms: expect.any(Number),
        msg: 'the database does not respond yet',
      })
    expect(out).not.toContain('a-secret-of-the-test')
  })
})
