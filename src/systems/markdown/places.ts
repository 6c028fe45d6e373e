import { trimmed } from '../../services/text.js'

/** Where a page is in the folder. */
export interface Place {
  /** The name of the file in the export. */
  readonly name: string
  /** The part that all languages of the page share. */
  readonly page: string
  readonly language: string | undefined
  /** Folders and the name of the page, without language and `index`. */
  readonly parts: readonly string[]
  /** The first folder: `posts` for `_posts`; `''` for a page at the top. */
  readonly section: string
  /** The day that the name of the file begins with. */
  readonly day: string | undefined
  readonly isDraft: boolean
}

export const isPage = (name: string): boolean => /\.(?:md|mdx|markdown)$/i.test(name)

/** Folders of programs and themes, whose Markdown is not content. */
const ofPrograms =
  /(?:^|\/)(?:node_modules|vendor|themes|__MACOSX|\.[^/]+|_site|_layouts|_includes|_data|_sass|layouts|archetypes|bower_components)\//
const aboutTheProject =
  /^(?:readme|licen[cs]e|changelog|contributing|code_of_conduct|security|history|authors|pull_request_template)(?:\.[^/]*)?\.md$/i
const contentFolders = ['src/content/', 'content/', 'src/data/', 'source/', 'src/']
const ofProject =
  /^(?:src\/|content\/|_posts\/|source\/|_config\.ya?ml$|package\.json$|(?:hugo|config)\.(?:toml|ya?ml|json)$|config\/)/

/** Finds the folder of the project and, in it, that of the content. Both end in `/`, or are empty. */
export function rootsOf(names: readonly string[]): { readonly project: string; readonly content: string } {
  const own = names.filter(name => !/(?:^|\/)(?:\.|__MACOSX\/)/.test(name))
  const top = `${own[0]?.split('/')[0] ?? ''}/`
  const isWhole =
    own.every(name => name.startsWith(top)) && own.some(name => ofProject.test(name.slice(top.length)))
  const project = isWhole ? top : ''
  const pages = own
    .filter(name => isPage(name) && !ofPrograms.test(name))
    .map(name => name.slice(project.length))
  const content = contentFolders.find(folder => pages.some(name => name.startsWith(folder))) ?? ''
  return { project, content: `${project}${content}` }
}

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

/** The name of a language in English; undefined for other words. */
export function languageName(code: string): string | undefined {
  if (!/^[a-z]{2,3}(?:-[a-z0-9]{2,4})?$/i.test(code)) return undefined
  try {
    return languages.of(code)
  } catch {
    return undefined
  }
}

/** Folders of languages: two or more of them have pages of the same name. */
function languageFolders(names: readonly string[]): ReadonlySet<string> {
  const byRest = new Map<string, Set<string>>()
  for (const name of names) {
    const [, first = '', rest = ''] = /^([^/]+)\/(.+)$/.exec(name) ?? []
    if (languageName(first) === undefined) continue
    const known = byRest.get(rest) ?? new Set()
    byRest.set(rest, known.add(first))
  }
  return new Set([...byRest.values()].filter(({ size }) => size > 1).flatMap(found => [...found]))
}

const withoutEnding = (name: string): string => name.replace(/\.[^./]+$/, '')

function suffixOf(name: string): { readonly rest: string; readonly language: string } | undefined {
  const [, rest = '', language = ''] =
    /^(.*[^/])\.([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,4})?)$/.exec(withoutEnding(name)) ?? []
  return languageName(language) === undefined ? undefined : { rest, language }
}

/** The pages in a folder of content, and the Markdown that is no content. */
export function placesIn(names: readonly string[], { project, content }: ReturnType<typeof rootsOf>) {
  const all = names.filter(name => isPage(name) && name.startsWith(project))
  const isContent = (name: string): boolean => {
    const inside = name.slice(content.length)
    return name.startsWith(content) && !ofPrograms.test(inside) && !aboutTheProject.test(inside)
  }
  const taken = all.filter(isContent).sort()
  const inside = taken.map(name => name.slice(content.length))
  const folders = languageFolders(inside)
  const stems = new Set(inside.map(withoutEnding))
  const counts = new Map<string, number>()
  for (const name of inside) {
    const rest = suffixOf(name)?.rest
    if (rest !== undefined) counts.set(rest, (counts.get(rest) ?? 0) + 1)
  }
  const places = taken.map((name): Place => {
    const path = name.slice(content.length)
    const first = path.split('/')[0] ?? ''
    const folder = folders.has(first) ? first : undefined
    const own = folder === undefined ? path : path.slice(folder.length + 1)
    const suffix = suffixOf(own)
    const isSuffixed = suffix && (stems.has(suffix.rest) || (counts.get(suffix.rest) ?? 0) > 1)
    const stem = isSuffixed ? suffix.rest : withoutEnding(own)
    return {
      ...placeOf(stem),
      name,
      page: stem,
      language: folder ?? (isSuffixed ? suffix.language : undefined),
    }
  })
  return { places, others: all.filter(name => !isContent(name) && !ofPrograms.test(name)) }
}

function placeOf(stem: string): Pick<Place, 'parts' | 'section' | 'day' | 'isDraft'> {
  const parts = stem.split('/')
  if (/^_?index$/i.test(parts.at(-1) ?? '')) parts.pop()
  const isDraft = parts.includes('_drafts')
  const section = parts.some(part => part === '_posts' || part === '_drafts')
    ? 'posts'
    : parts.length > 1 && !/\/_index$/.test(stem)
      ? trimmed(parts[0] ?? '', '_')
      : ''
  const day = /^\d{4}-\d\d-\d\d(?=-|$)/.exec(parts.at(-1) ?? '')?.[0]
  return { parts, section, day, isDraft }
}
