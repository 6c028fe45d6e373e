import type { Node } from 'prosemirror-model'
import { Selection } from 'prosemirror-state'
import type { EditorView, NodeView } from 'prosemirror-view'
import type { Chosen } from '../chosen.js'
import { button, element } from '../elements.js'
import { say } from '../say.js'
import type { Upload } from '../send-file.js'
import { count as counted, t } from '../text.js'
import { pictureOf } from './dialogs.js'
import { schema } from './schema.js'

const previewWidth = 240

interface Sent {
  readonly file: File
  /** A small preview, drawn here: the page's policy forbids pictures from `blob:` addresses. */
  preview?: ImageBitmap
  part: number
  stop: AbortController
  problem?: string
  found?: Chosen
  views: Set<UploadView>
}

let count = 0

const uploadNode = (id: string) => schema.node('upload', { id })

function placeFor(doc: Node, pos: number, nodes: readonly Node[]): [at: number, nodes: readonly Node[]] {
  const $pos = doc.resolve(pos)
  const [first] = nodes
  for (let depth = $pos.depth; depth >= 0 && first; depth--) {
    const parent = $pos.node(depth)
    const isHere = depth === $pos.depth
    const index = isHere ? $pos.index() : $pos.indexAfter(depth)
    const at = isHere ? pos : $pos.after(depth + 1)
    if (parent.canReplaceWith(index, index, first.type)) return [at, nodes]
    const paragraph = schema.node('paragraph', null, nodes)
    if (parent.canReplaceWith(index, index, paragraph.type)) return [at, [paragraph]]
  }
  return [doc.content.size, [schema.node('paragraph', null, nodes)]]
}

/** The pictures of one editor that are being uploaded. */
export class Uploads {
  private readonly sent = new Map<string, Sent>()

  constructor(
    private readonly view: () => EditorView,
    private readonly upload: Upload,
    private readonly tell: (text: string) => void,
  ) {}

  take(files: readonly File[], at?: number): void {
    const pictures = files.filter(({ type }) => type.startsWith('image/'))
    const others = files.filter(file => !pictures.includes(file))
    if (others.length > 0) this.refuse(others)
    if (pictures.length === 0) return
    const view = this.view()
    const ids = pictures.map(file => this.keep(file))
    const { tr } = view.state
    if (at === undefined) tr.deleteSelection()
    const [place, nodes] = placeFor(tr.doc, at ?? tr.selection.from, ids.map(uploadNode))
    tr.insert(place, nodes)
    const end = place + nodes.reduce((size, { nodeSize }) => size + nodeSize, 0)
    tr.setSelection(Selection.near(tr.doc.resolve(end), -1))
    view.dispatch(tr.scrollIntoView())
    view.focus()
    const [first] = pictures
    say(
      pictures.length === 1 && first
        ? t('Uploading {name}', { name: first.name })
        : counted(pictures.length, 'Uploading {n} image', 'Uploading {n} images'),
    )
    for (const id of ids) this.start(id)
  }

  of(id: string): Sent | undefined {
    return this.sent.get(id)
  }

  start(id: string): void {
    const sent = this.sent.get(id)
    if (!sent) return
    sent.part = 0
    sent.stop = new AbortController()
    delete sent.problem
    this.show(sent)
    const progress = (part: number) => {
      sent.part = part
      this.show(sent)
    }
    this.upload('images', sent.file, { progress, signal: sent.stop.signal }).then(
      found => {
        sent.found = found
        this.replace(id, found)
      },
      (problem: Error) => {
        if (sent.stop.signal.aborted) return
        sent.problem = problem.message
        say(t('{name} was not uploaded: {problem}', { name: sent.file.name, problem: problem.message }))
        this.show(sent)
      },
    )
  }

  /** Replaces a placeholder by the stored picture, within the step of Undo that has inserted the placeholder. */
  replace(id: string, found: Chosen): void {
    const view = this.view()
    if (view.isDestroyed) return
    const { tr } = view.state
    view.state.doc.descendants((node, at) => {
      if (node.type.name !== 'upload' || node.attrs.id !== id) return
      const { alt, ...known } = pictureOf(found)
      tr.replaceWith(at, at + 1, schema.node('image', { ...known, alt: alt || null }, undefined, node.marks))
    })
    if (!tr.docChanged) return
    view.dispatch(tr.setMeta('addToHistory', false))
    say(t('{name} is uploaded', { name: found.word }))
  }

  remove(id: string): void {
    const view = this.view()
    const { tr } = view.state
    this.sent.get(id)?.stop.abort()
    view.state.doc.descendants((node, at) => {
      if (node.type.name === 'upload' && node.attrs.id === id) tr.delete(at, at + 1)
    })
    view.dispatch(tr)
    view.focus()
  }

  destroy(): void {
    for (const { stop } of this.sent.values()) stop.abort()
  }

  private keep(file: File): string {
    const id = String(++count)
    const sent: Sent = { file, part: 0, stop: new AbortController(), views: new Set() }
    this.sent.set(id, sent)
    createImageBitmap(file, { resizeWidth: previewWidth, resizeQuality: 'medium' }).then(
      preview => {
        sent.preview = preview
        this.show(sent)
      },
      // Without a preview the name is shown.
      () => undefined,
    )
    return id
  }

  private refuse(files: readonly File[]): void {
    const [first] = files
    this.tell(
      files.length === 1
        ? t('{name} is not an image. Upload it under Media and link to it.', { name: first?.name ?? '' })
        : t('{n} files are not images. Upload them under Media and link to them.', { n: files.length }),
    )
  }

  private show(sent: Sent): void {
    for (const view of sent.views) view.show()
  }
}

/** A picture that is being uploaded: its progress, or the reason of its failure. */
export class UploadView implements NodeView {
  readonly dom = element('span', { class: 'upload' })
  private readonly id: string
  private readonly words = element('span', { class: 'upload-words' })
  private readonly bar = element('progress', { max: '1' })
  private isDrawn = false

  constructor(
    node: Node,
    private readonly uploads: Uploads,
  ) {
    this.id = String(node.attrs.id)
    const sent = uploads.of(this.id)
    this.bar.setAttribute(
      'aria-label',
      sent ? t('Upload of {name}', { name: sent.file.name }) : t('Image upload'),
    )
    sent?.views.add(this)
    this.dom.append(this.words)
    this.show()
    const found = sent?.found
    // The upload ended while its placeholder was undone.
    if (found) queueMicrotask(() => uploads.replace(this.id, found))
  }

  show(): void {
    const sent = this.uploads.of(this.id)
    this.draw(sent?.preview)
    if (sent && sent.problem === undefined) this.showProgress(sent)
    else this.showProblem(sent)
  }

  stopEvent(event: Event): boolean {
    return event.target instanceof HTMLButtonElement
  }

  ignoreMutation(): boolean {
    return true
  }

  destroy(): void {
    this.uploads.of(this.id)?.views.delete(this)
  }

  private showProgress({ part }: Sent): void {
    const percent = t('Uploading {n} %', { n: Math.round(part * 100) })
    this.dom.classList.remove('failed')
    this.bar.value = part
    if (this.bar.parentElement !== this.words)
      this.words.replaceChildren(element('span', {}, percent), this.bar)
    else if (this.words.firstElementChild) this.words.firstElementChild.textContent = percent
  }

  private showProblem(sent: Sent | undefined): void {
    this.dom.classList.add('failed')
    const told = sent
      ? t('{name} was not uploaded: {problem}', { name: sent.file.name, problem: sent.problem ?? '' })
      : t('The image was not uploaded')
    const retry = button(t('Retry'), () => this.uploads.start(this.id), 'small')
    const remove = button(t('Remove'), () => this.uploads.remove(this.id), 'small')
    this.words.replaceChildren(
      element('span', {}, told),
      element('span', { class: 'row-actions' }, ...(sent ? [retry] : []), remove),
    )
  }

  private draw(preview: ImageBitmap | undefined): void {
    if (!preview || this.isDrawn) return
    this.isDrawn = true
    const canvas = element('canvas', { width: `${preview.width}`, height: `${preview.height}` })
    canvas.getContext('2d')?.drawImage(preview, 0, 0)
    this.dom.prepend(canvas)
  }
}
