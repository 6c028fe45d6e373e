import { limit, type SiteCommand } from './command.js'

/** Versions have values that were never published, so they are for users who work on content. */
const access = 'content:update'

/** Commands for versions of entries. */
export const versionCommands: readonly SiteCommand[] = [
  {
    words: 'versions list',
    summary: 'show the versions of an entry',
    arguments: { '<entry>': 'the id of the entry, or the slug of its page' },
    options: limit,
    access,
    work: async (...call) => (await import('./versions.js')).versionsList(...call),
  },
  {
    words: 'versions compare',
    summary: 'show what changed from one version of an entry to another',
    arguments: { '<from>': 'the id of a version', '<to>': 'the id of another one' },
    access,
    work: async (...call) => (await import('./versions.js')).versionsCompare(...call),
  },
  {
    words: 'versions restore',
    summary: 'bring back a version; what is there now is kept as one',
    arguments: { '<id>': 'the id of the version' },
    access,
    work: async (...call) => (await import('./versions.js')).versionsRestore(...call),
  },
]
