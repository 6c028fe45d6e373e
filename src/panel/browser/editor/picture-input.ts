import type { Node } from 'prosemirror-model'
import type { EditorView } from 'prosemirror-view'
import type { Uploads } from './uploads.js'

/** The addresses of pictures that a paste may bring: those of this site, and those that the text has already. */
export class PictureSources {
  private readonly known = new Set<string>()

  know(doc: Node): void {
    doc.descendants(node => {
      if (node.type.name === 'image') this.known.add(String(node.attrs.src))
    })
  }

  isOwn(address: string): boolean {
    if (this.known.has(address) || /^\/(?!\/)/.test(address)) return true
    const store = document.querySelector<HTMLElement>('[data-media-from]')?.dataset.mediaFrom
    return address.startsWith(`${location.origin}/`) || (!!store && address.startsWith(store))
  }
}

const unseen = ['style', 'script', 'title']

/**
 * Whether HTML has visible text. Programs copy a picture with the text around it; a picture alone has no words.
 * Looks for each end once, because a paste may be long.
 */
function hasWords(html: string): boolean {
  const lower = html.toLowerCase()
  let words = ''
  for (let at = 0; at < html.length; ) {
    const open = lower.indexOf('<', at)
    words += html.slice(at, open < 0 ? html.length : open)
    if (open < 0) break
    const name = unseen.find(one => lower.startsWith(`<${one}`, open))
    const end = lower.startsWith('<!--', open) ? '-->' : name === undefined ? '>' : `</${name}`
    const close = lower.indexOf(end, open)
    const last = close < 0 ? -1 : lower.indexOf('>', close)
    if (last < 0) break
    at = last + 1
  }
  return words.replaceAll('&nbsp;', ' ').trim() !== ''
}

/** Uploads files that are pasted. @returns whether there were some */
export function pasteFiles({ clipboardData }: ClipboardEvent, uploads: Uploads): boolean {
  const files = [...(clipboardData?.files ?? [])]
  if (files.length === 0 || hasWords(clipboardData?.getData('text/html') ?? '')) return false
  uploads.take(files)
  return true
}

/** Uploads files that are dropped, into the place under the pointer. @returns whether there were some */
export function dropFiles(view: EditorView, event: DragEvent, uploads: Uploads): boolean {
  const files = [...(event.dataTransfer?.files ?? [])]
  // A drag within the text moves it.
  if (files.length === 0 || view.dragging) return false
  event.preventDefault()
  const place = view.posAtCoords({ left: event.clientX, top: event.clientY })
  uploads.take(files, place?.pos ?? view.state.doc.content.size)
  return true
}
