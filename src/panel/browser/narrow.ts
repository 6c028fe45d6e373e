import { t } from './text.js'

const fieldOf = () => document.querySelector<HTMLElement>('[data-narrows]')

/** Shows only the fields and sections that contain every typed word. Hidden fields keep their values. */
function narrow(): void {
  const place = fieldOf()
  const input = place?.querySelector('input')
  const form = place && document.querySelector(place.dataset.narrows ?? '')
  if (!place || !input || !form) return
  place.hidden = false
  // A refused field must be visible.
  if (document.querySelector('[data-refused]')) input.value = ''
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  let count = 0
  for (const field of form.querySelectorAll<HTMLElement>('.field')) {
    const text = field.textContent?.toLowerCase() ?? ''
    field.hidden = !words.every(word => text.includes(word))
    if (!field.hidden) count++
  }
  for (const section of form.querySelectorAll<HTMLElement>('section'))
    section.hidden = section.querySelector('.field:not([hidden])') === null
  const told = place.querySelector('[role=status]')
  if (told)
    told.textContent = words.length === 0 ? '' : count === 0 ? t('No results.') : t('{n} found', { n: count })
}

// Loaded by the page of the settings alone.
narrow()
document.addEventListener('input', ({ target }) => {
  if (target instanceof Element && target.closest('[data-narrows]')) narrow()
})
document.addEventListener('htmx:after:swap', narrow)
