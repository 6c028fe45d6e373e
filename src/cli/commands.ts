import { connectionLimit } from '../node/descriptors.js'
import { version } from '../node/version.js'
import { type Command, config, json, withUsualOptions } from './command.js'
import { siteCommands } from './site-commands.js'
import { say } from './terminal.js'

/** Nobody is signed in here, so a new record needs the name of its author. */
const author = { '--author <user>': 'the account that is the author, by e-mail or id' }
const port = {
  '--port <address>': 'port for HTTP; overrides the variable PORT and the configured port',
}

const remoteUrl = { '<url>': 'the URL of the service, such as https://example.com' }
const insecure = { '--insecure-http': 'allow http to another machine: the key can be read on the way' }

/** All commands, in the order of the help. The code of a command is loaded when it runs. */
export const commands: readonly Command[] = [
  {
    words: 'serve',
    summary: 'start the service with a configuration file, or with defaults',
    options: { ...config, ...port },
    async run(terminal, options) {
      // Loading the server needs most of the descriptors, and would fail without a message about them.
      connectionLimit()
      return (await import('./serve.js')).serve(terminal, options)
    },
  },
  {
    words: 'quickstart',
    summary: 'start a sample site with SQLite in its own folder',
    options: {
      '--dir <path>': 'the folder (default: ./quickstart)',
      '--empty': 'start without sample content',
      ...port,
    },
    async run(terminal, options) {
      connectionLimit()
      return (await import('./quickstart.js')).runQuickstart(terminal, options)
    },
  },
  {
    words: 'init',
    summary: 'write a configuration file and ask for missing values',
    options: {
      '--config <path>': 'the file (default: ./cms.config.json)',
      '--environment <name>': 'where the service runs: local, development, staging or production',
      '--port <address>': 'port for HTTP, such as :8080 or 127.0.0.1:8080',
      '--client-site <domain>': 'domain of the site',
      '--tls <how>': 'certificates for HTTPS: auto, files or off',
      '--ssl-port <address>': 'port for HTTPS, such as :443',
      '--cert-dir <path>': 'folder of the certificates',
      '--db-driver <engine>': 'database engine: sqlite, postgres or mysql',
      '--db-url <address>': 'path of the database file, or host:port of its server',
      '--db-name <name>': 'name of the database on its server',
      '--db-username <name>': 'user of the database on its server',
      ...json,
    },
    run: async (...call) => (await import('./init.js')).init(...call),
  },
  {
    words: 'doctor',
    summary: 'check database, storage, mail, HTTPS, clock and disk, and suggest fixes',
    options: { ...config, ...json },
    run: async (...call) => (await import('./doctor.js')).doctor(...call),
  },
  {
    words: 'config check',
    summary: 'check the configuration file; unknown fields are errors',
    options: { ...config, ...json },
    run: async (...call) => (await import('./config-check.js')).configCheck(...call),
  },
  {
    words: 'content edit',
    summary: 'edit the fields of an entry as YAML in $EDITOR; only changed fields are saved',
    arguments: { '<entry>': 'the id of the entry, or the slug of its page' },
    options: { '--locale <code>': 'the fields in this language', ...author, ...config, ...json },
    run: async (...call) => (await import('./content-edit.js')).contentEdit(...call),
  },
  {
    words: 'migrate up',
    summary: 'migrate the database to this version, as every start does',
    options: { '--verbose': 'list every step, also the many of a new database', ...config, ...json },
    run: async (...call) => (await import('./migrate.js')).migrateUp(...call),
  },
  {
    words: 'migrate status',
    summary: 'show pending migrations; exit code 1 if there are any',
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
    summary: 'check a whole backup; exit code 1 if it is damaged',
    arguments: { '<file>': 'the backup' },
    options: json,
    run: async (...call) => (await import('./backup.js')).backupVerify(...call),
  },
  {
    words: 'backup restore',
    summary: 'restore rows and media of a backup into an empty database of any engine',
    arguments: { '<file>': 'the backup' },
    options: { '--force': 'replace everything in the database', ...config, ...json },
    run: async (...call) => (await import('./backup-restore.js')).backupRestore(...call),
  },
  {
    words: 'import',
    summary: 'import from another system: model, entries and files',
    arguments: {
      '<system>': 'the other system: contentful, csv, ghost, markdown, sanity, strapi or wordpress',
      '[export]': 'the exported file or archive, or a folder of its files; with --from, nothing',
    },
    options: {
      '--dry-run': 'show the content of the export and save nothing',
      '--from <url>': 'import from the live API at this URL; its key is in the variable SOURCE_TOKEN',
      '--types <names>': 'the lists of the live API, separated by commas (default: all)',
      '--update': 'change records that were changed only in the other system',
      '--follow': 'with --from: go on and take changes until the command is stopped',
      '--every <seconds>': 'how often to ask for changes (default: 60)',
      '--delete': 'delete entries that were deleted in the other system and not changed here',
      '--public': 'make published content readable without an API key',
      '--author <email>': 'the author of the entries (default: the first administrator)',
      '--files <folder>': 'folder with the files that the export names by URL',
      '--without-files': 'do not import files',
      '--report <file>': 'write one line of JSON about each record to a file',
      '--verify': 'request each record as a front end would, and compare it with the export',
      '--redirects <file>': 'write redirects from changed addresses to a file, for a proxy',
      ...config,
      ...json,
    },
    run: async (...call) => (await import('./import.js')).importExport(...call),
  },
  {
    words: 'compare',
    summary: 'send the same requests to both systems and compare the responses',
    arguments: {
      '<old>': 'the URL of the other system’s API; its key is in the variable OLD_TOKEN',
      '<new>': 'the URL below /compat here; its key is in the variable NEW_TOKEN',
    },
    options: {
      '--system <name>': 'contentful, sanity, strapi or wordpress (default: by the URL)',
      '--types <names>': 'the lists to compare, separated by commas (default: all)',
      '--allow <percent>': 'the share of a record that may differ (default: 0)',
      '--limit <number>': 'maximum number of records of each list, 0 for all (default: 1000)',
      ...json,
    },
    run: async (...call) => (await import('./compare.js')).compare(...call),
  },
  {
    words: 'twin',
    summary: 'write the public site as files, and keep them current',
    options: {
      '--to <place>': 'a folder, or s3://bucket/prefix in the store of the configuration',
      '--once': 'write the present site and end',
      ...config,
      ...port,
      ...json,
    },
    run: async (...call) => (await import('./twin/index.js')).twin(...call),
  },
  {
    words: 'openapi',
    summary: 'write the OpenAPI document to standard output',
    options: config,
    run: async (...call) => (await import('./openapi.js')).openapi(...call),
  },
  {
    words: 'completion',
    summary: 'write the completion script of a shell to standard output',
    arguments: { '<shell>': 'the shell: bash, zsh or fish' },
    run: async (...call) => (await import('./completion.js')).completion(commands)(...call),
  },
  {
    words: 'login',
    summary: 'sign in to a service on another machine, by a browser; stores an API key',
    arguments: remoteUrl,
    options: {
      '--with-key': 'store this key instead: asks for it, or reads it as one line from standard input',
      ...insecure,
    },
    async run(terminal, { 'with-key': withKey, 'insecure-http': insecureHttp }, [url = '']) {
      const { login, loginWithKey } = await import('./remote/index.js')
      return (withKey === undefined ? login : loginWithKey)(terminal, url, insecureHttp !== undefined)
    },
  },
  {
    words: 'logout',
    summary: 'revoke the stored API key for a service, and delete it',
    arguments: { '[url]': 'the URL of the service (default: the only one with a stored key)' },
    options: insecure,
    run: async (terminal, options, [url = '']) =>
      (await import('./remote/index.js')).logout(terminal, url, options['insecure-http'] !== undefined),
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
