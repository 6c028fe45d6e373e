import type { Mark } from 'prosemirror-model'
import { NodeSelection } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import { isSafe } from '../../../services/content/rich-text/rules.js'
import type { Chosen } from '../chosen.js'
import { button, element, showDialog } from '../elements.js'
import type { Choose } from '../picker.js'
import { t } from '../text.js'
import { schema } from './schema.js'

const { link, image } = { link: schema.marks.link, image: schema.nodes.image }

interface Question {
  readonly title: string
  readonly fields: readonly { name: string; label: string; value: string; hint?: string }[]
  readonly find?: { word: string; run(fill: (values: Readonly<Record<string, string>>) => void): void }
  readonly remove?: () => void
  /** @returns the problem */
  save(values: Readonly<Record<string, string>>): string | undefined
}

function ask(view: EditorView, { title, fields, find, remove, save }: Question): void {
  const inputs = fields.map(({ name, value }, i) => {
    const input = element('input', { class: 'input', id: `ask-${name}`, autocomplete: 'off' })
    input.value = value
    input.autofocus = i === 0
    return [name, input] as const
  })
  const rows = fields.map(({ label, hint }, i) => {
    const [, input] = inputs[i] as (typeof inputs)[number]
    const words = element('label', { for: input.id }, label)
    if (hint) words.append(element('span', { class: 'hint' }, hint))
    return element('div', { class: 'field' }, words, input)
  })
  const wrong = element('p', { class: 'error', role: 'alert', hidden: '' })
  const actions = element('div', { class: 'actions' }, element('button', { class: 'button next' }, t('OK')))
  if (find)
    actions.append(
      button(find.word, () =>
        find.run(values => {
          for (const [name, input] of inputs) if (values[name] !== undefined) input.value = values[name]
          inputs[0]?.[1].focus()
        }),
      ),
    )
  if (remove)
    actions.append(
      button(t('Remove'), () => {
        remove()
        dialog.close()
      }),
    )
  actions.append(button(t('Cancel'), () => dialog.close()))
  const form = element('form', { method: 'dialog' }, ...rows, wrong, actions)
  form.addEventListener('submit', event => {
    event.preventDefault()
    const problem = save(Object.fromEntries(inputs.map(([name, input]) => [name, input.value.trim()])))
    wrong.textContent = problem ?? ''
    wrong.hidden = problem === undefined
    if (problem === undefined) dialog.close()
  })
  const dialog = element('dialog', { class: 'ask', 'aria-label': title }, element('h2', {}, title), form)
  showDialog(dialog, () => view.focus())
}

const addressOf = (text: string) =>
  /^[\w-]+(\.[\w-]+)*\.[a-z]{2,}(\/|$)/i.test(text) ? `https://${text}` : text

function linkAt({ state }: EditorView) {
  const { from, to, empty, $from } = state.selection
  const known = empty ? link?.isInSet($from.marks()) : undefined
  if (!known) {
    let found: Mark | undefined
    state.doc.nodesBetween(from, to, node => {
      found ??= link?.isInSet(node.marks)
    })
    return { from, to, mark: found }
  }
  let [start, end] = [$from.start(), $from.end()]
  $from.parent.forEach((node, offset) => {
    const at = $from.start() + offset
    if (known.isInSet(node.marks)) return
    if (at + node.nodeSize <= from) start = at + node.nodeSize
    else if (at >= from) end = Math.min(end, at)
  })
  return { from: start, to: end, mark: known }
}

export function askForLink(view: EditorView, choose: Choose): void {
  const { from, to, mark } = linkAt(view)
  if (!link) return
  const attrs = (values: Readonly<Record<string, string>>) => ({
    href: addressOf(values.href ?? ''),
    title: values.title || null,
  })
  ask(view, {
    title: t('Link'),
    fields: [
      {
        name: 'href',
        label: t('Address'),
        value: mark?.attrs.href ?? '',
        hint: t('https://…, /a-page, mailto:…'),
      },
      { name: 'title', label: t('Title'), value: mark?.attrs.title ?? '', hint: t('optional') },
    ],
    find: { word: t('Search pages…'), run: fill => choose('pages', ({ value }) => fill({ href: value })) },
    ...(mark ? { remove: () => view.dispatch(view.state.tr.removeMark(from, to, link)) } : {}),
    save(values) {
      if (!values.href) return t('An address is needed.')
      if (!isSafe('href', addressOf(values.href)))
        return t('The address must begin with https:, mailto:, tel: or /.')
      const { tr } = view.state
      const text = from === to ? view.state.schema.text(values.href, [link.create(attrs(values))]) : undefined
      view.dispatch(
        text
          ? tr.insert(from, text)
          : tr.removeMark(from, to, link).addMark(from, to, link.create(attrs(values))),
      )
      return undefined
    },
  })
}

type Texts = Readonly<Record<string, string>>

/** The attributes of an image that was chosen. */
export const pictureOf = ({ address = '', alt = '', width, height }: Chosen): Texts => ({
  src: address,
  alt,
  ...(width && height ? { width: `${width}`, height: `${height}` } : {}),
})

const given = (attrs: Readonly<Record<string, string | null>>): Texts =>
  Object.fromEntries(Object.entries(attrs).flatMap(([name, value]) => (value ? [[name, value]] : [])))

/** Asks for the attributes of the picture at the cursor, or for a new picture from the media. */
export function askForImage(view: EditorView, choose: Choose): void {
  const { from, to } = view.state.selection
  const known = view.state.doc.nodeAt(from)
  let size: Texts = {}
  const show = (values: Texts) => {
    size = values
    ask(view, {
      title: t('Image'),
      fields: [
        {
          name: 'alt',
          label: t('Alt text'),
          value: values.alt ?? '',
          hint: t('describe it; empty if decorative'),
        },
        { name: 'src', label: t('Address'), value: values.src ?? '' },
        { name: 'title', label: t('Title'), value: values.title ?? '', hint: t('optional') },
      ],
      find: {
        word: t('Another image…'),
        run: fill =>
          choose('images', found => {
            size = pictureOf(found)
            fill(size)
          }),
      },
      save({ alt = '', src = '', title }) {
        if (src === '' || !isSafe('src', src)) return t('The address must begin with https: or /.')
        const { width = null, height = null } = src === size.src ? size : {}
        const node = image?.create({ alt, src, title: title || null, width, height })
        if (node) view.dispatch(view.state.tr.replaceWith(from, to, node))
        return undefined
      },
    })
  }
  if (known && known.type === image && to === from + 1) show(given(known.attrs))
  else choose('images', found => show(pictureOf(found)))
}

/** Asks for the picture at a position. */
export function askForImageAt(view: EditorView, choose: Choose, at: number): void {
  view.dispatch(view.state.tr.setSelection(NodeSelection.create(view.state.doc, at)))
  askForImage(view, choose)
}
