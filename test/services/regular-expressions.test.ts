import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, Script } from 'node:vm'
import { expect, it } from 'vitest'
import { parseAst } from 'vitest/node'
import { z } from 'zod'

/** As long as no caller's text is that reaches an expression. */
const length = 100_000
/** In this time 100 KB are read some thousand times, and not once by who looks at them again from each place. */
const patience = 3000

interface Found {
  where: string
  pattern: string
  flags: string
}

/** One that is built when it is needed, with an `x` for what is put into it. @throws where its text cannot be seen */
function builtExpression(where: string, [text, flags]: readonly Argument[]): Found {
  const literal = typeof text?.value === 'string' ? text.value : undefined
  const pattern = text?.quasis?.map(({ value }) => value.cooked).join('x') ?? literal
  if (pattern === undefined) throw new Error(`${where} builds an expression of a text that is not there`)
  return { where, pattern, flags: typeof flags?.value === 'string' ? flags.value : '' }
}

interface Argument {
  value?: unknown
  quasis?: { value: { cooked: string } }[]
}

/** Every regular expression that is written in a file, or built in it. */
function expressionsOf(file: string): Found[] {
  const found: Found[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if ('regex' in node) found.push({ where: file, ...(node.regex as Omit<Found, 'where'>) })
    const { type, callee } = node as { type?: string; callee?: { name?: string } }
    if (/^(New|Call)Expression$/.test(type ?? '') && callee?.name === 'RegExp')
      found.push(builtExpression(file, (node as { arguments?: Argument[] }).arguments ?? []))
    for (const inner of Object.values(node)) visit(inner)
  }
  visit(parseAst(readFileSync(file, 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts' }))
  return found
}

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter(name => /\.tsx?$/.test(name))
  .map(name => join('src', name))

/** Those of the schema library that the product's schemas use. */
const fromLibrary = Object.entries({
  email: z.regexes.email,
  date: z.regexes.date,
  time: z.regexes.datetime({ offset: true }),
}).map(([name, { source, flags }]) => ({ where: name, pattern: source, flags }))

/** Whether it repeats a part. One that does not reads a few characters from each place of a text, whatever the text is. */
const repeats = ({ pattern }: Found): boolean =>
  /[*+{]/.test(pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, ''))

/** What is repeated: each character and each pair of the expression, and what paths, forms and texts are made of. */
function pieces(pattern: string): Set<string> {
  const plain = pattern.replaceAll('\\', '')
  const found = new Set([
    'a',
    'A',
    '0',
    ' ',
    '\n',
    '.',
    '-',
    '_',
    '/',
    '%',
    'ä',
    '\ud83d',
    '😀',
    'a.',
    '0.',
    '-a',
  ])
  for (let i = 0; i < plain.length; i++) {
    found.add(plain.charAt(i))
    found.add(plain.slice(i, i + 2))
  }
  return found
}

/** How the expression begins where that is plain text, so that it goes on to what comes then. */
const beginning = (pattern: string): string =>
  (/^\^?((?:\\[^\w]|[^\\^$.*+?()[\]{}|])*)/.exec(pattern)?.[1] ?? '').replaceAll('\\', '')

/** What is in front of the first element of XML. */
const beginningsOfXml = ['<!doctype svg', '<!doctype svg[', '<!--', '<?']

function* hostileTexts(pattern: string): Generator<string> {
  const starts = new Set([
    '',
    'x',
    beginning(pattern),
    ...(pattern.includes('doctype') ? beginningsOfXml : []),
  ])
  for (const piece of pieces(pattern)) {
    const run = piece.repeat(length / piece.length)
    for (const start of starts) yield `${start}${run}\u0001x`
  }
}

const context = createContext({ expression: /x/, text: '' })
const replaced = new Script("text.replace(expression, '')")

it('reads a text in a time that grows with its length, by whatever expression', () => {
  const all = [...sources.flatMap(expressionsOf), ...fromLibrary]
  expect(all.length).toBeGreaterThan(80)
  expect(all.map(({ pattern }) => pattern)).toContain('</x(?=[\\s/>])')
  const repeating = all.filter(repeats)
  expect(repeating.length).toBeGreaterThan(80)
  const isTried = (pattern: string) => repeats({ where: '', pattern, flags: '' })
  expect(['[*+{]\\*(?:a|b)?$', '\\[a*', '[\\]]+', '(?:a{1,9}){1,9}'].map(isTried)).toEqual([
    false,
    true,
    true,
    true,
  ])
  const slow = repeating.flatMap(({ where, pattern, flags }) => {
    context.expression = new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`)
    for (const text of hostileTexts(pattern)) {
      context.text = text
      try {
        replaced.runInContext(context, { timeout: patience })
      } catch {
        return [`${where}: /${pattern}/ on ${JSON.stringify(text.slice(0, 10))}…`]
      }
    }
    return []
  })
  expect(slow).toEqual([])
})
