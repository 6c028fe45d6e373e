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

/**
 * Reads an XML document. Entities are those of XML itself and numbers, for a document type, which could declare others,
 * is refused.
 * @param name of the file, for error messages
 * @returns its outermost element
 * @throws HttpError 400 that names the line
 */
export function parseXml(xml: string, name: string): XmlElement {
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
      ...{ name, line: parser.line, attributes: new Map(Object.entries(attributes)) },
      ...{ children: [], text: '' },
    }
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', () => {
    open.pop()
  })
  parser.write(xml.replaceAll(noText, '')).close()
  if (!root) throw problem('it has no element')
  return root
}
