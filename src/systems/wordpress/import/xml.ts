import { SaxesParser } from 'saxes'
import { badRequest } from '../../../errors.js'

/** An element of an XML document. */
export interface XmlElement {
  /** With its prefix, such as `wp:post_id`. */
  readonly name: string
  /** The line in which it begins. */
  readonly line: number
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  readonly text: string
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[]
  text: string
}

const maxDepth = 50

// biome-ignore lint/suspicious/noControlCharactersInRegex: what XML does not allow, and exports have nevertheless
const noText = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const noAttributes: ReadonlyMap<string, string> = new Map()

/** Characters that are parsed at once. */
const pieceLength = 65_536

async function* piecesOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let [piece, isFirst] = ['', true]
  for await (const line of lines) {
    piece += isFirst ? line : `\n${line}`
    isFirst = false
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
  }
  yield piece
}

/**
 * Reads an XML document. Entities are those of XML itself and numbers, for a document type, which could declare others,
 * is refused.
 * @param name of the file, for error messages
 * @param take gets each element two levels below the outermost one when it ends. One that it takes is in no list of
 * children, so that a large document is never in memory as a whole
 * @returns its outermost element
 * @throws HttpError 400 that names the line
 */
export async function parseXml(
  lines: AsyncIterable<string>,
  name: string,
  take: (element: XmlElement) => boolean,
): Promise<XmlElement> {
  const parser = new SaxesParser({ fileName: name })
  const problem = (message: string) => badRequest(`${name}, line ${parser.line}: ${message}`)
  const open: OpenElement[] = []
  let root: XmlElement | undefined
  const add = (text: string) => {
    const top = open.at(-1)
    if (top) top.text += text
  }
  parser.on('error', error => {
    throw problem(`${error.message.replace(/^.*?:\d+:\d+: /, '')}: the export is damaged or incomplete`)
  })
  parser.on('doctype', () => {
    throw problem('it contains a DOCTYPE declaration, which is not supported')
  })
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    if (!/^(?:utf-?8|us-ascii)$/i.test(encoding)) throw problem(`it is in ${encoding}, and must be in UTF-8`)
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length >= maxDepth) throw problem(`it has more than ${maxDepth} levels`)
    const element = {
      ...{
        name,
        line: parser.line,
        attributes: Object.keys(attributes).length === 0 ? noAttributes : new Map(Object.entries(attributes)),
      },
      ...{ children: [], text: '' },
    }
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', () => {
    const element = open.pop()
    if (element && open.length === 2 && take(element)) open.at(-1)?.children.pop()
  })
  for await (const piece of piecesOf(lines)) parser.write(piece.replaceAll(noText, ''))
  parser.close()
  if (!root) throw problem('it has no element')
  return root
}
