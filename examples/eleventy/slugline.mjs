// Reads published entries. Nothing to install, and no key: the datatypes of this site are public.

export const api = `${process.env.SLUGLINE_URL ?? 'http://localhost:8080'}/api/v1`

/**
 * All published entries of a datatype, a hundred with each request.
 * @param parameters such as `{ locale: 'de', sort: '-date' }`
 */
export async function entries(datatype, parameters) {
  const all = []
  const query = new URLSearchParams({ limit: 100, ...parameters })
  for (;;) {
    const answer = await fetch(`${api}/query/${datatype}?${query}`)
    if (!answer.ok) throw new Error(`${datatype}: ${answer.status} ${await answer.text()}`)
    const { data, meta } = await answer.json()
    all.push(...data)
    if (meta.next === null) return all
    query.set('cursor', meta.next)
  }
}
