import { limit, type SiteCommand } from './command.js'
import { recordCommands } from './record-commands.js'
import { versionCommands } from './version-commands.js'

/** The descriptions of words that several commands share. */
export const groups: Readonly<Record<string, string>> = {
  audit: 'look at what was changed, by whom and when',
  backup: 'make backups, look at them, and restore them',
  config: 'look at the configuration',
  content: 'look after content trees',
  datatypes: 'look after datatypes',
  deliveries: 'look at what was sent to webhooks',
  fields: 'look after the fields of datatypes',
  keys: 'look after your own SSH keys',
  media: 'look after media',
  migrate: 'look after the schema of the database',
  pages: 'make pages',
  routes: 'look after addresses of pages',
  token: 'look after API keys',
  user: 'look after accounts',
  versions: 'look at versions of entries, and bring them back',
  webhooks: 'look after webhooks',
}

const email = { '<email>': 'the e-mail address of the account' }

const entry = { '<id>': 'the id of the entry' }
const webhook = (place: string) => ({ [place]: 'the id of the webhook' })
const auditOptions = {
  '--table <name>': 'only changes of this table',
  '--record <id>': 'only changes of this record',
  '--user <id>': 'only changes by this user',
  '--operation <name>': 'only INSERT, UPDATE or DELETE',
  '--since <time>': 'only changes at this time or later',
}

/** The commands that need only the services of a site; SSH offers them too. */
export const siteCommands: readonly SiteCommand[] = [
  {
    words: 'user create',
    summary: 'make an account, whose password is asked for or read from standard input as one line',
    arguments: email,
    options: {
      '--role <name>': 'its role (default: viewer)',
      '--username <name>': 'its username (default: what stands before the @)',
      '--name <text>': 'the name of the person',
    },
    access: 'users:create',
    work: async (...call) => (await import('./accounts.js')).userCreate(...call),
  },
  {
    words: 'user password',
    summary: 'set the password of an account, which is asked for or read from standard input as one line',
    arguments: email,
    withoutJson: true,
    access: 'users:admin',
    work: async (...call) => (await import('./user-password.js')).userPassword(...call),
  },
  {
    words: 'user role',
    summary: 'give an account another role',
    arguments: { ...email, '<role>': 'the name of the role' },
    access: 'users:update',
    work: async (...call) => (await import('./accounts.js')).userRole(...call),
  },
  ...recordCommands('user'),
  {
    words: 'keys list',
    summary: 'show your own SSH keys',
    access: 'signed-in',
    work: async (...call) => (await import('./ssh-keys.js')).keysList(...call),
  },
  {
    words: 'keys add',
    summary: 'register the public key on standard input for yourself',
    options: { '--label <text>': 'what it is called' },
    access: 'signed-in',
    work: async (...call) => (await import('./ssh-keys.js')).keysAdd(...call),
  },
  {
    words: 'keys remove',
    summary: 'remove an SSH key; sessions that it has opened end',
    arguments: { '<id>': 'the id of the key' },
    withoutJson: true,
    access: 'signed-in',
    work: async (...call) => (await import('./ssh-keys.js')).keysRemove(...call),
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
    },
    access: 'tokens:create',
    work: async (...call) => (await import('./accounts.js')).tokenCreate(...call),
  },
  {
    words: 'media regenerate',
    summary: 'make the variants of all images again',
    access: 'media:update',
    work: async (...call) => (await import('./media-regenerate.js')).mediaRegenerate(...call),
  },
  ...recordCommands('media'),
  ...recordCommands('content'),
  {
    words: 'content publish',
    summary: 'publish an entry with everything under it',
    arguments: entry,
    options: { '--locale <code>': 'say that its texts in this locale are ready' },
    access: 'content:publish',
    work: async (...call) => (await import('./publishing.js')).contentPublish(...call),
  },
  {
    words: 'content unpublish',
    summary: 'take an entry back with everything under it',
    arguments: entry,
    access: 'content:publish',
    work: async (...call) => (await import('./publishing.js')).contentUnpublish(...call),
  },
  {
    words: 'content schedule',
    summary: 'schedule when an entry is published and unpublished',
    arguments: entry,
    options: {
      '--publish <time>': 'when it is published, or never',
      '--unpublish <time>': 'when it is unpublished, or never',
    },
    access: 'content:publish',
    work: async (...call) => (await import('./publishing.js')).contentSchedule(...call),
  },
  {
    words: 'content check',
    summary:
      'find damaged trees and values that break the rules of their field; ends with 1 when there are some',
    access: 'content:admin',
    work: async (...call) => (await import('./content.js')).contentCheck(...call),
  },
  {
    words: 'content repair',
    summary: 'put damaged trees right',
    access: 'content:admin',
    work: async (...call) => (await import('./content.js')).contentRepair(...call),
  },
  ...versionCommands,
  {
    words: 'pages create',
    summary:
      'make a route with an entry on it and all under that, of the JSON on standard input; writes both ids',
    access: 'content:create',
    work: async (...call) => (await import('./publishing.js')).pagesCreate(...call),
  },
  ...recordCommands('routes'),
  ...recordCommands('datatypes'),
  ...recordCommands('fields'),
  {
    words: 'query',
    summary: 'find published entries of a datatype',
    arguments: {
      '<datatype>': 'the name of the datatype',
      '[conditions...]': 'what all of them fulfil, such as price[gte]=10',
    },
    options: {
      '--sort <fields>': 'the order, such as -date,title',
      '--limit <number>': 'maximum number of results',
      '--cursor <cursor>': 'the page after the one that has told it',
      '--offset <number>': 'leave out so many at the start',
      '--count': 'say how many there are in all',
      '--fields <names>': 'only these fields, such as title,date',
      '--expand <relations>': 'show what relations name',
      '--children <levels>': 'number of levels of child entries to show',
      '--locale <code>': 'values of this locale',
    },
    // The work itself refuses data that is not public, as the API does.
    access: 'public',
    work: async (...call) => (await import('./finding.js')).query(...call),
  },
  {
    words: 'search',
    summary: 'find published entries by the words in them',
    arguments: { '<words...>': 'words that all must be there' },
    options: {
      '--type <names>': 'only these datatypes, such as post,page',
      '--limit <number>': 'maximum number of results',
      '--offset <number>': 'leave out so many at the start',
      '--count': 'say how many there are in all',
      '--locale <code>': 'values of this locale',
    },
    access: 'public',
    work: async (...call) => (await import('./finding.js')).search(...call),
  },
  ...recordCommands('webhooks'),
  {
    words: 'deliveries list',
    summary: 'show what was sent to a webhook, newest first',
    arguments: webhook('<webhook>'),
    options: {
      '--status <status>': 'only those that are pending, retrying, success or failed',
      '--event <name>': 'only those of this event',
      ...limit,
      '--before <id>': 'only those older than this one',
    },
    access: 'webhook:read',
    work: async (...call) => (await import('./watching.js')).deliveriesList(...call),
  },
  {
    words: 'deliveries tail',
    summary: 'show deliveries and their attempts as they happen, until it is ended',
    arguments: webhook('[webhook]'),
    access: 'webhook:read',
    work: async (...call) => (await import('./watching.js')).deliveriesTail(...call),
  },
  {
    words: 'deliveries retry',
    summary: 'send a failed delivery again',
    arguments: { '<id>': 'the id of the delivery' },
    access: 'webhook:update',
    work: async (...call) => (await import('./watching.js')).deliveriesRetry(...call),
  },
  {
    words: 'audit list',
    summary: 'show what was changed, newest first',
    options: { ...auditOptions, ...limit },
    access: 'audit:read',
    work: async (...call) => (await import('./watching.js')).auditList(...call),
  },
  {
    words: 'audit tail',
    summary: 'show changes as they happen, until it is ended',
    options: { ...auditOptions },
    access: 'audit:read',
    work: async (...call) => (await import('./watching.js')).auditTail(...call),
  },
  {
    words: 'backup create',
    summary:
      'make a backup of all rows and media, in its usual place or as a file, whether or not the service runs',
    arguments: {
      '[file]': 'the file, or - for standard output (default: where backup_option says, over SSH -)',
    },
    access: 'deploy:create',
    work: async (...call) => (await import('./backup-create.js')).backupCreate(...call),
  },
  {
    words: 'backup list',
    summary: 'show the backups, with how they went and where they are',
    access: 'deploy:read',
    work: async (...call) => (await import('./backup-create.js')).backupList(...call),
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
    summary: 'show what datatypes and fields are called for clients of other systems',
    access: 'datatypes:read',
    work: async (...call) => (await import('./compat.js')).compat(...call),
  },
]
