import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'vitest/node'

/** A text in the source, and its place. */
export interface SourceText {
  readonly text: string
  readonly place: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [member: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value

/** @param isLeft leaves a node out, with everything in it */
function nodesIn(value: unknown, isLeft: (node: Node) => boolean = () => false): Node[] {
  if (Array.isArray(value)) return value.flatMap(one => nodesIn(one, isLeft))
  if (!isNode(value) || isLeft(value)) return []
  return [value, ...Object.values(value).flatMap(one => nodesIn(one, isLeft))]
}

/** Returns the words of a literal; of a template those around its values. */
function wordsOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'JSXExpressionContainer') return wordsOf(node.expression)
  if (node.type !== 'TemplateLiteral') return undefined
  return nodesIn(node.quasis)
    .map(({ value }) => Object(value).cooked)
    .join('…')
}

const nameOf = (node: unknown): string => {
  const { type, name, value, property } = Object(node)
  if (type === 'MemberExpression') return nameOf(property)
  return String(name ?? value ?? '')
}

/** Attributes and members that a reader sees or hears. */
const shownNames = new Set([
  'aria-label',
  'title',
  'placeholder',
  'alt',
  'about',
  'does',
  'label',
  'one',
  'hint',
  'word',
  'empty',
  'none',
])
/** Functions of the scripts that show their first argument. */
const showing = new Set([
  ...['say', 'status', 'button', 'tell'],
  ...['complain', 'confirmView', 'formView', 'pageView', 'toldView'],
])

/** Returns the literal that a node shows to the reader. */
function shownBy(node: Node): unknown {
  if (node.type === 'JSXText') return { ...node, type: 'Literal' }
  if (node.type === 'JSXAttribute' || node.type === 'Property')
    return shownNames.has(nameOf(node.name ?? node.key)) ? node.value : undefined
  const [first, second] = (node.arguments as unknown[] | undefined) ?? []
  if (node.type === 'AssignmentExpression')
    return nameOf(node.left) === 'textContent' ? node.right : undefined
  if (node.type !== 'CallExpression') return undefined
  if (nameOf(node.callee) === 'setAttribute') return shownNames.has(wordsOf(first) ?? '') ? second : undefined
  return showing.has(nameOf(node.callee)) ? first : undefined
}

/** Returns both branches of a choice between literals. */
const branchesOf = (node: unknown): unknown[] => {
  const { type, consequent, alternate, left, right, expression } = Object(node)
  if (type === 'JSXExpressionContainer') return branchesOf(expression)
  if (type === 'ConditionalExpression') return [...branchesOf(consequent), ...branchesOf(alternate)]
  return type === 'LogicalExpression' ? [...branchesOf(left), ...branchesOf(right)] : [node]
}

const isWords = (text: string): boolean => /\p{L}{2}/u.test(text)

/** Calls whose texts are in a catalogue, in the log, or those of an error. */
const elsewhere = new Set(['t', 'count', 'warn', 'error', 'info', 'HttpError', 'ConfigError', 'tooLarge'])
const isElsewhere = (node: Node): boolean =>
  /^(?:Call|New)Expression$/.test(node.type) && elsewhere.has(nameOf(node.callee))

function read(file: string, isLeft?: (node: Node) => boolean): { nodes: Node[]; at(node: Node): string } {
  const source = readFileSync(file, 'utf8')
  return {
    nodes: nodesIn(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }), isLeft),
    at: ({ start }) => `${file}:${source.slice(0, start).split('\n').length}`,
  }
}

/** Returns the files of the source whose path matches, without declarations. */
export const filesOf = (pattern: RegExp): string[] =>
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map(file => join('src', file))
    .filter(file => pattern.test(file) && /\.(tsx?|mjs)$/.test(file) && !file.endsWith('.d.ts'))

/** Returns every string literal of files. */
export function literalsIn(files: readonly string[]): Set<string> {
  const literals = files.flatMap(file => read(file).nodes.flatMap(node => wordsOf(node) ?? []))
  return new Set(literals)
}

/** Returns the literals of files that a reader would see or hear as they are. */
export function shownTextsIn(files: readonly string[]): SourceText[] {
  return files.flatMap(file => {
    const { nodes, at } = read(file)
    return nodes.flatMap(node =>
      branchesOf(shownBy(node)).flatMap(literal => {
        const text = (wordsOf(literal) ?? '').replace(/\s+/g, ' ').trim()
        return isWords(text) ? [{ text, place: at(node) }] : []
      }),
    )
  })
}

/** Returns the literals of at least two words that are neither texts of a catalogue nor those of a log or an error. */
export function sentencesIn(files: readonly string[]): SourceText[] {
  return files.flatMap(file => {
    const { nodes, at } = read(file, isElsewhere)
    return nodes.flatMap(node => {
      const text = wordsOf(node) ?? ''
      return /\p{L}{2}[,:;.”]? \p{L}{2}/u.test(text) ? [{ text, place: at(node) }] : []
    })
  })
}
