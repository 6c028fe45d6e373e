import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAst } from 'vitest/node'
import { filesOf } from './source-texts.js'

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  // biome-ignore lint/suspicious/noExplicitAny: the members of a node follow from its type
  readonly [member: string]: any
}

export interface Source {
  readonly file: string
  readonly text: string
  readonly nodes: readonly Node[]
  readonly parents: ReadonlyMap<Node, Node>
}

/** A place in the source whose sentence is not known without running it. */
export interface Unknown {
  readonly place: string
  readonly source: string
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value

function read(file: string): Source {
  const text = readFileSync(file, 'utf8')
  const nodes: Node[] = []
  const parents = new Map<Node, Node>()
  const visit = (value: unknown, parent?: Node): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, parent)
    if (!isNode(value)) return
    nodes.push(value)
    if (parent) parents.set(value, parent)
    for (const member of Object.values(value)) visit(member, value)
  }
  visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }))
  return { file, text, nodes, parents }
}

const sources = new Map<string, Source>()
export function sourceOf(file: string): Source {
  const known = sources.get(file) ?? read(file)
  sources.set(file, known)
  return known
}

const isFunction = ({ type }: Node): boolean =>
  /^(?:ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(type)

/** Returns the function around a node, if there is one. */
export function functionAround(node: Node, { parents }: Source): Node | undefined {
  let at = parents.get(node)
  while (at && !isFunction(at)) at = parents.get(at)
  return at
}

export const nameOfFunction = (node: Node, { parents }: Source): string | undefined =>
  node.id?.name ?? parents.get(node)?.id?.name ?? parents.get(node)?.key?.name

/** Returns the source and the name of something imported. */
function importOf(
  name: string,
  { file, nodes }: Source,
): { source: Source; name: string } | 'package' | undefined {
  for (const node of nodes) {
    if (node.type !== 'ImportDeclaration') continue
    const path = String(node.source.value)
    for (const one of node.specifiers)
      if (one.local.name === name)
        return path.startsWith('.')
          ? {
              source: sourceOf(join(dirname(file), path).replace(/\.js$/, '.ts')),
              name: one.imported?.name ?? name,
            }
          : 'package'
  }
  return undefined
}

const isText = ({ type, value }: Node): boolean =>
  type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string')

/** Names of errors, and of what has no sentence. */
const passed = new Set(['error', 'undefined', 'z', 'Array', 'Number', 'Object', 'String', 'Math', 'JSON'])

/** Resolves an expression to the sentences that it can be. */
export class Resolver {
  readonly unknown: Unknown[] = []
  readonly #open = new Set<Node>()

  of(node: Node | undefined | null, source: Source): string[] {
    if (!node || this.#open.has(node)) return []
    this.#open.add(node)
    const found = this.#resolved(node, source)
    this.#open.delete(node)
    return found
  }

  #resolved(node: Node, source: Source): string[] {
    switch (node.type) {
      case 'Literal':
        return typeof node.value === 'string' ? [node.value] : []
      case 'TemplateLiteral':
        return this.#template(node, source)
      case 'ArrayExpression':
        return node.elements.flatMap((one: Node) => this.of(one, source))
      case 'ConditionalExpression':
        return [...this.of(node.consequent, source), ...this.of(node.alternate, source)]
      case 'LogicalExpression':
        return [...(node.operator === '&&' ? [] : this.of(node.left, source)), ...this.of(node.right, source)]
      case 'BinaryExpression':
        return this.of(node.right, source)
      case 'NewExpression':
        return []
      case 'AwaitExpression':
      case 'UnaryExpression':
        return this.of(node.argument, source)
      case 'TSAsExpression':
      case 'TSNonNullExpression':
      case 'ChainExpression':
      case 'ParenthesizedExpression':
        return this.of(node.expression, source)
      case 'ObjectExpression':
        return this.#object(node, source)
      case 'Identifier':
        return this.#named(node.name, node, source)
      case 'MemberExpression':
        return this.#member(node, source)
      case 'CallExpression':
        return this.#called(node, source)
      default:
        return isFunction(node) ? this.#returned(node, source) : this.#give(node, source)
    }
  }

  #give(node: Node, { file, text }: Source): string[] {
    const line = text.slice(0, node.start).split('\n').length
    this.unknown.push({ place: `${file}:${line}`, source: text.slice(node.start, node.end) })
    return []
  }

  /** A choice between words is written out; any other value is `…`. */
  #template({ quasis, expressions }: Node, source: Source): string[] {
    const partOf = (node: Node): string[] =>
      node.type === 'ConditionalExpression' && [node.consequent, node.alternate].every(isText)
        ? this.of(node, source)
        : ['…']
    return expressions.reduce(
      (texts: string[], node: Node, i: number) =>
        texts.flatMap(text => partOf(node).map(part => text + part + quasis[i + 1].value.cooked)),
      [quasis[0].value.cooked],
    )
  }

  /** The sentence of `{ problem: '…' }`; otherwise every value of a table. */
  #object({ properties }: Node, source: Source): string[] {
    const own = properties.filter((one: Node) => ['problem', 'reason'].includes(one.key?.name))
    return (own.length > 0 ? own : properties).flatMap((one: Node) => this.of(one.value, source))
  }

  /** Looks a name up from the inside out: in each function around it, in the file, and where it is imported from. */
  #named(name: string, node: Node, source: Source): string[] {
    if (passed.has(name)) return []
    for (let at = functionAround(node, source); at; at = functionAround(at, source)) {
      const index = at.params.findIndex((one: Node) => bindsName(one.left ?? one, name))
      // A sentence that is taken out of another error is listed there.
      if (index >= 0)
        return name === 'message' && at.params[index].type === 'ObjectPattern'
          ? []
          : this.#parameter(at, index, source)
      const own = this.#bound(name, at, source)
      if (own) return own
    }
    const own = this.#bound(name, undefined, source)
    if (own) return own
    const imported = importOf(name, source)
    if (imported === 'package') return []
    if (imported) return this.#bound(imported.name, undefined, imported.source) ?? this.#give(node, source)
    return this.#give(node, source)
  }

  /** What a name is bound to in a function, or in the file. */
  #bound(name: string, around: Node | undefined, source: Source): string[] | undefined {
    const found = source.nodes.filter(one => bindingOf(one, name) && functionAround(one, source) === around)
    if (found.length === 0) return undefined
    return found.flatMap(one => this.of(boundValue(one, source), source))
  }

  /** The default of a parameter, and what the callers of its function give. */
  #parameter(at: Node, index: number, source: Source): string[] {
    const parameter = at.params[index]
    const called = nameOfFunction(at, source)
    return [
      ...(parameter.type === 'AssignmentPattern' ? this.of(parameter.right, source) : []),
      ...(called === undefined ? this.#give(parameter, source) : this.#givenTo(called, index, source)),
    ]
  }

  #givenTo(called: string, index: number, source: Source): string[] {
    const users = allSources().filter(one => one === source || isFrom(called, one, source))
    return users.flatMap(user =>
      user.nodes.flatMap(one =>
        one.type === 'CallExpression' && calleeOf(one) === called ? this.of(one.arguments[index], user) : [],
      ),
    )
  }

  #member(node: Node, source: Source): string[] {
    const { object, property, computed } = node
    if (!computed && ['message', 'error', 'sentence'].includes(property.name)) return []
    return this.of(object, source)
  }

  #called(node: Node, source: Source): string[] {
    const { callee } = node
    if (callee.type !== 'Identifier')
      return callee.object.type === 'NewExpression' ? [] : this.of(callee.object, source)
    if (callee.name === 't') return [String(node.arguments[0].value).replaceAll(/\{\w+\}/g, '…')]
    return this.#named(callee.name, node, source)
  }

  #returned({ body }: Node, source: Source): string[] {
    if (body.type !== 'BlockStatement') return this.of(body, source)
    const own = source.nodes.filter(
      one => one.type === 'ReturnStatement' && functionAround(one, source)?.body === body,
    )
    return own.flatMap(one => this.of(one.argument, source))
  }
}

const bindingOf = (node: Node, name: string): boolean =>
  (node.type === 'FunctionDeclaration' && node.id?.name === name) ||
  (node.type === 'VariableDeclarator' && bindsName(node.id, name)) ||
  (node.type === 'AssignmentExpression' && node.left.name === name)

/** Returns what a declaration or an assignment binds; of a loop the list that it goes through. */
function boundValue(node: Node, { parents }: Source): Node | undefined {
  if (node.type === 'FunctionDeclaration') return node
  if (node.type === 'AssignmentExpression') return node.right
  const declaration = parents.get(node)
  const loop = declaration && parents.get(declaration)
  return node.init ?? (loop?.left === declaration ? loop?.right : undefined)
}

/** Whether a pattern binds a name: itself, or a member that it takes apart. */
function bindsName(pattern: Node, name: string): boolean {
  if (pattern.type === 'Identifier') return pattern.name === name
  if (pattern.type === 'AssignmentPattern') return bindsName(pattern.left, name)
  if (pattern.type === 'ObjectPattern')
    return pattern.properties.some((one: Node) => bindsName(one.value ?? one.argument, name))
  return pattern.type === 'ArrayPattern' && pattern.elements.some((one: Node) => one && bindsName(one, name))
}

export const calleeOf = ({ callee }: Node): string => callee.name ?? callee.property?.name ?? ''

/** The sources that refuse something: neither commands, texts nor scripts. */
export const allSources = (): Source[] => refusing.map(sourceOf)
const refusing = filesOf(/^src\/(?!cli\/|texts\/|panel\/browser\/)/)

/** Whether a name in a source is imported from another one. */
export function isFrom(name: string, source: Source, other: Source): boolean {
  const found = importOf(name, source)
  return found !== undefined && found !== 'package' && found.source === other
}
