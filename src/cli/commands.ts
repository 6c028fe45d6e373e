import { connectionLimit } from '../node/descriptors.js'
import { version } from '../node/version.js'
import { type Command, config, json, withUsualOptions } from './command.js'
import { siteCommands } from './site-commands.js'
import { say } from './terminal.js'

/** Nobody is signed in here, so a new record needs the name of its author. */
const author = { '--author <user>': 'the account that is the author, by e-mail or id' }
const port = {
  '--port <address>': 'listen here for HTTP, in place of the variable PORT and the configured port',
}

/** All commands, in the order of the help. The code of a command is loaded when it runs. */
export const commands: readonly Command[] = [
  {
    words: 'serve',
    summary: 'serve the site of a configuration file, or defaults without one',
    options: { ...config, ...port },
    async run(terminal, options) {
      // Loading the server needs most of the descriptors, and would fail without a message about them.
      connectionLimit()
      return (await import('./serve.js')).serve(terminal, options)
    },
  },
  {
    words: 'quickstart',
    summary: 'serve a sample site on SQLite from a folder of its own',
    options: {
      '--dir <path>': 'the folder (default: ./quickstart)',
      '--empty': 'without the sample content, for a site of your own',
      ...port,
    },
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
      '--ssl-port <address>': 'port of HTTPS, with or without an address',
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
    summary: 'check database, storage, mail, HTTPS, clock and disk, and say what to do',
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
  // Here nobody is signed in: a command that needs a user says where to sign in.
  ...siteCommands.map(command => ({
    ...withUsualOptions(command, { ...(command.hasAuthor ? author : {}), ...config }),
    isHidden: command.access === 'signed-in',
  })),
  {
    words: 'backup verify',
    summary: 'read a backup to its end and check all that is in it; ends with 1 when it is damaged',
    arguments: { '<file>': 'the backup' },
    options: json,
    run: async (...call) => (await import('./backup.js')).backupVerify(...call),
  },
  {
    words: 'backup restore',
    summary: 'restore a backup into an empty database of any engine, and its media',
    arguments: { '<file>': 'the backup' },
    options: { '--force': 'replace all that the database holds', ...config, ...json },
    run: async (...call) => (await import('./backup-restore.js')).backupRestore(...call),
  },
  {
    words: 'import',
    summary: 'take over what another system exports: model, entries and files',
    arguments: {
      '<system>': 'contentful, sanity, strapi or wordpress',
      '<export>': 'the file or archive that the system has written, or a folder of its files',
    },
    options: {
      '--dry-run': 'show what the export has, and store nothing',
      '--public': 'anybody may read what is published, without a key',
      '--author <email>': 'the account that is the author (default: the first administrator)',
      '--files <folder>': 'where files are that the export names by their address',
      '--without-files': 'leave files out',
      ...config,
      ...json,
    },
    run: async (...call) => (await import('./import.js')).importExport(...call),
  },
  {
    words: 'openapi',
    summary: 'write the OpenAPI document to standard output',
    options: config,
    run: async (...call) => (await import('./openapi.js')).openapi(...call),
  },
  {
    words: 'completion',
    summary: 'write the completion of a shell to standard output',
    arguments: { '<shell>': 'bash, zsh or fish' },
    run: async (...call) => (await import('./completion.js')).completion(commands)(...call),
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
