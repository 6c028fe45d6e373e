import { focusField } from './focus-field.js'
import { t } from './text.js'

const hintWords = t('created from the title')
const pause = 150

const source = () => document.querySelector<HTMLElement>('[data-slug-of]')
const fieldIn = (form: HTMLFormElement, name: string) => {
  const found = form.elements.namedItem(name)
  return found instanceof HTMLInputElement || found instanceof HTMLSelectElement ? found : undefined
}
/** The value of a field, or of the chosen one of several. */
function valueIn(form: HTMLFormElement, name: string): string {
  const found = form.elements.namedItem(name)
  return found instanceof RadioNodeList ? found.value : (fieldIn(form, name)?.value ?? '')
}

/** The suggested address; any other one was typed by the author. */
let made = ''
let asked: AbortController | undefined
let timer: ReturnType<typeof setTimeout> | undefined

const isOwn = (slug: HTMLInputElement | HTMLSelectElement) => slug.value !== '' && slug.value !== made

function hint(slug: Element, words: string): void {
  const at = document.getElementById(`h-${slug.getAttribute('name')}`)
  if (at && at.textContent !== words) at.textContent = words
}

async function show(form: HTMLFormElement, address: string): Promise<void> {
  asked?.abort()
  asked = new AbortController()
  const query = new URLSearchParams({
    title: valueIn(form, 'title'),
    datatype_id: valueIn(form, 'datatype_id'),
  })
  const answer = await fetch(`${address}?${query}`, { signal: asked.signal })
  const slug = fieldIn(form, 'slug')
  if (!answer.ok || !slug || isOwn(slug)) return
  made = ((await answer.json()) as { slug: string }).slug
  slug.value = made
  hint(slug, hintWords)
}

function onInput({ target }: Event): void {
  const at = source()
  const form = at?.closest('form')
  if (!at || !form || !(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return
  const slug = fieldIn(form, 'slug')
  if (!slug) return
  if (target === slug) {
    hint(slug, isOwn(slug) ? t('a path such as /about') : hintWords)
    return
  }
  if (isOwn(slug)) return
  clearTimeout(timer)
  // Without a response the server makes the address when the form is sent.
  timer = setTimeout(() => void show(form, at.dataset.slugOf ?? '').catch(() => undefined), pause)
}

/** Leaves out a suggested address, so that the server makes it again from the final title. */
function onSubmit({ target }: Event): void {
  if (!(target instanceof HTMLFormElement) || source()?.closest('form') !== target) return
  asked?.abort()
  clearTimeout(timer)
  const slug = fieldIn(target, 'slug')
  if (slug && !isOwn(slug)) slug.value = ''
  made = ''
}

function begin(): void {
  const field = document.querySelector<HTMLElement>('#form [autofocus]')
  if (!field) return
  field.removeAttribute('autofocus')
  // The editor of rich text loads a moment later and replaces the field.
  if (!focusField(`#${field.id}`)) field.focus()
}

/** Suggests the address of a new page from its title, and focuses the first field of a new entry. */
export function startNewPage(): void {
  begin()
  document.addEventListener('input', onInput)
  document.addEventListener('submit', onSubmit, { capture: true })
  document.addEventListener('htmx:after:swap', begin)
}
