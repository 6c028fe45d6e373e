import { Marked } from 'marked'
import { limits } from '../../limits.js'
import type { Notes } from '../../services/import/notes.js'
import { type Size, sizeOfText } from '../../services/import/size.js'
import { linkedHtml } from '../linked-html.js'
import { escapeHtml } from '../marks.js'

const markdown = new Marked({ gfm: true, async: false })

const attribute = (text: string, name: string): string => {
  const [, quoted, single] = new RegExp(`\\b${name}=(?:"([^"]*)"|'([^']*)')`).exec(text) ?? []
  return quoted ?? single ?? ''
}

/** The figure of Hugo as HTML. */
function figure(settings: string): string {
  const [src, alt, caption] = ['src', 'alt', 'caption'].map(name => attribute(settings, name))
  const image = `<img src="${escapeHtml(src ?? '')}" alt="${escapeHtml(alt || caption || '')}">`
  return caption ? `<figure>${image}<figcaption>${escapeHtml(caption)}</figcaption></figure>` : image
}

/** Replaces instructions of generators: links to pages, the address of the site, code and figures. */
const replaced = (text: string): string =>
  text
    .replaceAll(/\{\{[<%]\s{0,9}(?:rel)?ref\s{1,9}"([^"\n]{1,500})"\s{0,9}[>%]\}\}/g, '$1')
    .replaceAll(/\{\{<\s{0,9}figure\s([^\n]{1,2000}?)\s{0,9}\/?>\}\}/g, (_, settings: string) =>
      figure(settings),
    )
    .replaceAll(/\{%-?\s{0,9}post_url\s{1,9}([^\s%]{1,300})\s{0,9}-?%\}/g, '/_posts/$1.md')
    .replaceAll(/\{%-?\s{0,9}link\s{1,9}([^\s%]{1,300})\s{0,9}-?%\}/g, '/$1')
    .replaceAll(/\{\{-?\s{0,9}site\.(?:baseurl|url)\s{0,9}-?\}\}/g, '')
    .replaceAll(
      /\{\{-?\s{0,9}["']([^"'\n]{1,500})["']\s{0,9}\|\s{0,9}(?:relative|absolute)_url\s{0,9}-?\}\}/g,
      '$1',
    )
    .replaceAll(/\{%-?\s{0,9}highlight\s{1,9}([a-z0-9+#-]{1,30})[^%\n]{0,100}%\}\n?/gi, '\n```$1\n')
    .replaceAll(/\{%-?\s{0,9}(?:end)?raw\s{0,9}-?%\}/g, '')
    .replaceAll(/\n?\{%-?\s{0,9}endhighlight\s{0,9}-?%\}/gi, '\n```\n')

/** A text without its fenced code, whose lines are neither headings nor instructions of templates. */
function withoutCode(text: string): string {
  let fence = ''
  const kept = text.split('\n').filter(line => {
    if (fence === '') {
      fence = /^(?:`{3,}|~{3,})/.exec(line)?.[0] ?? ''
      return fence === ''
    }
    if (line.startsWith(fence) && line.slice(fence.length).trim() === '') fence = ''
    return false
  })
  return kept.join('\n')
}

/** Without the imports and exports of MDX, which are lines of a program. */
const withoutProgram = (text: string): string => text.replaceAll(/^(?:import|export)\s[^\n]*$/gm, '')

export interface BodyWorld {
  readonly notes: Notes
  addressOf(address: string, of: 'link' | 'picture', alt: string): string | undefined
}

export interface Body {
  readonly html: string
  /** As the export has it. */
  readonly size: Size
}

/** @param name of the file, for notes @throws Error with the reason for a text that cannot be read */
export function bodyOf(given: string, name: string, { notes, addressOf }: BodyWorld): Body {
  if (given.length > limits.content.richTextCharacters)
    throw new Error(`the text is longer than ${limits.content.richTextCharacters} characters`)
  const isProgram = /\.mdx$/i.test(name)
  if (isProgram) notes.add('MDX components are left out, and their text stays', name)
  const text = replaced(isProgram ? withoutProgram(given) : given)
  const prose = withoutCode(text)
  for (const [, shown = ''] of prose.matchAll(/(\{\{[<%]\s{0,9}\/?[\w-]{1,40}|\{%-?\s{0,9}\w{1,40})/g))
    notes.add('Shortcodes stay as text', shown.replaceAll(/\s+/g, ' '))
  let html: string
  try {
    html = markdown.parse(text) as string
  } catch {
    throw new Error('the text is nested too deeply')
  }
  return { html: linkedHtml(html, addressOf, { notes, place: name }), size: sizeOfText(html) }
}

/** The first heading of a text, for pages without a title. */
export const headingOf = (text: string): string | undefined =>
  /^#[ \t]+(\S[^\n]{0,300}?)[ \t#]*$/m.exec(withoutCode(text))?.[1]?.trim()
