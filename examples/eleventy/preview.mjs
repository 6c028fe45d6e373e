import { post } from './post.mjs'

/**
 * Shows the page of a preview link, and again whenever it is saved.
 * @param main where it is shown; its `data-api` says where the service is
 * @param search of the address, with `preview` and maybe `locale`
 */
export async function preview(main, search, Stream = EventSource) {
  const given = new URLSearchParams(search)
  const token = encodeURIComponent(given.get('preview') ?? '')
  const locale = encodeURIComponent(given.get('locale') ?? '')
  const { api } = main.dataset
  async function show() {
    const answer = await fetch(`${api}/preview?token=${token}&format=native&locale=${locale}&sourcemaps=1`)
    main.innerHTML = answer.ok ? post(await answer.json()) : '<p>This preview is over.</p>'
  }
  await show()
  // An error may mean that the link is over.
  const changes = new Stream(`${api}/preview/events?token=${token}`)
  for (const name of ['change', 'reset', 'error']) changes.addEventListener(name, show)
  return changes
}
