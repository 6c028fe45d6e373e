import type { Node } from 'prosemirror-model'
import type { EditorView } from 'prosemirror-view'
import type { Uploads } from './uploads.js'

/** The addresses of pictures that a paste may bring: those of this site, and those that the text already has. */
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

/** Whether HTML has words. Programs copy a picture of the text beside it; a picture alone has no words. */
function hasWords(html: string): boolean {
  return (
    html.replaceAll(/<(style|script|title)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->|<[^>]*>|\s|&nbsp;/gi, '') !== ''
  )
}

/** Uploads pasted files. @returns whether there were any */
export function pasteFiles({ clipboardData }: ClipboardEvent, uploads: Uploads): boolean {
  const files = [...(clipboardData?.files ?? [])]
  if (files.length === 0 || hasWords(clipboardData?.getData('text/html') ?? '')) return false
  uploads.take(files)
  return true
}

/** Uploads dropped files to the place under the pointer. @returns whether there were any */
export function dropFiles(view: EditorView, event: DragEvent, uploads: Uploads): boolean {
  const files = [...(event.dataTransfer?.files ?? [])]
  // A drag within the text moves the picture.
  if (files.length === 0 || view.dragging) return false
  event.preventDefault()
  const place = view.posAtCoords({ left: event.clientX, top: event.clientY })
  uploads.take(files, place?.pos ?? view.state.doc.content.size)
  return true
}
