import { limits } from '../../limits.js'
import type { ExportFiles } from '../../services/import/site.js'
import type { UnreadRecords } from '../../services/import/unread.js'
import { looseTimeOf } from '../columns.js'
import { addressOf, type PageAddress } from './addresses.js'
import { type PageFile, pageFile } from './front-matter.js'
import { type Place, placesIn, rootsOf } from './places.js'
import { type SiteSettings, siteSettings } from './settings.js'

/** A page in one language. */
export interface Page extends PageFile {
  readonly place: Place
  readonly address: PageAddress
  readonly publishedAt: string | undefined
  readonly changedAt: string | undefined
  readonly isDraft: boolean
}

export interface Pages {
  readonly pages: readonly Page[]
  readonly settings: SiteSettings
  readonly roots: ReturnType<typeof rootsOf>
  /** Markdown outside of the content. */
  readonly others: readonly string[]
}

const dateNames = [
  'date',
  'publishDate',
  'pubDate',
  'pubDatetime',
  'datePublished',
  'published_at',
  'publishedAt',
]
const changeNames = [
  'lastmod',
  'updatedDate',
  'modDatetime',
  'last_modified_at',
  'updated',
  'modified',
  'updatedAt',
]

function timeIn(members: PageFile['members'], names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = members.get(name)
    if (typeof value === 'string' && looseTimeOf(value) !== undefined) return value
  }
  return undefined
}

/** The day as it is written, whatever the zone: addresses are made of it. */
const dayOf = (written: string | undefined): string | undefined =>
  written === undefined
    ? undefined
    : (/^\d{4}-\d\d-\d\d/.exec(written.trim())?.[0] ?? looseTimeOf(written)?.slice(0, 10))

const isYes = (value: unknown): boolean => value === true || value === 'true'
const isNo = (value: unknown): boolean => value === false || value === 'false'

function pageOf(file: PageFile, place: Place, settings: SiteSettings): Page {
  const { members } = file
  const written = timeIn(members, dateNames) ?? place.day
  const publishedAt = written === undefined ? undefined : looseTimeOf(written)
  const changed = timeIn(members, changeNames)
  return {
    ...file,
    place,
    address: addressOf(place, members, settings, dayOf(written)),
    publishedAt,
    changedAt: changed === undefined ? publishedAt : looseTimeOf(changed),
    isDraft: place.isDraft || isYes(members.get('draft')) || isNo(members.get('published')),
  }
}

/** Reads all pages. Those that cannot be read are left out. */
export async function readPages(files: ExportFiles, unread: UnreadRecords): Promise<Pages> {
  const roots = rootsOf(files.names)
  const settings = await siteSettings(files, roots.project)
  const { places, others } = placesIn(files.names, roots)
  const pages: Page[] = []
  for (const place of places)
    try {
      const text = await files.text(place.name, limits.imports.pageBytes)
      if (text.includes('\ufffd') || text.includes('\0')) throw new Error('is not UTF-8')
      pages.push(pageOf(pageFile(text), place, settings))
    } catch (error) {
      unread.add(place.name, error instanceof Error ? error.message : String(error))
    }
  return { pages, settings, roots, others }
}
