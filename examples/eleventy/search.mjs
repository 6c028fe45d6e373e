import { escaped } from './post.mjs'

/**
 * Searches at each key.
 * @param form its `data-api` says where the service is
 * @param list where the results are shown
 */
export function search(form, list) {
  const { api } = form.dataset
  const { lang } = document.documentElement
  let latest = 0
  form.addEventListener('submit', event => event.preventDefault())
  form.addEventListener('input', async () => {
    latest += 1
    const own = latest
    const q = encodeURIComponent(form.elements.q.value)
    const answer = await fetch(`${api}/search?q=${q}&type=post&locale=${lang}`)
    const { data } = answer.ok ? await answer.json() : { data: [] }
    if (own !== latest) return
    const items = data.map(
      // Everything in an excerpt but <mark> is escaped by the service.
      ({ page, highlights }) =>
        `<li><a href="${escaped(page.slug)}/">${escaped(page.title)}</a><p>${highlights[0]?.html ?? ''}</p></li>`,
    )
    list.innerHTML = items.join('')
  })
}
