import { isActive, parsed, styled, styleOf } from './document.js'

const meanings: readonly (readonly [style: RegExp, tag: string])[] = [
  [/font-weight:\s*(bold|[6-9]00)/i, 'strong'],
  [/font-style:\s*italic/i, 'em'],
  [/text-decoration[^;]*line-through/i, 's'],
  [/text-decoration[^;]*underline/i, 'u'],
  [/vertical-align:\s*super/i, 'sup'],
  [/vertical-align:\s*sub/i, 'sub'],
]

const isNormal = (element: Element) => /(^|[;\s])font-(weight|style):\s*(normal|400)/i.test(styleOf(element))

function wrapIn(element: Element, tag: string): void {
  const made = element.ownerDocument.createElement(tag)
  made.append(...element.childNodes)
  element.append(made)
}

/** Turns styles into elements. Removes a `b` or `i` of normal style, such as the outer `b` of Google Docs. */
function markByElements(body: HTMLElement): void {
  for (const element of body.querySelectorAll(styled)) {
    const isLink = element.closest('a') !== null
    for (const [style, tag] of meanings)
      if (style.test(styleOf(element)) && !(isLink && tag === 'u') && element.localName !== tag)
        wrapIn(element, tag)
    if ((element.localName === 'b' || element.localName === 'i') && isNormal(element))
      element.replaceWith(...element.childNodes)
  }
}

const listOf = (element: Element) => /mso-list:\s*l\d+\s+level(\d+)/i.exec(styleOf(element))

function takeMarker(item: Element): string {
  const markers = [...item.querySelectorAll(styled)].filter(one => /mso-list:\s*Ignore/i.test(styleOf(one)))
  const text = markers.map(marker => marker.textContent).join('')
  for (const marker of markers) marker.remove()
  return text
}

function makeLists(body: HTMLElement): void {
  let open: Element[] = []
  let last: Element | null = null
  for (const element of [...body.querySelectorAll('p, h1, h2, h3, h4, h5, h6')]) {
    const level = Number(listOf(element)?.[1] ?? 0)
    if (level === 0) continue
    if (last === null || element.previousElementSibling !== last) open = []
    const tag = /^\s*\(?([0-9]+|[a-z]|[ivx]+)[.)]/i.test(takeMarker(element)) ? 'ol' : 'ul'
    const item = element.ownerDocument.createElement('li')
    item.append(...element.childNodes)
    open = open.slice(0, level)
    while (open.length < level) {
      const list = element.ownerDocument.createElement(tag)
      const above = open.at(-1)
      if (!above) element.before(list)
      else
        (above.lastElementChild ?? above.appendChild(element.ownerDocument.createElement('li'))).append(list)
      open.push(list)
    }
    open.at(-1)?.append(item)
    element.remove()
    last = open[0] ?? null
  }
}

function nestLists(body: HTMLElement): void {
  for (const list of body.querySelectorAll('ul > ul, ul > ol, ol > ul, ol > ol'))
    list.previousElementSibling?.append(list)
}

const silent = /<!--[\s\S]*?-->|<!\[[^>]*>|<(style|script|svg|math|xml)\b[\s\S]*?<\/\1\s*>/gi

/** Returns HTML without the parts that a browser would act upon. */
export function quieted(html: string): string {
  const text = html.replaceAll(silent, '')
  return isActive(text) ? text.replaceAll(/<\/?(style|svg|math)\b/gi, '<span') : text
}

export interface Pasted {
  readonly html: string
  /** How many pictures are left out: files of another computer, and pictures of other sites. */
  readonly leftOut: number
}

/**
 * Turns HTML from Word, Google Docs and web pages into the HTML that it means. The schema accepts only what it knows.
 * @param isOwn whether a picture of this address may be shown
 */
export function cleaned(html: string, isOwn: (address: string) => boolean): Pasted {
  const body = parsed(quieted(html))
  const foreign = [...body.querySelectorAll('img')].filter(image => !isOwn(image.getAttribute('src') ?? ''))
  for (const image of foreign) image.remove()
  const leftOut = foreign.length
  // Anything else that was copied in an editor needs no cleaning.
  if (html.includes('data-pm-slice')) return { html: leftOut === 0 ? html : body.innerHTML, leftOut }
  for (const element of body.querySelectorAll('title, meta, link, template, br.Apple-interchange-newline'))
    element.remove()
  makeLists(body)
  nestLists(body)
  markByElements(body)
  return { html: body.innerHTML, leftOut }
}
