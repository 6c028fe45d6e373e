import type { ExportFiles } from '../../ports.js'
import type { FieldType } from '../content/field-types.js'
import type { SourceId } from '../content/source-ids.js'
import { inMemory, type Lists, type Records } from './records.js'
import type { Unread } from './unread.js'

export type { ExportFiles }

/** An export of another system in the terms of this service. A reader makes it, and `load.ts` stores it. */
export interface ImportedSite {
  readonly locales: readonly ImportedLocale[]
  readonly types: readonly ImportedType[]
  readonly entries: readonly ImportedEntry[]
  readonly files: readonly ImportedFile[]
  /** Parts that are not imported, a sentence each, for the person who imports. */
  readonly notes: readonly string[]
  /** Records of the export that cannot be read. */
  readonly unread?: Unread | undefined
}

/** An export whose entries may be outside the memory. */
export type SiteRecords = Omit<ImportedSite, 'entries'> & { readonly entries: Records<ImportedEntry> }

export interface ImportedLocale {
  readonly code: string
  readonly label: string
  readonly fallback?: string | undefined
}

/** A kind of entry. */
export interface ImportedType {
  /** As the other system calls it where that is a name here: letters, digits and `_`, a letter first (`keyName`). */
  readonly name: string
  readonly label: string
  /** Whether everybody could read its entries there; undefined where the export does not say. */
  readonly isPublic?: boolean | undefined
  /** Whether some of its entries have an address (`path`). Without one they are global. */
  readonly hasPages: boolean
  readonly fields: readonly ImportedField[]
  /** The names that front ends have for its entries, if not the guessed ones, as in `compat` in the configuration. */
  readonly compat?: Readonly<Record<string, string | readonly string[]>> | undefined
}

export interface ImportedField {
  readonly name: string
  readonly label: string
  readonly type: FieldType
  /** Settings of the field, as docs/modelling.md has them. Targets of relations are names of types of this site. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
  readonly required?: boolean | undefined
  readonly translatable?: boolean | undefined
}

/** The value of a field. Records are named by their keys in the other system, and stay away where the site lacks them. */
export type ImportedValue =
  /**
   * Anything but records: a text, number or boolean, and any JSON for a field of that type. In that a text that is all
   * `import:entry:<key>` or `import:file:<key>` stands for what Sanity's references have.
   */
  | { readonly value: unknown }
  | { readonly entries: readonly string[] }
  | { readonly files: readonly string[] }
  /**
   * Rich text, in which `import:entry:<key>` and `import:file:<key>` stand for addresses; keys are URI-encoded. Behind `#`
   * an entry is named by its id, and behind `#inline-` or `#block-` as one that is shown there (`entry-links.ts`).
   */
  | { readonly html: string }

export type ImportedValues = Readonly<Record<string, ImportedValue>>

/** The size of a record, to compare the export with the stored content. */
export interface Size {
  readonly words: number
  /** Pictures and other files that are shown or named. */
  readonly pictures: number
  /** Links in texts. */
  readonly links: number
}

/** A record as it was in the other system. */
interface ImportedSource {
  /** The address of its page there, if the export says it. */
  readonly address?: string | undefined
  /** Paths that led to it there, such as `/old-name`. */
  readonly formerly?: readonly string[] | undefined
  /** Without that of children, which have their own where the export has them apart. */
  readonly size: Size
}

export interface ImportedEntry {
  readonly key: string
  readonly ids?: readonly SourceId[] | undefined
  readonly type: string
  /** The address of its page, such as `/blog/hello`, with the title of that page. Children have no page. */
  readonly page?: { readonly path: string; readonly title: string } | undefined
  readonly isPublished: boolean
  /** ISO 8601, in UTC: ids are in the order of it. */
  readonly createdAt: string
  /** True if the export does not say when it was made. An id that is known names it then, whatever `createdAt` is. */
  readonly isUndated?: boolean | undefined
  /** ISO 8601, in UTC: when it was changed last; without it, now. */
  readonly changedAt?: string | undefined
  /** ISO 8601, in UTC. */
  readonly publishedAt?: string | undefined
  /** ISO 8601, in UTC: when a draft is to be published. A published entry is a draft until then. */
  readonly publishAt?: string | undefined
  readonly values: ImportedValues
  /** In other locales: those of the fields that are translatable, by the code of the locale. */
  readonly translations?: Readonly<Record<string, ImportedValues>> | undefined
  /** Its state in the other system, for the report. */
  readonly source?: ImportedSource | undefined
  readonly children?: readonly ImportedEntry[] | undefined
}

/** A file that the export has or names. */
export interface ImportedFile {
  readonly key: string
  readonly ids?: readonly SourceId[] | undefined
  readonly name: string
  readonly title?: string | undefined
  readonly alt?: string | undefined
  readonly caption?: string | undefined
  /** Where the export has it, as a name of `ExportFiles`. */
  readonly at?: string | undefined
  readonly url?: string | undefined
  /** From 0 to 1, from the left and from the top. */
  readonly focus?: { readonly x: number; readonly y: number } | undefined
}

/** Reads an export. @throws HttpError 400 (`badRequest`) with a reason for files that are not such an export */
export type ReadExport = (files: ExportFiles) => Promise<ImportedSite>

/** Reads an export of any number of records, which it keeps in lists that the caller makes. @throws as `ReadExport` */
export type ReadLargeExport = (files: ExportFiles, lists: Lists) => Promise<SiteRecords>

/** Reads a small export into the memory. */
export const readingInMemory =
  (read: ReadLargeExport): ReadExport =>
  async files => {
    const site = await read(files, inMemory)
    return { ...site, entries: [...site.entries] }
  }
