import { type ErrorCode, errorCodes } from '../../src/errors.js'
import {
  allSources,
  calleeOf,
  functionAround,
  isFrom,
  type Node,
  nameOfFunction,
  Resolver,
  type Source,
  sourceOf,
  type Unknown,
} from './source-strings.js'

/** A sentence that callers may read. `…` stands for a value. */
export interface ErrorSentence {
  readonly code: ErrorCode | 'start'
  readonly sentence: string
  readonly file: string
}

/** Classes of errors that are given their sentence: its position, and what stands before it. */
const classes: Readonly<Record<string, { at: number; before: string }>> = {
  QueryError: { at: 0, before: '' },
  SettingConflict: { at: 3, before: 'data.…: ' },
}

/** Returns the value of `error` in `{ error, member }`, one of several problems. */
function oneOfSeveral({ type, properties }: Node): Node | undefined {
  if (type !== 'ObjectExpression') return undefined
  const named = (name: string) => properties.find((one: Node) => one.key?.name === name)
  return named('member') && named('error')?.value
}

/** Takes the sentence from the end of a text without words of its own, such as `${member}: ${problem}`. */
function atEnd(node: Node | undefined): { last: Node | undefined; before: string } {
  const { type, quasis = [], expressions = [] }: Partial<Node> = node ?? {}
  const texts: string[] = quasis.map((part: Node) => part.value.cooked)
  const isAtEnd = type === 'TemplateLiteral' && texts.length > 2 && !/\p{L}/u.test(texts.join(''))
  if (!isAtEnd || texts.at(-1) !== '') return { last: node, before: '' }
  return { last: expressions.at(-1), before: texts.slice(0, -1).join('…') }
}

/** The functions of src/errors.ts that are given a sentence: their code, and the position of the sentence. */
function helpersOf(errors: Source): ReadonlyMap<string, { code: ErrorCode; at: number }> {
  const helpers = new Map<string, { code: ErrorCode; at: number }>()
  for (const node of errors.nodes) {
    if (node.type !== 'NewExpression' || node.callee.name !== 'HttpError') continue
    const around = functionAround(node, errors)
    const name = around && nameOfFunction(around, errors)
    const [, code, sentence] = node.arguments
    if (!around || name === undefined || code.type !== 'Literal') continue
    const given = new Set(errors.nodes.filter(one => one.start >= sentence.start && one.end <= sentence.end))
    const at = around.params.findIndex((one: Node) =>
      [...given].some(({ type, name: own }) => type === 'Identifier' && own === (one.left ?? one).name),
    )
    const isFree = /^(?:message|problem)$/.test((around.params[at]?.left ?? around.params[at])?.name ?? '')
    if (isFree) helpers.set(name, { code: code.value, at })
  }
  return helpers
}

/** Methods of schemas whose last argument is the sentence of a refusal. */
const rules = new Set(['min', 'max', 'regex', 'refine', 'check', 'length', 'datetime', 'url', 'email', 'int'])
const types = new Set([
  'string',
  'int',
  'number',
  'boolean',
  'email',
  'array',
  'object',
  'record',
  'literal',
  'enum',
])

/** Returns the sentence that a schema is given for its refusal. */
function ofSchema(node: Node): Node | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined
  const { object, property } = node.callee
  const last: Node | undefined = node.arguments.at(-1)
  if (property.name === 'addIssue')
    return last?.properties?.find((one: Node) => one.key?.name === 'message')?.value
  const isType = object.name === 'z' && types.has(property.name)
  // `max` of numbers, not of a schema.
  if (object.name === 'Math') return undefined
  if (!last || !(isType || rules.has(property.name))) return undefined
  if (last.type === 'ObjectExpression')
    return last.properties.find((one: Node) => ['error', 'message'].includes(one.key?.name))?.value
  const isSentence =
    /Literal$|^ConditionalExpression$/.test(last.type) && (isType || node.arguments.length > 1)
  return isSentence && !(last.type === 'Literal' && typeof last.value !== 'string') ? last : undefined
}

/** Returns every sentence of an error in the source, and the places whose sentence is not known. */
export function errorSentences(): { sentences: readonly ErrorSentence[]; unknown: readonly Unknown[] } {
  const errors = sourceOf('src/errors.ts')
  const helpers = helpersOf(errors)
  const resolver = new Resolver()
  const sentences: ErrorSentence[] = []
  const add = (code: ErrorSentence['code'], node: Node | undefined, source: Source, member = '') => {
    const { last, before } = atEnd(node)
    for (const sentence of resolver.of(last, source))
      sentences.push({ code, sentence: `${member}${before}${sentence}`, file: source.file })
  }
  for (const source of allSources())
    for (const node of source.nodes) {
      const called = node.type === 'CallExpression' || node.type === 'NewExpression' ? calleeOf(node) : ''
      const helper = node.type === 'CallExpression' ? helpers.get(called) : undefined
      const isOurs = helper && node.callee.type === 'Identifier' && isFrom(called, source, errors)
      if (helper && isOurs) {
        const [given] = node.arguments
        const member = called === 'invalid' ? `${memberOf(given, resolver, source)}: ` : ''
        add(helper.code, node.arguments[helper.at], source, member)
      } else if (called === 'HttpError' && node.type === 'NewExpression') {
        const [, code, sentence] = node.arguments
        const around = functionAround(node, source)
        const isHelper = source === errors && helpers.has((around && nameOfFunction(around, source)) ?? '')
        const isSeveral = around && nameOfFunction(around, source) === 'allInvalid'
        if (code.type === 'Literal' && !isHelper && !isSeveral) add(code.value, sentence, source)
        else if (isHelper && around)
          for (const one of around.params)
            if (one.type === 'AssignmentPattern') add(code.value, one.right, source)
      } else if (called === 'ConfigError') add('start', node.arguments[0], source)
      else if (node.type === 'NewExpression' && classes[called])
        add('invalid', node.arguments[classes[called].at], source, classes[called].before)
      else if (oneOfSeveral(node)) add('invalid', oneOfSeveral(node), source)
      else if (ofSchema(node)) add('invalid', ofSchema(node), source, '…: ')
    }
  const schemas = sourceOf('src/services/sentences.ts')
  add(
    'invalid',
    schemas.nodes.find(one => one.id?.name === 'sentenceOf'),
    schemas,
    '…: ',
  )
  return { sentences, unknown: resolver.unknown }
}

function memberOf(node: Node, resolver: Resolver, source: Source): string {
  if (node.type !== 'Literal' && node.type !== 'TemplateLiteral') return '…'
  return resolver.of(node, source).join()
}

const areas: readonly (readonly [title: string, path: RegExp])[] = [
  ['Accounts', /^src\/services\/accounts\//],
  ['Content and its model', /^src\/services\/(?:content|model|review)\//],
  ['Delivery, queries and search', /^src\/services\/delivery\//],
  ['Media', /^src\/services\/media\//],
  ['Webhooks', /^src\/services\/webhooks\//],
  ['Imports', /^src\/(?:services\/import|systems\/\w+\/import|systems\/(?:csv|ghost|markdown))\//],
  ['APIs of other systems', /^src\/systems\//],
  ['Operation', /^src\/(?:services\/operation|node|db|config)/],
  ['Panel and terminal', /^src\/(?:panel|resources|ssh)\//],
  ['Requests', /^src\//],
]

const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].sort((a, b) => (a < b ? -1 : 1))

function byArea(found: readonly ErrorSentence[]): string[] {
  const rest = new Set(found)
  return areas.flatMap(([title, path]) => {
    const own = [...rest].filter(({ file }) => path.test(file))
    for (const one of own) rest.delete(one)
    const texts = sorted(own.map(({ sentence }) => sentence))
    return texts.length > 0 ? [`### ${title}`, '', '```', ...texts, '```', ''] : []
  })
}

/** docs/error-sentences.md, from the source. */
export function errorSentencesDocument(): string {
  const { sentences } = errorSentences()
  const sections = [...Object.keys(errorCodes), 'start'].flatMap(code => {
    const own = sentences.filter(one => one.code === code && /\p{L}{2}/u.test(one.sentence))
    if (own.length === 0) return []
    const isShort = new Set(own.map(({ sentence }) => sentence)).size <= 20
    const list = isShort ? ['```', ...sorted(own.map(({ sentence }) => sentence)), '```', ''] : byArea(own)
    return [code === 'start' ? '## At start' : `## \`${code}\``, '', ...list]
  })
  return `# Error sentences

All sentences of errors, by code. \`…\` stands for a value. Programs check the [code](errors.md), because a sentence may
change in any version.

This page is generated from the source by \`npm run docs\`.

${sections.join('\n').trimEnd()}
`
}
