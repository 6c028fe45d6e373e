import { isObject } from '../systems/imports.js'

/** A value that is not the same in both systems. */
interface Difference {
  /** Where it is in the record, such as `fields.title`. */
  readonly path: string
  readonly old: unknown
  readonly new: unknown
}

/** How much of a record is the same. */
export interface Comparison {
  /** Of the values of the old record that the new one does not have as they are. */
  readonly percent: number
  readonly differences: readonly Difference[]
}

/** So many differences of a record are named. */
const mostNamed = 20
const mostCharacters = 200
const maxDepth = 100

/** Members that say where and when something was answered, and nothing that a page shows. */
const passedOver: ReadonlySet<string> = new Set([
  ...['_links', '_embedded', 'guid', 'class_list', 'comment_status', 'ping_status', 'template', 'meta'],
  ...['_rev', '_key', '_originalId', 'space', 'environment', 'revision', 'publishedVersion', 'metadata'],
])

/** Members of Strapi's files that say where and how each system stores them; their name and their texts are compared. */
const storageOfFile: ReadonlySet<string> = new Set([
  ...['hash', 'url', 'previewUrl', 'provider', 'provider_metadata', 'folderPath'],
  ...['createdAt', 'updatedAt', 'publishedAt'],
])

const isFile = (value: Readonly<Record<string, unknown>>): boolean =>
  typeof value.mime === 'string' && typeof value.hash === 'string' && typeof value.url === 'string'

const fileEnding = /\/([^/?#]+\.[a-z0-9]{2,5})(?:[?#].*)?$/i

/** An address without its host; of a file its name alone, because each system stores files in its own way. */
function addressOf(text: string): string {
  const file = fileEnding.exec(text)?.[1]
  return file === undefined ? text.replace(/^(?:https?:)?\/\/[^/]+/i, '').replace(/\/$/, '') : `file:${file}`
}

/** Text references that systems write differently. */
const decoded = (text: string): string =>
  text
    .replace(/&#(\d{1,7}|x[0-9a-f]{1,6});/gi, (_, code: string) => {
      const point = /^x/i.test(code) ? Number.parseInt(code.slice(1), 16) : Number(code)
      return point <= 0x10ffff ? String.fromCodePoint(point) : ' '
    })
    .replace(/&(?:nbsp|#160);/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

const straight = (text: string): string =>
  text
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[–—]|--+/g, '-')
    .replaceAll('…', '...')

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

/** The text as both systems would write it: of HTML its words, its links and its pictures. */
function sharedText(text: string): string {
  if (time.test(text)) return text.replace(/(?:\.\d+)?(?:Z|\+00:00)?$/, '')
  if (/^(?:https?:)?\/\/\S+$/i.test(text)) return addressOf(text)
  const targets = text.includes('<')
    ? [...text.matchAll(/\s(?:href|src)=["']([^"']*)["']/gi)].map(
        ([, to = '']) => ` ${addressOf(decoded(to))}`,
      )
    : []
  const words = decoded(text.replace(/<!--[\s\S]*?-->|<\/?[a-z][^>]*>/gi, ' '))
  return `${straight(words).replace(/\s+/g, ' ').trim()}${targets.join('')}`
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

const shown = (value: unknown): unknown => {
  if (value === undefined || typeof value === 'number' || typeof value === 'boolean') return value ?? null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : value
}

/** A value of the old record that is no list and no object, beside what the new one has in its place. */
type Pair = readonly [path: string, old: unknown, own: unknown]

const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

function membersOf(old: Readonly<Record<string, unknown>>): string[] {
  const isStored = isFile(old)
  return Object.keys(old).filter(name => !passedOver.has(name) && !(isStored && storageOfFile.has(name)))
}

function* pairsIn(old: unknown, own: unknown, path = '', depth = 0): Generator<Pair> {
  if (isEmpty(old) && isEmpty(own)) return
  if (depth < maxDepth && Array.isArray(old)) {
    const list = Array.isArray(own) ? own : []
    for (let i = 0; i < Math.max(old.length, list.length); i++)
      yield* pairsIn(old[i], list[i], `${path}[${i}]`, depth + 1)
  } else if (depth < maxDepth && isObject(old)) {
    for (const name of membersOf(old)) {
      const at = path === '' ? name : `${path}.${name}`
      yield* pairsIn(old[name], memberOf(own, name), at, depth + 1)
    }
  } else yield [path, old, own]
}

const isSame = (old: unknown, own: unknown): boolean =>
  typeof old === 'string' && typeof own === 'string' ? sharedText(old) === sharedText(own) : old === own

/** Compares what the old record has with the new one. Members that only the new one has disturb no front end. */
export function compareRecords(old: unknown, own: unknown): Comparison {
  const differences: Difference[] = []
  let [all, different] = [0, 0]
  for (const [path, was, is] of pairsIn(old, own)) {
    all++
    if (isSame(was, is)) continue
    different++
    if (differences.length < mostNamed) differences.push({ path, old: shown(was), new: shown(is) })
  }
  // One value of many is a difference, too.
  const percent = different === 0 ? 0 : Math.max(0.1, Math.round((different / all) * 1000) / 10)
  return { percent, differences }
}
