import { baseKeymap } from 'prosemirror-commands'
import { dropCursor } from 'prosemirror-dropcursor'
import { gapCursor } from 'prosemirror-gapcursor'
import { history } from 'prosemirror-history'
import { keymap } from 'prosemirror-keymap'
import { Slice } from 'prosemirror-model'
import { EditorState, type Plugin } from 'prosemirror-state'
import { tableEditing } from 'prosemirror-tables'
import { EditorView } from 'prosemirror-view'
import { element } from '../elements.js'
import type { Choose } from '../picker.js'
import type { Upload } from '../send-file.js'
import { keys } from './commands.js'
import { askForImage, askForImageAt, askForLink } from './dialogs.js'
import { Foot } from './foot.js'
import { apart, rules } from './input-rules.js'
import { OpaqueView } from './opaque.js'
import { open } from './open.js'
import { cleaned } from './paste.js'
import { pasteText } from './paste-text.js'
import { PictureView } from './picture.js'
import { dropFiles, PictureSources, pasteFiles } from './picture-input.js'
import { save } from './save.js'
import { schema } from './schema.js'
import { Toolbar } from './toolbar.js'
import { Uploads, UploadView } from './uploads.js'

/** A moment after the last key the form has the text. */
const restMs = 150

/** What the page gives its editors. */
export interface Surroundings {
  readonly choose: Choose
  readonly upload: Upload
}

/** The editor of one field. The textarea stays what the form sends, and is there to write HTML in. */
export class RichField {
  private readonly view: EditorView
  private readonly toolbar: Toolbar
  private readonly foot = new Foot()
  private readonly uploads: Uploads
  private readonly sources = new PictureSources()
  private readonly plugins: Plugin[]
  /** What the textarea had when it and the editor were last the same. */
  private text: string
  private timer: ReturnType<typeof setTimeout> | undefined
  private isHtml = false
  /** Whether Shift is held, by which one pastes text as it is. */
  private isPlain = false
  private readonly id: string

  constructor(
    private readonly host: HTMLElement,
    readonly area: HTMLTextAreaElement,
    { choose, upload }: Surroundings,
  ) {
    this.text = area.value
    this.id = area.id
    this.uploads = new Uploads(
      () => this.view,
      upload,
      text => this.foot.tell(text),
    )
    const link = () => askForLink(this.view, choose)
    this.plugins = [
      keymap({
        'Mod-k': () => {
          link()
          return true
        },
        'Alt-F10': () => {
          this.toolbar.focus()
          return true
        },
      }),
      keymap(keys),
      keymap(baseKeymap),
      history(),
      rules,
      dropCursor(),
      gapCursor(),
      tableEditing(),
    ]
    this.toolbar = new Toolbar(() => this.view, host.dataset.icons ?? '', {
      text: [
        { label: 'Link', icon: 'link', keys: 'Mod-k', run: link },
        { label: 'Image', icon: 'media', run: () => askForImage(this.view, choose) },
      ],
      last: [
        { label: 'HTML', icon: 'html', run: () => this.showHtml(!this.isHtml), isOn: () => this.isHtml },
      ],
    })
    const page = element('div', { class: 'page' })
    host.replaceChildren(this.toolbar.element, page, this.foot.element)
    this.view = new EditorView(page, {
      state: this.stateFor(this.text),
      attributes: () => this.attributes(),
      nodeViews: {
        opaque: (node, view, position) => new OpaqueView(node, view, position),
        upload: node => new UploadView(node, this.uploads),
        image: (node, view, position) =>
          new PictureView(node, () => askForImageAt(view, choose, position() ?? 0)),
      },
      transformPastedHTML: html => this.cleaned(html),
      transformPasted: asWritten,
      handlePaste: (view, event) => pasteFiles(event, this.uploads) || pasteText(view, event, this.isPlain),
      handleDOMEvents: {
        keydown: (_view, { shiftKey }) => {
          this.isPlain = shiftKey
        },
      },
      handleDrop: (view, event) => dropFiles(view, event, this.uploads),
      dispatchTransaction: transaction => {
        this.view.updateState(this.view.state.apply(apart(transaction)))
        this.toolbar.update(this.view.state)
        if (!transaction.docChanged) return
        this.later()
        this.foot.countSoon(() => this.view.state.doc)
      },
    })
    this.toolbar.element.setAttribute('aria-label', `Format of ${this.label()}`)
    area.addEventListener('input', this.onInput)
    this.show()
    this.toolbar.update(this.view.state)
  }

  /** Whether it is still the field that it was made for. */
  isOf(id: string): boolean {
    return this.id === id
  }

  /** Takes over what the page or a draft has put into the textarea, and what it says of the field. */
  sync(): void {
    this.show()
    if (this.area.value !== this.text) this.load()
    this.view.setProps({ attributes: () => this.attributes() })
  }

  /** Gives the form the text as it is now. */
  flush(): void {
    if (this.timer === undefined) return
    clearTimeout(this.timer)
    this.timer = undefined
    const text = save(this.view.state.doc)
    if (text === this.area.value) return
    this.text = text
    this.area.value = text
    this.area.dispatchEvent(new Event('input', { bubbles: true }))
  }

  focus(): void {
    if (this.isHtml) this.area.focus()
    else this.view.focus()
  }

  destroy(): void {
    clearTimeout(this.timer)
    this.area.removeEventListener('input', this.onInput)
    this.foot.destroy()
    this.uploads.destroy()
    this.view.destroy()
  }

  private readonly onInput = (): void => {
    if (this.area.value !== this.text && !this.isHtml) this.load()
  }

  private later(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.flush(), restMs)
  }

  private stateFor(html: string): EditorState {
    const doc = open(html)
    this.sources.know(doc)
    this.foot.count(doc)
    return EditorState.create({ doc, plugins: this.plugins })
  }

  private load(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.text = this.area.value
    this.view.updateState(this.stateFor(this.text))
    this.toolbar.update(this.view.state)
  }

  private cleaned(given: string): string {
    this.sources.know(this.view.state.doc)
    const { html, leftOut } = cleaned(given, address => this.sources.isOwn(address))
    if (leftOut > 0)
      this.foot.tell(
        leftOut === 1
          ? '1 picture was left out. Save it as a file and drop it here.'
          : `${leftOut} pictures were left out. Save them as files and drop them here.`,
      )
    return html
  }

  private showHtml(isHtml: boolean): void {
    this.flush()
    this.isHtml = isHtml
    this.show()
    if (!isHtml && this.area.value !== this.text) this.load()
    this.toolbar.update(this.view.state)
    this.focus()
  }

  private show(): void {
    this.host.hidden = false
    this.area.hidden = !this.isHtml
    this.area.classList.toggle('mono', this.isHtml)
    this.view.dom.parentElement?.toggleAttribute('hidden', this.isHtml)
    this.host.classList.toggle('as-html', this.isHtml)
  }

  private label(): string {
    return (
      document.querySelector(`label[for="${CSS.escape(this.area.id)}"]`)?.firstChild?.textContent?.trim() ??
      ''
    )
  }

  private attributes(): Record<string, string> {
    const { area } = this
    const copied = ['aria-invalid', 'aria-describedby', 'lang'].flatMap(name => {
      const value = area.getAttribute(name)
      return value === null ? [] : [[name, value]]
    })
    return {
      role: 'textbox',
      'aria-multiline': 'true',
      'aria-label': this.label(),
      class: 'rich-text',
      ...Object.fromEntries(copied),
    }
  }
}

/** Pasted paragraphs are written as those around them. */
const asWritten = (slice: Slice): Slice => {
  const json = slice.toJSON()
  if (json === null) return slice
  const visit = (node: { type: string; attrs?: Record<string, unknown>; content?: unknown[] }): void => {
    if (node.type === 'paragraph') node.attrs = { kept: false }
    for (const child of node.content ?? []) visit(child as typeof node)
  }
  for (const node of json.content ?? []) visit(node)
  return Slice.fromJSON(schema, json)
}
