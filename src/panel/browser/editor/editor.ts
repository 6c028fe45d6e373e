import { element } from '../elements.js'
import { RichField, type Surroundings } from './field.js'

/** The address of the style sheet, which the build puts in. */
declare const editorStyleAddress: string

/** Resolves when the editors have their style, or when it cannot be loaded: they work without it. */
export const styled = new Promise<void>(resolve => {
  const sheet = element('link', { rel: 'stylesheet', href: editorStyleAddress })
  sheet.addEventListener('load', () => resolve())
  sheet.addEventListener('error', () => resolve())
  document.head.append(sheet)
})

const fields = new Map<HTMLElement, RichField>()

/** Gives each textarea for rich text an editor, removes editors without one, and updates the others from the page. */
export function mountEditors(surroundings: Surroundings): void {
  const hosts = new Set<HTMLElement>()
  for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-rich]')) {
    const host = area.previousElementSibling
    if (!(host instanceof HTMLElement)) continue
    hosts.add(host)
    const known = fields.get(host)
    if (known?.area === area && known.isOf(area.id)) known.sync()
    else {
      known?.destroy()
      fields.set(host, new RichField(host, area, surroundings))
    }
  }
  for (const [host, field] of fields)
    if (!hosts.has(host)) {
      field.destroy()
      fields.delete(host)
    }
}

export function flushEditors(): void {
  for (const field of fields.values()) field.flush()
}

export function focusEditor(area: Element): void {
  for (const field of fields.values()) if (field.area === area) field.focus()
}
