import { limit, type SiteCommand } from './command.js'
import { dryRun } from './deletion.js'

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
    summary: 'compare two versions of an entry',
    arguments: { '<from>': 'the id of a version', '<to>': 'the id of the version to compare it with' },
    options: { '--patch': 'show the changed values as a unified diff, for the patch command' },
    access,
    work: async (...call) => (await import('./versions.js')).versionsCompare(...call),
  },
  {
    words: 'versions restore',
    summary: 'restore a version; the current state is saved as a version first',
    arguments: { '<id>': 'the id of the version' },
    options: { '--yes': 'do not ask for confirmation', ...dryRun },
    access,
    work: async (...call) => (await import('./versions.js')).versionsRestore(...call),
  },
]
