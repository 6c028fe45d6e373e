import type { Hashing, TemporaryFile } from '../../ports.js'
import type { Services } from '../index.js'
import type { OldAddress } from './old-addresses.js'
import type { ReportRow, Verified } from './report.js'
import type { SiteRoot } from './shown.js'
import type { ImportedSite } from './site.js'
import type { Changes, UpdateHow } from './update-entries.js'

/** The services that an import needs. */
export type ImportServices = Pick<Services, 'locales' | 'media' | 'redirects' | 'configuration'> & {
  readonly space: Pick<Services['space'], 'datatypes' | 'fields' | 'routes' | 'imports'>
}

export interface ImportSettings {
  /** Name of the other system, which goes into the ids. */
  readonly system: string
  readonly hashing: Pick<Hashing, 'sha256'>
  /** In milliseconds since 1970. */
  readonly now: number
  /** Whether anybody may read what is published, of types that everybody could read before. */
  readonly isPublic: boolean
  /** Opens a file; undefined to leave files out. @throws an error whose message is noted as the reason */
  readonly open: ((file: ImportedSite['files'][number]) => Promise<TemporaryFile>) | undefined
  /** How the caller can import without files, if there is a shorter way to say it. */
  readonly instead?: string | undefined
  progress(doing: string, done: number, total: number): void
  /** Gets a row about each record when all are stored; reading them back takes time. */
  readonly report?: ((row: ReportRow) => unknown) | undefined
  /** Opens the root of the other system when everything is stored; undefined for a system without a root. */
  readonly root?: ((compat: Imported['compat']) => Promise<OpenRoot | undefined>) | undefined
  /** Whether redirects lead from old addresses that differ. */
  readonly redirects?: boolean | undefined
  /** Gets each old address that differs, for a proxy. */
  readonly oldAddress?: ((old: OldAddress) => unknown) | undefined
  /** The address of the live API that the records are from; undefined for an export. */
  readonly source?: string | undefined
  /** How records that are here are changed; undefined to leave them as they are. */
  readonly update?: UpdateHow | undefined
}

/** A root that is closed when everything was read. */
export interface OpenRoot extends SiteRoot {
  close(): Promise<void>
}

/** The result of an import. Numbers are of records. */
export interface Imported {
  readonly datatypes: number
  readonly fields: number
  readonly entries: number
  /** Trees that were there and stay as they are. */
  readonly known: number
  readonly files: number
  /** Records of the export that could not be read, or have no place here. */
  readonly left_out: number
  /** Redirects from old addresses. */
  readonly redirects: number
  /** With a report: how the root of the other system shows the records. */
  readonly verified?: Verified | undefined
  /** With an update: what it has changed, and the records that it has left. */
  readonly changes?: Changes | undefined
  readonly notes: readonly string[]
  /** The names that front ends have for datatypes and fields, as in `compat` in the configuration. */
  readonly compat: Readonly<Record<string, NonNullable<ImportedSite['types'][number]['compat']>>>
  /** Whether the configuration has these names now. If not, a person must add them. */
  readonly compat_stored: boolean
}
