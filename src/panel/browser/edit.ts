/** For front ends: turns texts of a preview into links to where they are edited. Served as `/admin/edit.js`. */
const own = new URL((document.currentScript as HTMLScriptElement).src).origin
/** Set by the build from the texts of the panel, by language. */
declare const editWords: Readonly<Record<string, string>>

/** The word of the link in the reader's language: the page around it may have a different one. */
function editWord(): string {
  for (const tag of navigator.languages) {
    const word = editWords[tag.split('-')[0] ?? '']
    if (word !== undefined) return word
  }
  return editWords.en ?? ''
}

const digits = ['\u200b', '\u200c', '\u200d', '\ufeff']
const marks = /\u200b{4}[\u200b-\u200d\ufeff]+/g
const hrefs = new WeakMap<Element, string>()

function hrefIn(mark: string): string | undefined {
  try {
    const bytes = new Uint8Array((mark.length - 4) / 4)
    for (let i = 0; i < bytes.length; i++)
      for (let j = 0; j < 4; j++)
        bytes[i] = ((bytes[i] as number) << 2) | digits.indexOf(mark[4 + i * 4 + j] as string)
    const { origin, href } = JSON.parse(new TextDecoder().decode(bytes))
    const { pathname, search, hash } = new URL(href, own)
    // A mark in a text that somebody has written leads to the panel and nowhere else.
    const isOurs = origin === 'slugline' && pathname.startsWith('/admin/')
    return isOurs ? own + pathname + search + hash : undefined
  } catch {
    return undefined
  }
}

/** Removes the marks from a text. @returns the text without them */
function read(text: string | null, element: Element): string | undefined {
  const [mark] = text?.match(marks) ?? []
  if (text === null || mark === undefined) return undefined
  const href = hrefIn(mark)
  if (href !== undefined) hrefs.set(element, href)
  return text.replace(marks, '')
}

function readAll(root: Node): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  for (let node: Node | null = root; node; node = walker.nextNode()) {
    if (node instanceof Element)
      for (const name of ['alt', 'title', 'aria-label', 'content']) {
        const clean = read(node.getAttribute(name), node)
        if (clean !== undefined) node.setAttribute(name, clean)
      }
    else if (node instanceof Text && node.parentElement) {
      const clean = read(node.data, node.parentElement)
      if (clean !== undefined) node.data = clean
    }
  }
}

const link = document.createElement('a')
link.textContent = editWord()
link.target = 'slugline'
link.style.cssText =
  'position:absolute;z-index:2147483647;padding:2px 8px;border-radius:4px;background:#005fa8;color:#fff;font:600 13px/1.5 system-ui;text-decoration:none'

function show({ target }: Event): void {
  for (let at = target instanceof Element ? target : null; at; at = at.parentElement) {
    const href = hrefs.get(at)
    if (href === undefined) continue
    const { left, top } = at.getBoundingClientRect()
    link.href = href
    link.style.left = `${left + scrollX}px`
    link.style.top = `${Math.max(0, top + scrollY - 24)}px`
    document.body.append(link)
    return
  }
}

readAll(document.documentElement)
new MutationObserver(changes => {
  for (const { target, addedNodes } of changes) {
    if (target instanceof Text) readAll(target)
    for (const node of addedNodes) readAll(node)
  }
}).observe(document.documentElement, { subtree: true, childList: true, characterData: true })
addEventListener('pointerover', show)
addEventListener('focusin', show)
