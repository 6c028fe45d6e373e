import { connectionLimit } from '../node/descriptors.js'
import { version } from '../node/version.js'
import type { Command } from './command.js'
import { say } from './terminal.js'

/** What a word of several commands is about. */
export const groups: Readonly<Record<string, string>> = {
  config: 'look at the configuration',
  content: 'look after content trees',
  media: 'look after media',
  migrate: 'look after the schema of the database',
  token: 'look after API keys',
  user: 'look after accounts',
}

const config = { '--config <path>': 'configuration file (default: ./cms.config.json, when it is there)' }
const json = { '--json': 'show the result as one line of JSON' }
const email = { '<email>': 'the e-mail address of the account' }

/** Every command, in the order of the help. What a command needs is loaded when it runs. */
export const commands: readonly Command[] = [
  {
    words: 'serve',
    summary: 'serve the site of a configuration file, or defaults without one',
    options: config,
    async run(terminal, options) {
      // Loading what serves needs most of the descriptors, and would fail with no word about them.
      connectionLimit()
      return (await import('./serve.js')).serve(terminal, options)
    },
  },
  {
    words: 'quickstart',
    summary: 'serve a sample site on SQLite from a folder of its own',
    options: { '--dir <path>': 'the folder (default: ./quickstart)' },
    async run(terminal, options) {
      connectionLimit()
      return (await import('./quickstart.js')).runQuickstart(terminal, options)
    },
  },
  {
    words: 'init',
    summary: 'write a configuration file, asking for what no option says',
    options: {
      '--config <path>': 'the file (default: ./cms.config.json)',
      '--environment <name>': 'local, development, staging or production',
      '--port <address>': 'port of HTTP, with or without an address',
      '--client-site <domain>': 'domain of the site',
      '--tls <how>': 'HTTPS by auto, files or off',
      '--cert-dir <path>': 'folder of the certificates',
      '--db-driver <engine>': 'sqlite, postgres or mysql',
      '--db-url <address>': 'file of the database, or its server as host:port',
      '--db-name <name>': 'name of the database on its server',
      '--db-username <name>': 'user of the database on its server',
      ...json,
    },
    run: async (...call) => (await import('./init.js')).init(...call),
  },
  {
    words: 'doctor',
    summary: 'look at database, storage, mail, clock, disk and secrets, and say what to do',
    options: { ...config, ...json },
    run: async (...call) => (await import('./doctor.js')).doctor(...call),
  },
  {
    words: 'config check',
    summary: 'read the configuration as a start would, and refuse unknown fields',
    options: { ...config, ...json },
    run: async (...call) => (await import('./config-check.js')).configCheck(...call),
  },
  {
    words: 'migrate up',
    summary: 'bring the database to the schema of this version, as every start does',
    options: { ...config, ...json },
    run: async (...call) => (await import('./migrate.js')).migrateUp(...call),
  },
  {
    words: 'migrate status',
    summary: 'say which steps of the schema are missing; ends with 1 when some are',
    options: { ...config, ...json },
    run: async (...call) => (await import('./migrate.js')).migrateStatus(...call),
  },
  {
    words: 'user create',
    summary: 'make an account, whose password is asked for or read from standard input as one line',
    arguments: email,
    options: {
      '--role <name>': 'its role (default: viewer)',
      '--username <name>': 'its username (default: what stands before the @)',
      '--name <text>': 'the name of the person',
      ...config,
      ...json,
    },
    access: 'users:create',
    work: async (...call) => (await import('./accounts.js')).userCreate(...call),
  },
  {
    words: 'user password',
    summary: 'set the password of an account, which is asked for or read from standard input as one line',
    arguments: email,
    options: config,
    access: 'users:admin',
    work: async (...call) => (await import('./user-password.js')).userPassword(...call),
  },
  {
    words: 'user role',
    summary: 'give an account another role',
    arguments: { ...email, '<role>': 'the name of the role' },
    options: { ...config, ...json },
    access: 'users:update',
    work: async (...call) => (await import('./accounts.js')).userRole(...call),
  },
  {
    words: 'token create',
    summary: 'make an API key of an account and write it to standard output',
    arguments: email,
    options: {
      '--label <text>': 'what it is for',
      '--permissions <list>': 'the only permissions it has, with commas between (default: all of its user)',
      '--read-only': 'it changes nothing',
      '--expires-in <duration>': 'how long it lives, as 90d (default: for ever)',
      ...config,
      ...json,
    },
    access: 'tokens:create',
    work: async (...call) => (await import('./accounts.js')).tokenCreate(...call),
  },
  {
    words: 'media regenerate',
    summary: 'make the variants of all images again',
    options: { ...config, ...json },
    access: 'media:update',
    work: async (...call) => (await import('./media-regenerate.js')).mediaRegenerate(...call),
  },
  {
    words: 'content check',
    summary:
      'find damaged trees and values that break the rules of their field; ends with 1 when there are some',
    options: { ...config, ...json },
    access: 'content:admin',
    work: async (...call) => (await import('./content.js')).contentCheck(...call),
  },
  {
    words: 'content repair',
    summary: 'put damaged trees right',
    options: { ...config, ...json },
    access: 'content:admin',
    work: async (...call) => (await import('./content.js')).contentRepair(...call),
  },
  {
    words: 'openapi',
    summary: 'write the OpenAPI document to standard output',
    options: config,
    run: async (...call) => (await import('./openapi.js')).openapi(...call),
  },
  {
    words: 'types',
    summary: 'write TypeScript types of the content model to standard output',
    options: config,
    access: 'datatypes:read',
    async work({ space }, _actor, io) {
      io.write((await space.modelTypes.typeScript()).text)
      return 0
    },
  },
  {
    words: 'version',
    summary: 'show the version',
    run: async terminal => {
      say(terminal, version)
      return 0
    },
  },
]
