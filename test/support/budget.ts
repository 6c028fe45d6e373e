import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrations } from '../../migrations/index.js'
import { configFields } from '../../src/config-fields.js'
import { everyTable } from '../../src/db/tables.js'

/** Counts must match exactly; lines are maximums. */
export interface Budget {
  readonly counts: Readonly<Record<string, number>>
  readonly lines: Readonly<Record<string, number>>
}

const sources = new Map(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(tsx?|mjs|css)$/.test(name))
    .map(name => [name, readFileSync(join('src', name), 'utf8')]),
)
const everything = [...sources.values()].join('\n')

const found = (text: string, form: RegExp): number => text.match(form)?.length ?? 0

/** Counts the members of a union of texts. @throws if the type is missing */
function membersOf(file: string, type: string): number {
  const declared = new RegExp(`type ${type} =([^\\n]*(?:\\n  \\|[^\\n]*)*)`).exec(
    sources.get(file) ?? '',
  )?.[1]
  if (declared === undefined) throw new Error(`src/${file} has no type ${type}`)
  return found(declared, /'/g) / 2
}

/** Returns the folder of a file in `src`; for services that of their domain. */
function folderOf(name: string): string {
  const [top = '', domain = '', ...rest] = name.split('/')
  if (domain === '') return 'src'
  return top === 'services' && rest.length > 0 ? `src/services/${domain}` : `src/${top}`
}

function linesByFolder(): Record<string, number> {
  const lines: Record<string, number> = {}
  for (const [name, text] of [...sources].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const folder = folderOf(name)
    lines[folder] = (lines[folder] ?? 0) + found(text, /\n/g)
  }
  return Object.fromEntries(Object.entries(lines).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the current counts and lines. */
export const spent = (): Budget => ({
  counts: {
    tables: everyTable.length,
    migrations: migrations.length,
    settings: Object.keys(configFields).length,
    'caches: LRUCache': found(everything, /\bnew LRUCache\b/g),
    'caches: Answers': found(everything, /\bnew Answers\b/g),
    'caches: VersionedAnswers': found(everything, /\bnew VersionedAnswers\b/g),
    'caches: EntryTexts': found(everything, /\bnew EntryTexts\b/g),
    'counters: rows': membersOf('db/tables.ts', 'CounterName'),
    'counters: columns': everyTable.flatMap(({ columns }) =>
      Object.keys(columns).filter(name => name === 'version' || name === 'public_version'),
    ).length,
    'background tasks': found(sources.get('background.ts') ?? '', /^\s+failure: '/gm),
  },
  lines: linesByFolder(),
})

export const allowed = (): Budget => JSON.parse(readFileSync('test/whole/budget.json', 'utf8')) as Budget
