import { badRequest } from '../../errors.js'
import { limits } from '../../limits.js'
import { Notes } from '../../services/import/notes.js'
import type {
  ImportedEntry,
  ImportedField,
  ImportedFile,
  ImportedType,
  ReadExport,
} from '../../services/import/site.js'
import { sizeOfValues } from '../../services/import/size.js'
import { UnreadRecords } from '../../services/import/unread.js'
import { isSlugText, trimmed, uriDecoded } from '../../services/text.js'
import { Columns, looseTimeOf, type NamedValues, nameOf } from '../columns.js'
import { byTime, PageAddresses } from '../imports.js'
import { labelOf } from '../text-types.js'
import { type Table, tableOf } from './table.js'

/** Columns about the entry itself, which do not become fields. */
const reserved = {
  id: ['id', '_id'],
  slug: ['slug', 'path', 'permalink'],
  state: ['status', 'draft', 'published'],
  created: ['created_at', 'createdat', 'created'],
  changed: ['updated_at', 'updatedat', 'modified_at', 'modified'],
  published: ['published_at', 'publishedat', 'publish_date'],
} as const
type Reserved = keyof typeof reserved

const titleNames = ['title', 'name', 'heading', 'headline', 'label']

const words: Readonly<Record<string, boolean>> = {
  ...{ published: true, public: true, live: true, active: true, true: true, yes: true, '1': true },
  ...{ draft: false, private: false, archived: false, inactive: false, false: false, no: false, '0': false },
}

/** True for a column whose every cell says whether the entry is published. */
const saysState = (cells: readonly string[]): boolean =>
  cells.every(cell => cell === '' || Object.hasOwn(words, cell.trim().toLowerCase()))

/** The cells of a column as values: numbers and booleans where all cells are such. */
function typed(cells: readonly string[]): readonly unknown[] {
  const filled = cells.filter(cell => cell !== '')
  // A leading zero or a plus belongs to a telephone number or a code.
  const isNumber = (cell: string) => /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(cell)
  if (filled.length > 0 && filled.every(isNumber))
    return cells.map(cell => (cell === '' ? null : Number(cell)))
  const isBoolean = (cell: string) => /^(?:true|false)$/i.test(cell)
  if (filled.length > 0 && filled.every(isBoolean))
    return cells.map(cell => (cell === '' ? null : cell.toLowerCase() === 'true'))
  return cells
}

const startOfTime = new Date(0).toISOString()

class TableReader {
  private readonly at: Partial<Record<Reserved, number>> = {}

  constructor(
    private readonly name: string,
    private readonly table: Table,
    private readonly world: {
      readonly notes: Notes
      readonly unread: UnreadRecords
      readonly paths: PageAddresses
      file(text: string): string | undefined
    },
  ) {
    for (const [kind, names] of Object.entries(reserved) as [Reserved, readonly string[]][]) {
      const found = table.header.findIndex(column => names.includes(column.toLowerCase()))
      if (found >= 0 && this.isReserved(kind, found)) this.at[kind] = found
    }
  }

  read(file: string): { readonly type: ImportedType; readonly entries: readonly ImportedEntry[] } {
    const { name, table, world } = this
    for (const { line, reason } of table.unread) world.unread.add(`${file}: line ${line}`, reason)
    const left = new Set(Object.values(this.at))
    const columns = table.header.flatMap((column, i) =>
      left.has(i) ? [] : [{ column, values: typed(this.cells(i)) }],
    )
    const rows: NamedValues[] = table.rows.map(
      (_, row) => new Map(columns.map(({ column, values }) => [column, values[row]])),
    )
    const fileOf = (text: string) => world.file(text)
    // An empty table has its fields too.
    const known = new Columns(
      name,
      rows.length > 0 ? rows : [new Map(columns.map(({ column }) => [column, null]))],
      {
        ...{ notes: world.notes, fileOf },
      },
    )
    const entries = table.rows.map((_, row) =>
      this.entry(row, known.valuesOf(rows[row] ?? new Map(), row), file),
    )
    const fields: readonly ImportedField[] = known.fields
    return { type: { name, label: labelOf(name), hasPages: this.at.slug !== undefined, fields }, entries }
  }

  private cells(column: number): readonly string[] {
    return this.table.rows.map(({ cells }) => cells[column] ?? '')
  }

  private isReserved(kind: Reserved, column: number): boolean {
    const cells = this.cells(column)
    if (kind === 'state') return saysState(cells)
    if (kind === 'id') return cells.every(cell => cell !== '') && new Set(cells).size === cells.length
    if (kind === 'slug') return true
    return cells.every(cell => cell === '' || looseTimeOf(cell) !== undefined)
  }

  private cell(kind: Reserved, row: number): string {
    const column = this.at[kind]
    return column === undefined ? '' : (this.table.rows[row]?.cells[column] ?? '').trim()
  }

  private timeOf(kind: Reserved, row: number): string | undefined {
    return looseTimeOf(this.cell(kind, row))
  }

  private isPublished(row: number): boolean {
    const { state } = this.at
    const word = words[this.cell('state', row).toLowerCase()]
    if (state === undefined || word === undefined) return true
    return this.table.header[state]?.toLowerCase() === 'draft' ? !word : word
  }

  private pageOf(row: number, values: ImportedEntry['values']): ImportedEntry['page'] {
    const slug = this.cell('slug', row)
    if (slug === '') return undefined
    const path = slug.includes('/') ? `/${trimmed(slug, '/')}` : `/${this.folder}${slug}`
    if (!isSlugText(path)) {
      this.world.notes.add(
        'Entries have no page, because their address is not valid here',
        `${this.name}: ${slug}`,
      )
      return undefined
    }
    const taken = this.world.paths.take(path)
    if (taken !== path)
      this.world.notes.add('Pages whose address is taken get a number at the end of it', path)
    const titles = titleNames.flatMap(name => {
      const value = Object.entries(values).find(([own]) => own.toLowerCase() === name)?.[1]
      return value && 'value' in value && typeof value.value === 'string'
        ? [value.value.replaceAll(/\s+/g, ' ').trim()]
        : []
    })
    return { path: taken, title: (titles.find(text => text !== '') ?? slug).slice(0, 255) }
  }

  private get folder(): string {
    return /^pages?$/i.test(this.name) ? '' : `${this.name}/`
  }

  private entry(row: number, values: ImportedEntry['values'], file: string): ImportedEntry {
    const own = this.cell('id', row) || this.cell('slug', row)
    const id = own || `${file}:${this.table.rows[row]?.line ?? row}`
    const publishedAt = this.timeOf('published', row) ?? this.timeOf('created', row)
    const changedAt = this.timeOf('changed', row)
    const isPublished = this.isPublished(row)
    return {
      ...{
        key: `${this.name}:${id}:${own === '' ? '' : 'id'}`,
        ids: [{ kind: this.name, id }],
        type: this.name,
      },
      page: this.pageOf(row, values),
      isPublished,
      ...{ createdAt: this.timeOf('created', row) ?? publishedAt ?? startOfTime, isUndated: true },
      ...(changedAt === undefined ? {} : { changedAt }),
      ...(publishedAt === undefined ? {} : { publishedAt }),
      ...(isPublished && publishedAt !== undefined ? { publishAt: publishedAt } : {}),
      values,
      source: { size: sizeOfValues(values) },
    }
  }
}

/** Finds the files that cells name: beside the tables, or at an address. */
class CellFiles {
  readonly files = new Map<string, ImportedFile>()

  constructor(private readonly names: readonly string[]) {}

  use = (text: string): string | undefined => {
    const isAddress = /^https?:\/\/[^/]/i.test(text) && URL.canParse(text)
    const at = isAddress
      ? undefined
      : this.names.find(name => name === text || name.endsWith(`/${text.replace(/^\.?\/+/, '')}`))
    if (!isAddress && at === undefined) return undefined
    const key = at ?? text
    const path = at ?? uriDecoded(new URL(text).pathname)
    this.files.set(key, {
      ...{ key, ids: [{ kind: 'file', id: key }], name: path.slice(path.lastIndexOf('/') + 1) || 'file' },
      ...(at === undefined ? { url: text } : { at }),
    })
    return key
  }
}

/** Reads tables: one file of separated values is one datatype, and its first line has the names of the fields. */
export const readCsv: ReadExport = async files => {
  const isTable = (name: string) =>
    /\.(?:csv|tsv|txt)$/i.test(name) && !/(?:^|\/)(?:\.|__MACOSX\/)/.test(name)
  const names = files.names.length === 1 ? files.names : files.names.filter(isTable).sort()
  if (names.length === 0) throw badRequest('the export has no tables (.csv, .tsv)')
  const notes = new Notes()
  const unread = new UnreadRecords(notes)
  const cells = new CellFiles(files.names.filter(name => !names.includes(name)))
  const used = new Set<string>()
  const paths = new PageAddresses()
  const types: ImportedType[] = []
  const entries: ImportedEntry[] = []
  for (const file of names) {
    const table = tableOf(await files.text(file, limits.imports.recordsBytes), file)
    const stem = file.slice(file.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')
    const world = { notes, unread, paths, file: cells.use }
    const read = new TableReader(nameOf(stem, used), table, world).read(file)
    types.push(read.type)
    entries.push(...read.entries)
  }
  return {
    ...{ locales: [], types, entries: entries.sort(byTime(({ createdAt }) => createdAt)) },
    ...{ files: [...cells.files.values()], notes: notes.sentences, unread: unread.found },
  }
}
