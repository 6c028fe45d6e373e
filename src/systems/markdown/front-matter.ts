import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { isDeep } from '../../services/delivery/formats/typed-value.js'
import { isObject } from '../imports.js'

/** A file of Markdown: its settings at the top, and the text. */
export interface PageFile {
  readonly members: ReadonlyMap<string, unknown>
  readonly text: string
  /** False for a file without settings. */
  readonly hasMembers: boolean
}

const maxCharacters = 100_000
const maxDepth = 20
/** So often may a value be repeated by its name; the library counts what is in it too. */
const maxAliasCount = 100

const marks = [
  { start: '---', end: /^(?:---|\.\.\.)[ \t]*$/m, read: (text: string) => yaml(text) },
  { start: '+++', end: /^\+\+\+[ \t]*$/m, read: (text: string) => parseToml(text) },
] as const

/** Reads YAML; throws for other texts, and for one that grows when it is read. */
export const yaml = (text: string): unknown => parseYaml(text, { maxAliasCount, logLevel: 'silent' })

/** Dates of TOML as text, and without prototypes, as JSON has it. */
function plain(value: unknown): unknown {
  const json = JSON.stringify(value)
  if (json !== undefined && (json.length > 10 * maxCharacters || isDeep(json, maxDepth)))
    throw new Error(`is nested deeper than ${maxDepth} levels, or too long`)
  return json === undefined ? undefined : JSON.parse(json)
}

/** JSON at the top of a file, as Hugo has it: the object ends on a line of its own. */
function jsonPart(text: string): { readonly head: string; readonly rest: string } | undefined {
  const end = /^\}[ \t]*$/m.exec(text)
  if (!text.startsWith('{') || !end) return undefined
  const at = end.index + end[0].length
  return { head: text.slice(0, at), rest: text.slice(at) }
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  const members = plain(value) ?? {}
  if (!isObject(members)) throw new Error('is not a list of names and values')
  return new Map(Object.entries(members))
}

/** @throws Error with the reason for settings that cannot be read */
export function pageFile(given: string): PageFile {
  const text = given.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  for (const { start, end, read } of marks) {
    const first = text.indexOf('\n')
    if (!text.startsWith(start) || text.slice(0, first).trim() !== start) continue
    const rest = text.slice(first + 1)
    const found = end.exec(rest)
    if (!found) break
    if (found.index > maxCharacters)
      throw new Error(`the front matter is longer than ${maxCharacters} characters`)
    return {
      members: guarded(() => membersOf(read(rest.slice(0, found.index)))),
      text: rest.slice(found.index + found[0].length),
      hasMembers: true,
    }
  }
  const json = jsonPart(text)
  if (json && json.head.length <= maxCharacters)
    return { members: guarded(() => membersOf(JSON.parse(json.head))), text: json.rest, hasMembers: true }
  return { members: new Map(), text, hasMembers: false }
}

function guarded<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new Error(`the front matter cannot be read: ${reason.slice(0, 300)}`)
  }
}
