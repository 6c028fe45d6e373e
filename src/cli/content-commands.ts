import type { SiteCommand } from './command.js'
import { dryRun } from './deletion.js'
import { several, where } from './described-records.js'
import { recordCommands } from './record-commands.js'

const entries = several('entry', 'the id of the entry, or the slug of its page')
const publishing = { ...where('content'), '--yes': 'do not ask for confirmation', ...dryRun }

export const contentCommands: readonly SiteCommand[] = [
  ...recordCommands('content'),
  {
    words: 'content publish',
    summary: 'publish entries with everything under them',
    arguments: entries,
    options: {
      '--locale <code>':
        'only mark the texts of this locale as published; the entry must already be published',
      ...publishing,
    },
    access: 'content:publish',
    work: async (...call) => (await import('./publishing.js')).contentPublish(...call),
  },
  {
    words: 'content unpublish',
    summary: 'unpublish entries with everything under them',
    arguments: entries,
    options: publishing,
    access: 'content:publish',
    work: async (...call) => (await import('./publishing.js')).contentUnpublish(...call),
  },
  {
    words: 'content schedule',
    summary: 'schedule when entries are published and unpublished',
    arguments: entries,
    options: {
      ...where('content'),
      '--publish <time>': 'when it is published, or never',
      '--unpublish <time>': 'when it is unpublished, or never',
    },
    access: 'content:publish',
    work: async (...call) => (await import('./publishing.js')).contentSchedule(...call),
  },
  {
    words: 'content check',
    summary:
      'find damaged trees and values that break the rules of their field; exit code 1 if there are any',
    access: 'content:admin',
    work: async (...call) => (await import('./content.js')).contentCheck(...call),
  },
  {
    words: 'content repair',
    summary: 'repair damaged trees',
    options: dryRun,
    access: 'content:admin',
    work: async (...call) => (await import('./content.js')).contentRepair(...call),
  },
  {
    words: 'content export',
    summary: 'write whole trees to standard output, one line of JSON for each entry',
    arguments: { '[entry]': 'only the tree of this entry, by id or slug' },
    options: { '--datatype-id <datatype>': 'only trees of this datatype, by id or name' },
    withoutJson: true,
    access: 'content:read',
    work: async (...call) => (await import('./content-export.js')).contentExport(...call),
  },
  {
    words: 'content import',
    summary: 'create and update entries from the output of content export on standard input',
    options: { '--publish': 'publish the trees that were published in the export', ...dryRun },
    hasAuthor: true,
    access: 'content:create',
    work: async (...call) => (await import('./content-import.js')).contentImport(...call),
  },
  {
    words: 'pages create',
    summary:
      'create a page (a route, its entry and all entries under it) from JSON on standard input, and write the ids of route and entry',
    hasAuthor: true,
    access: 'content:create',
    work: async (...call) => (await import('./publishing.js')).pagesCreate(...call),
  },
  ...recordCommands('trash'),
  {
    words: 'trash restore',
    summary: 'restore deleted entries with everything that was under them',
    arguments: several('entry', 'the id in the trash, or the slug that its page had'),
    options: where('trash'),
    hasAuthor: true,
    access: 'content:delete',
    work: async (...call) => (await import('./removal.js')).trashRestore(...call),
  },
  ...recordCommands('comments'),
]
