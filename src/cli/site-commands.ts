import { limit, type SiteCommand } from './command.js'
import { contentCommands } from './content-commands.js'
import { dryRun, yes } from './deletion.js'
import { recordCommands } from './record-commands.js'
import { versionCommands } from './version-commands.js'

/** The descriptions of words that several commands share. */
export const groups: Readonly<Record<string, string>> = {
  audit: 'show who changed what, and when',
  backup: 'create, list, verify and restore backups',
  comments: 'manage comments on entries',
  config: 'check, show and change the configuration',
  content: 'manage content trees',
  datatypes: 'manage datatypes',
  deliveries: 'show and retry deliveries of webhooks',
  fields: 'manage the fields of datatypes',
  keys: 'manage your own SSH keys',
  locales: 'manage locales',
  media: 'manage media',
  migrate: 'migrate the database',
  model: 'keep the content model in a file',
  pages: 'create pages',
  redirects: 'manage redirects',
  roles: 'manage roles',
  routes: 'manage the URLs of pages',
  token: 'manage API keys',
  trash: 'manage deleted content',
  user: 'manage accounts',
  versions: 'show, compare and restore versions of entries',
  webhooks: 'manage webhooks',
}

/** The commands that only the machine has. `commands.ts` has them; SSH names them without loading them. */
export const machineCommands: readonly string[] = [
  'serve',
  'quickstart',
  'init',
  'doctor',
  'config check',
  'content edit',
  'migrate up',
  'migrate status',
  'backup verify',
  'backup restore',
  'import',
  'compare',
  'twin',
  'openapi',
  'completion',
  'login',
  'logout',
  'version',
]

/** Returns the command of the machine that a line calls, if it is one. */
export const machineCommandIn = (given: readonly string[]): string | undefined =>
  machineCommands.find(words => words === given.slice(0, words.split(' ').length).join(' '))

const email = { '<email>': 'the e-mail address of the account' }

const webhook = (place: string) => ({ [place]: 'the id of the webhook, or its name' })
const auditOptions = {
  '--table <name>': 'only changes of this table',
  '--record <id>': 'only changes of this record',
  '--user <id>': 'only changes by this user',
  '--operation <name>': 'only this operation: INSERT, UPDATE or DELETE',
  '--since <time>': 'only changes at this time or later',
  '--sessions': 'also show sign-ins and sign-outs; --json always shows them',
}

/** The commands that need only the services of a site; SSH offers them too. */
export const siteCommands: readonly SiteCommand[] = [
  {
    words: 'user create',
    summary: 'create an account; asks for the password, or reads it as one line from standard input',
    arguments: email,
    options: {
      '--role <name>': 'its role (default: viewer)',
      '--username <name>': 'its username (default: the part before the @)',
      '--name <text>': 'the name of the person',
    },
    access: 'users:create',
    work: async (...call) => (await import('./accounts.js')).userCreate(...call),
  },
  {
    words: 'user password',
    summary: 'set the password of an account; asks for it, or reads it as one line from standard input',
    arguments: email,
    withoutJson: true,
    access: 'users:admin',
    work: async (...call) => (await import('./user-password.js')).userPassword(...call),
  },
  {
    words: 'user reset-second-factor',
    summary: 'remove the second factor and the passkeys of an account whose owner has lost their device',
    arguments: email,
    withoutJson: true,
    access: 'users:update',
    work: async (...call) => (await import('./user-password.js')).resetSecondFactor(...call),
  },
  {
    words: 'user role',
    summary: 'change the role of an account',
    arguments: { ...email, '<role>': 'the name of the role' },
    access: 'users:update',
    work: async (...call) => (await import('./accounts.js')).userRole(...call),
  },
  ...recordCommands('user'),
  ...recordCommands('roles'),
  {
    words: 'keys list',
    summary: 'show your own SSH keys',
    access: 'signed-in',
    work: async (...call) => (await import('./ssh-keys.js')).keysList(...call),
  },
  {
    words: 'keys add',
    summary: 'add the public key on standard input to your account',
    options: { '--label <text>': 'a name for the key' },
    access: 'signed-in',
    work: async (...call) => (await import('./ssh-keys.js')).keysAdd(...call),
  },
  {
    words: 'keys remove',
    summary: 'remove an SSH key and end its sessions',
    arguments: { '<id>': 'the id of the key' },
    options: { ...yes, ...dryRun },
    access: 'signed-in',
    work: async (...call) => (await import('./ssh-keys.js')).keysRemove(...call),
  },
  {
    words: 'token create',
    summary: 'create an API key for an account and write it to standard output',
    arguments: email,
    options: {
      '--label <text>': 'a name for the key',
      '--permissions <list>':
        'its permissions, separated by commas (default: all permissions of the account)',
      '--read-only': 'allow reading only',
      '--expires-in <duration>': 'how long it is valid, such as 90d (default: no limit)',
      '--limits <members...>':
        'the part of the site that it may change: datatypes=…, routes=…, locales=…, own; all must hold. With reads=… it reads no other content, but for these datatypes',
      '--rate-limit <number>': 'how many requests it may make in a minute (default: no limit)',
    },
    access: 'tokens:create',
    work: async (...call) => (await import('./accounts.js')).tokenCreate(...call),
  },
  {
    words: 'token revoke',
    summary: 'revoke an API key; it stops working at once, and its record stays',
    arguments: { '<key>': 'the id of the API key' },
    access: 'tokens:update',
    work: async (...call) => (await import('./accounts.js')).tokenRevoke(...call),
  },
  ...recordCommands('token'),
  {
    words: 'media regenerate',
    summary: 'generate the variants of all images again',
    access: 'media:update',
    work: async (...call) => (await import('./media-regenerate.js')).mediaRegenerate(...call),
  },
  {
    words: 'media upload',
    summary: 'upload a file; over SSH, send its content on standard input',
    arguments: { '<file>': 'the file, over SSH its name, or - for standard input' },
    options: {
      '--folder <path>': 'the folder of media, such as team/2027',
      '--alt <text>': 'the alt text of the picture',
      '--name <name>': 'a different name for the file',
    },
    hasAuthor: true,
    access: 'media:create',
    work: async (...call) => (await import('./media-upload.js')).mediaUpload(...call),
  },
  ...recordCommands('media'),
  ...contentCommands,
  ...versionCommands,
  ...recordCommands('routes'),
  ...recordCommands('redirects'),
  ...recordCommands('datatypes'),
  ...recordCommands('fields'),
  ...recordCommands('locales'),
  {
    words: 'query',
    summary: 'find published entries of a datatype',
    arguments: {
      '<datatype>': 'the name of the datatype',
      '[conditions...]': 'conditions that must all hold, such as price[gte]=10',
    },
    options: {
      '--sort <fields>': 'the order, such as -date,title',
      '--limit <number>': 'maximum number of results',
      '--cursor <cursor>': 'the next page: the cursor that the previous page showed',
      '--offset <number>': 'number of results to skip',
      '--count': 'show the total number',
      '--fields <names>': 'only these fields, such as title,date',
      '--expand <relations>': 'include the fields of related entries',
      '--children <levels>': 'number of levels of child entries to show',
      '--locale <code>': 'values of this locale',
    },
    // The work itself refuses data that is not public, as the API does.
    access: 'public',
    work: async (...call) => (await import('./finding.js')).query(...call),
  },
  {
    words: 'search',
    summary: 'search published entries by words',
    arguments: { '<words...>': 'words that must all occur' },
    options: {
      '--type <names>': 'only these datatypes, such as post,page',
      '--limit <number>': 'maximum number of results',
      '--offset <number>': 'number of results to skip',
      '--count': 'show the total number',
      '--locale <code>': 'values of this locale',
    },
    access: 'public',
    work: async (...call) => (await import('./finding.js')).search(...call),
  },
  {
    words: 'go',
    summary: 'find pages, drafts, files and people by words; with ssh -t, open the one that is found',
    arguments: { '<words...>': 'words of a title, slug, text or name' },
    access: 'signed-in',
    work: async (...call) => (await import('./finding.js')).go(...call),
  },
  ...recordCommands('webhooks'),
  {
    words: 'webhooks test',
    summary: 'send webhook.test now and show the response; exit code 1 if it failed',
    arguments: webhook('<webhook>'),
    access: 'webhook:update',
    work: async (...call) => (await import('./watching.js')).webhooksTest(...call),
  },
  {
    words: 'webhooks replay',
    summary: 'send the finished deliveries of a time range again',
    arguments: webhook('<webhook>'),
    options: {
      '--from <time>': 'only deliveries that were created at this time or later',
      '--to <time>': 'only deliveries that were created at this time or earlier',
      '--status <status>': 'failed, or all that are finished (default: all)',
    },
    access: 'webhook:update',
    work: async (...call) => (await import('./watching.js')).webhooksReplay(...call),
  },
  {
    words: 'deliveries list',
    summary: 'show the deliveries of a webhook, newest first',
    arguments: webhook('<webhook>'),
    options: {
      '--status <status>': 'only deliveries with this status: pending, retrying, success or failed',
      '--event <name>': 'only deliveries of this event',
      ...limit,
      '--before <id>': 'only deliveries older than this one',
    },
    access: 'webhook:read',
    work: async (...call) => (await import('./watching.js')).deliveriesList(...call),
  },
  {
    words: 'deliveries tail',
    summary: 'show deliveries and attempts as they happen, until you press Ctrl-C',
    arguments: webhook('[webhook]'),
    access: 'webhook:read',
    work: async (...call) => (await import('./watching.js')).deliveriesTail(...call),
  },
  {
    words: 'deliveries retry',
    summary: 'retry a failed delivery',
    arguments: { '<id>': 'the id of the delivery' },
    access: 'webhook:update',
    work: async (...call) => (await import('./watching.js')).deliveriesRetry(...call),
  },
  {
    words: 'audit list',
    summary: 'show changes, newest first',
    options: { ...auditOptions, ...limit },
    access: 'audit:read',
    work: async (...call) => (await import('./watching.js')).auditList(...call),
  },
  {
    words: 'audit tail',
    summary: 'show changes as they happen, until you press Ctrl-C',
    options: { ...auditOptions },
    access: 'audit:read',
    work: async (...call) => (await import('./watching.js')).auditTail(...call),
  },
  {
    words: 'backup create',
    summary: 'back up all rows and media to the configured location or to a file; the service may be running',
    arguments: {
      '[file]':
        'a file, or - for standard output (default: the location set by backup_option; over SSH, standard output)',
    },
    access: 'deploy:create',
    work: async (...call) => (await import('./backup-create.js')).backupCreate(...call),
  },
  {
    words: 'backup list',
    summary: 'show the backups with status and location',
    access: 'deploy:read',
    work: async (...call) => (await import('./backup-create.js')).backupList(...call),
  },
  {
    words: 'config get',
    summary: 'show a setting, or all of them; secrets are masked',
    arguments: { '[name]': 'the name of the setting' },
    access: 'config:read',
    work: async (...call) => (await import('./settings.js')).configGet(...call),
  },
  {
    words: 'config set',
    summary: 'change a setting; asks for a secret, or reads it as one line from standard input',
    arguments: { '<name>': 'the name of the setting', '[value]': 'its value, or null for its default' },
    options: dryRun,
    access: 'config:update',
    work: async (...call) => (await import('./settings.js')).configSet(...call),
  },
  {
    words: 'top',
    summary: 'show what happens in the service: once here, and live with ssh -t',
    access: 'signed-in',
    work: async (...call) => (await import('./top.js')).top(...call),
  },
  {
    words: 'model pull',
    summary: 'write locales, datatypes, fields, roles and webhooks to standard output, as JSON',
    withoutJson: true,
    access: 'datatypes:read',
    work: async (...call) => (await import('./model.js')).modelPull(...call),
  },
  {
    words: 'model plan',
    summary: 'show what the model on standard input would change in this service, and what would break',
    access: 'datatypes:read',
    work: async (...call) => (await import('./model.js')).modelPlan(...call),
  },
  {
    words: 'model apply',
    summary: 'make the changes of `model plan` in one transaction; nothing is deleted',
    options: { '--accept-broken': 'also apply changes that break something', ...dryRun },
    access: 'datatypes:update',
    work: async (...call) => (await import('./model.js')).modelApply(...call),
  },
  {
    words: 'types',
    summary: 'write TypeScript types of the content model to standard output',
    withoutJson: true,
    access: 'datatypes:read',
    async work({ space }, _actor, io) {
      io.write((await space.modelTypes.typeScript()).text)
      return 0
    },
  },
  {
    words: 'compat',
    summary: 'show the names of datatypes and fields for clients of other systems',
    access: 'datatypes:read',
    work: async (...call) => (await import('./compat.js')).compat(...call),
  },
]
