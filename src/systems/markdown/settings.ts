import { parse as parseToml } from 'smol-toml'
import { limits } from '../../limits.js'
import type { ExportFiles } from '../../services/import/site.js'
import { isObject, memberOf, memberText } from '../imports.js'
import { yaml } from './front-matter.js'

/** The settings of a site generator that say where pages are. */
export interface SiteSettings {
  readonly isJekyll: boolean
  readonly isEleventy: boolean
  /** The address of the site. */
  readonly base: URL | undefined
  readonly language: string | undefined
  /** The pattern of addresses in a section, such as `/:year/:title/`. */
  patternFor(section: string): string | undefined
}

const candidates = [
  ...['hugo', 'config', 'config/_default/hugo', 'config/_default/config'].flatMap(name =>
    ['toml', 'yaml', 'yml', 'json'].map(ending => `${name}.${ending}`),
  ),
  ...['_config.yml', '_config.yaml'],
]

async function settingsIn(files: ExportFiles, folder: string): Promise<unknown> {
  const name = candidates.find(one => files.names.includes(`${folder}${one}`))
  if (name === undefined) return {}
  try {
    const text = await files.text(`${folder}${name}`, limits.imports.pageBytes)
    return name.endsWith('.toml') ? parseToml(text) : yaml(text)
  } catch {
    // They only help: without them addresses are those of the files.
    return {}
  }
}

const styles: Readonly<Record<string, string>> = {
  date: '/:categories/:year/:month/:day/:title',
  pretty: '/:categories/:year/:month/:day/:title/',
  ordinal: '/:categories/:year/:y_day/:title',
  none: '/:categories/:title',
}

/** @param folder of the project, with `/` at its end, or `''` */
export async function siteSettings(files: ExportFiles, folder: string): Promise<SiteSettings> {
  const has = (pattern: RegExp) =>
    files.names.some(name => name.startsWith(folder) && pattern.test(name.slice(folder.length)))
  const settings = await settingsIn(files, folder)
  const isJekyll = has(/^_config\.ya?ml$/) || has(/^(?:[^/]+\/)*_posts\//)
  const address = memberText(settings, 'baseURL') ?? memberText(settings, 'url')
  const own = memberText(settings, 'permalink') ?? 'date'
  const perSection = memberOf(settings, 'permalinks')
  const pages = memberOf(perSection, 'page')
  const collections = memberOf(settings, 'collections')
  return {
    isJekyll,
    isEleventy: has(/^(?:\.eleventy|eleventy\.config)\.[cm]?js$/),
    base:
      address !== undefined && /^https?:/i.test(address) && URL.canParse(address)
        ? new URL(address)
        : undefined,
    language:
      memberText(settings, 'defaultContentLanguage') ??
      memberText(settings, 'languageCode') ??
      memberText(settings, 'locale') ??
      memberText(settings, 'lang'),
    patternFor(section) {
      if (!isJekyll)
        return (isObject(pages) ? memberText(pages, section) : undefined) ?? memberText(perSection, section)
      const ofCollection = memberText(memberOf(collections, section), 'permalink')
      return ofCollection ?? (section === 'posts' ? (styles[own] ?? own) : undefined)
    },
  }
}
