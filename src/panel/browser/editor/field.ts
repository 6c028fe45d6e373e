import { Slice } from 'prosemirror-model'
import { EditorState, type Plugin } from 'prosemirror-state'
import { EditorView } from 'prosemirror-view'
import { element } from '../elements.js'
import type { Choose } from '../picker.js'
import { say } from '../say.js'
import type { Upload } from '../send-file.js'
import { count, t } from '../text.js'
import { askForImage, askForImageAt, askForLink } from './dialogs.js'
import { Foot } from './foot.js'
import { apart } from './input-rules.js'
import { OpaqueView } from './opaque.js'
import { open } from './open.js'
import { cleaned } from './paste.js'
import { pasteText } from './paste-text.js'
import { PictureView } from './picture.js'
import { dropFiles, PictureSources, pasteFiles } from './picture-input.js'
import { pluginsFor, type Tools } from './plugins.js'
import { save } from './save.js'
import { schema } from './schema.js'
import { Toolbar } from './toolbar.js'
import { Uploads, UploadView } from './uploads.js'

const restMs = 150

/** Functions that the page gives its editors. */
export interface Surroundings {
  readonly choose: Choose
  readonly upload: Upload
}

/** The editor of one field. The form still sends the textarea, in which HTML can be edited too. */
export class RichField {
  private readonly view: EditorView
  private readonly toolbar: Toolbar
  private readonly foot = new Foot()
  private readonly uploads: Uploads
  private readonly sources = new PictureSources()
  private readonly plugins: Plugin[]
  private text: string
  private timer: ReturnType<typeof setTimeout> | undefined
  private isHtml = false
  private isFull = false
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
    const icons = host.dataset.icons ?? ''
    const tools: Tools = {
      link: () => askForLink(this.view, choose),
      image: () => askForImage(this.view, choose),
      toolbar: () => this.toolbar.focus(),
      leave: () => {
        const { isFull } = this
        if (isFull) this.showFull(false)
        return isFull
      },
    }
    this.plugins = pluginsFor(tools, icons, area.id)
    this.toolbar = new Toolbar(() => this.view, icons, {
      text: [
        { label: t('Link'), icon: 'link', keys: 'Mod-k', run: tools.link },
        { label: t('Image'), icon: 'media', run: tools.image },
      ],
      last: [
        { label: t('HTML'), icon: 'html', run: () => this.showHtml(!this.isHtml), isOn: () => this.isHtml },
        {
          label: t('Full page'),
          icon: 'full',
          keys: 'Mod-Shift-f',
          run: () => this.showFull(!this.isFull),
          isOn: () => this.isFull,
        },
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
        keyup: () => {
          this.isPlain = false
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
    this.toolbar.element.setAttribute('aria-label', t('Format of {label}', { label: this.label() }))
    area.addEventListener('input', this.onInput)
    host.addEventListener('keydown', this.onKey)
    this.show()
    this.toolbar.update(this.view.state)
  }

  isOf(id: string): boolean {
    return this.id === id
  }

  sync(): void {
    this.show()
    if (this.area.value !== this.text) this.load()
    this.view.setProps({ attributes: () => this.attributes() })
  }

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
    this.host.removeEventListener('keydown', this.onKey)
    this.foot.destroy()
    this.uploads.destroy()
    this.view.destroy()
  }

  private readonly onInput = (): void => {
    if (this.area.value !== this.text && !this.isHtml) this.load()
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    const isToggle = (event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === 'f'
    if (event.defaultPrevented || !isToggle) return
    event.preventDefault()
    this.showFull(!this.isFull)
  }

  private showFull(isFull: boolean): void {
    if (isFull && this.isHtml) this.showHtml(false)
    this.isFull = isFull
    this.show()
    this.toolbar.update(this.view.state)
    this.view.focus()
    this.view.dispatch(this.view.state.tr.scrollIntoView())
    say(isFull ? t('Full page. Press Escape to leave it') : t('Full page closed'))
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
        count(
          leftOut,
          '{n} image was left out. Save it as a file and drop it here.',
          '{n} images were left out. Save them as files and drop them here.',
        ),
      )
    return html
  }

  private showHtml(isHtml: boolean): void {
    this.flush()
    this.isFull = false
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
    this.host.classList.toggle('full', this.isFull)
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
