import { limits } from '../../limits.js'
import { escapeText, link } from './rich-text/markdown.js'

/** The text of https://llmstxt.org: a site for language models, as a list of its pages. */

/** A page in one locale. */
export interface ListedPage {
  readonly title: string
  /** Of its Markdown. */
  readonly url: string
  readonly description: string
}

export interface LlmsSection {
  readonly title: string
  readonly pages: readonly ListedPage[]
}

const longestDescription = 300

function oneLine(text: string): string {
  const one = text.replaceAll(/\s+/g, ' ').trim()
  if (one.length <= longestDescription) return escapeText(one, 'line')
  const cut = one.slice(0, longestDescription).replace(/[\ud800-\udbff]$/, '')
  const end = cut.lastIndexOf(' ')
  return `${escapeText(end > 0 ? cut.slice(0, end) : cut, 'line')}…`
}

const lineOf = ({ title, url, description }: ListedPage): string => {
  const more = oneLine(description)
  return `- ${link(oneLine(title), url, 'line')}${more === '' ? '' : `: ${more}`}\n`
}

/**
 * Returns the text with as many pages as it may have.
 * @param isCut whether the site has more pages than the sections
 */
export function llmsText(
  { name, summary, origin }: { readonly name: string; readonly summary: string; readonly origin: string },
  sections: readonly LlmsSection[],
  isCut: boolean,
): string {
  let text = `# ${oneLine(name)}\n`
  if (summary.trim() !== '') text += `\n> ${oneLine(summary)}\n`
  let isFull = isCut
  for (const { title, pages } of sections) {
    let own = ''
    for (const page of pages) {
      const line = lineOf(page)
      if (text.length + own.length + line.length > limits.pages.llmsCharacters) {
        isFull = true
        break
      }
      own += line
    }
    if (own !== '') text += `\n## ${oneLine(title)}\n\n${own}`
  }
  if (!isFull) return text
  return `${text}\n## More\n\n- ${link('Sitemap', `${origin}/sitemap.xml`, 'line')}: every page of the site\n`
}
