/** The search of the page. Named by its hash in the policy, as the style is. */
export const docsScript = `const search = document.querySelector('input[type=search]')
const found = document.querySelector('output')
const parts = [...document.querySelectorAll('[data-words]')]
function show() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
  let count = 0
  for (const part of parts) {
    const hit = words.every(word => part.dataset.words.includes(word))
    part.hidden = !hit
    if (hit) count++
  }
  for (const section of document.querySelectorAll('section'))
    section.hidden = !section.querySelector('[data-words]:not([hidden])')
  found.textContent = words.length === 0 ? '' : count + ' found'
}
function open() {
  const part = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (part instanceof HTMLDetailsElement) part.open = true
}
search.hidden = false
search.addEventListener('input', show)
addEventListener('hashchange', open)
addEventListener('keydown', event => {
  if (event.key === '/' && document.activeElement !== search) {
    event.preventDefault()
    search.focus()
  }
})
show()
open()`
