import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Command } from '../../src/cli/command.js'
import { commands } from '../../src/cli/commands.js'
import { runLine } from '../../src/cli/program.js'
import { engine } from '../support/database.js'
import { unread } from '../support/terminal.js'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** Runs a line with an output of its own, as another surface would. */
async function line(text: string, table: readonly Command[] = commands) {
  let [out, err] = ['', '']
  const code = await runLine(table, text.split(' ').filter(Boolean), {
    write: some => {
      out += some
    },
    writeError: some => {
      err += some
    },
    writeSurely: some => {
      err += some
    },
    readSecret: async () => 'a secret of the test',
    isInteractive: false,
    ...unread,
    variables: {},
  })
  return { code, out, err }
}

const usage = `Usage: slugline [options] [command]

A self-hosted headless content service.

Options:
  --version             show the version
  -h, --help            show the help of a command

Set up and run:
  serve [options]       start the service with a configuration file, or with defaults
  quickstart [options]  start a sample site with SQLite in its own folder
  init [options]        write a configuration file and ask for missing values
  doctor [options]      check database, storage, mail, HTTPS, clock and disk, and suggest fixes
  config                check, show and change the configuration
  migrate               migrate the database
  backup                create, list, verify and restore backups
  import [options]      import from another system: model, entries and files
  compare [options]     send the same requests to both systems and compare the responses
  twin [options]        write the public site as files, and keep them current

Content:
  content               manage content trees
  media                 manage media
  pages                 create pages
  trash                 manage deleted content
  comments              manage comments on entries
  versions              show, compare and restore versions of entries
  routes                manage the URLs of pages
  redirects             manage redirects
  locales               manage locales
  query [options]       find published entries of a datatype
  search [options]      search published entries by words

People and access:
  user                  manage accounts
  roles                 manage roles
  token                 manage API keys

Content model:
  datatypes             manage datatypes
  fields                manage the fields of datatypes
  model                 keep the content model in a file
  types [options]       write TypeScript types of the content model to standard output
  compat [options]      show the names of datatypes and fields for clients of other systems

Watch and notify:
  webhooks              manage webhooks
  deliveries            show and retry deliveries of webhooks
  audit                 show who changed what, and when

Further commands:
  openapi [options]     write the OpenAPI document to standard output
  completion            write the completion script of a shell to standard output
  login [options]       sign in to a service on another machine, by a browser; stores an API key
  logout [options]      revoke the stored API key for a service, and delete it
  version               show the version
  help                  show the help of a command

A service on another machine: slugline --remote <url> <command>, or the variable SLUGLINE_URL. The key is that of
slugline login <url>, or in SLUGLINE_KEY.
`
const regenerate = `Usage: slugline media regenerate [options]

generate the variants of all images again

Options:
  --config <path>  configuration file (default: ./cms.config.json, if it exists)
  --json           show the result as one line of JSON
  -h, --help       show the help of a command

Examples:
  slugline media regenerate
  slugline media regenerate --json
`

describe('the command line', () => {
  it.each([
    ['', usage],
    ['help', usage],
    ['-h', usage],
    ['--help', usage],
    ['media regenerate -h', regenerate],
    ['version', `${version}\n`],
    ['--version', `${version}\n`],
  ])('%j shows what it is about and ends with 0', async (text, out) => {
    expect(await line(text)).toEqual({ code: 0, out, err: '' })
  })

  it.each([
    ['serv', "slugline: unknown command 'serv'\n(Did you mean serve?)\n"],
    ['media regenrate', "slugline: unknown command 'regenrate'\n(Did you mean regenerate?)\n"],
    ['something', "slugline: unknown command 'something'\n"],
    ['serve --confg x', "slugline: unknown option '--confg'\n(Did you mean --config?)\n"],
    ['serve here', "slugline: too many arguments for 'serve'. Expected 0 arguments but got 1.\n"],
    ['user password', "slugline: missing required argument 'email'\n"],
    ['serve --config', "slugline: option '--config <path>' argument missing\n"],
  ])('%j is a wrong call and ends with 2', async (text, err) => {
    expect(await line(text)).toEqual({ code: 2, out: '', err })
  })

  it('T36: help and a command that runs elsewhere load no validation, no database and no service', () => {
    const loaded = new Map<string, string>()
    const load = (path: string): void => {
      if (loaded.has(path)) return
      const text = readFileSync(path, 'utf8')
      loaded.set(path, text)
      for (const [, from = ''] of text.matchAll(/^(?:import|\} from) ?"(\.[^"]+)"/gm))
        load(join(dirname(path), from))
    }
    const start = resolve('dist/cli.js')
    load(start)
    // The table of commands and what runs it.
    for (const [, from = ''] of (loaded.get(start) ?? '').matchAll(/import\("(\.[^"]+)"\)/g))
      load(join(dirname(start), from))
    const all = [...loaded.values()].join('\n')
    expect(all).toContain('// src/cli/examples.ts')
    for (const unwanted of ['// node_modules/zod/', '// src/db/', '// src/services/', "commonjs('knex')"])
      expect([unwanted, all.includes(unwanted)]).toEqual([unwanted, false])
  })

  it('T38: lists the commands in groups', async () => {
    const { out } = await line('help')
    const heads = out.split('\n').filter(one => /^[A-Z].*:$/.test(one))
    expect(heads.length).toBeGreaterThan(2)
  })

  it('names the commands of a group where one is missing', async () => {
    const { code, out, err } = await line('media')
    expect([code, out, err]).toEqual([2, '', expect.stringContaining('regenerate [options]')])
  })

  it('says in one sentence what went wrong and ends with 1', async () => {
    expect(await line('serve --config /nowhere/cms.json')).toEqual({
      code: 1,
      out: '',
      err: 'slugline: /nowhere/cms.json: the file does not exist\n',
    })
  })

  it('ends with what a command ends with, and gives it its options', async () => {
    const seen: unknown[] = []
    const one: Command = {
      words: 'site check',
      summary: 'x',
      options: { '--name <text>': 'x' },
      run: async (terminal, options) => {
        terminal.write('done')
        seen.push(options)
        return 3
      },
    }
    expect(await line('site check --name a', [one])).toEqual({ code: 3, out: 'done', err: '' })
    expect(seen).toEqual([{ name: 'a' }])
  })
})

describe.runIf(engine === 'sqlite')('quickstart', () => {
  it('shows the first password although no port is free', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slugline-ports-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    // The last port there is has none after it that could be tried.
    const taken = createServer()
    await new Promise<void>(done => taken.once('error', () => done()).listen(65_535, done))
    onTestFinished(() => void taken.close())
    mkdirSync(join(folder, 'site'))
    const settings = { environment: 'local', port: ':65535', db_driver: 'sqlite', db_url: './modula.db' }
    writeFileSync(join(folder, 'site', 'cms.config.json'), JSON.stringify(settings))
    const { code, out, err } = await line(`quickstart --dir ${join(folder, 'site')}`)
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(
      /^First administrator: \S+@\S+\nPassword, shown only once: \S{24}\nEditors cannot publish yet.*\nslugline: .*EADDRINUSE/,
    )
  })
})
