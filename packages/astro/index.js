// Loads entries of a Slugline service into a content collection of Astro. index.d.ts describes it.

/** @returns each entry of the query once in each language */
async function read(query, locales) {
  const lists = await Promise.all(
    locales.map(async locale => {
      const { data, error } = await (locale ? query.locale(locale) : query).all()
      if (error) throw error
      return data.map(entry => ({
        id: locale ? `${locale}/${entry.id}` : entry.id,
        // An entry may be shown in a fallback of the language.
        data: { ...entry, ...(locale && { language: locale }) },
      }))
    }),
  )
  return lists.flat()
}

export const entries = (query, { locales = [undefined], body } = {}) => ({
  name: 'slugline',
  async load({ store, logger, generateDigest }) {
    // Everything is read before anything is replaced: after an error the last state stays.
    const found = await read(query, locales)
    store.clear()
    for (const [position, { id, data }] of found.entries()) {
      const html = body === undefined ? undefined : (data.fields[body] ?? '')
      const shown = { ...data, position }
      store.set({
        id,
        data: shown,
        digest: generateDigest(shown),
        ...(html !== undefined && { rendered: { html } }),
      })
    }
    logger.info(`${found.length} entries`)
  },
})

const asEntry = (data, body) => ({
  id: data.id,
  data,
  ...(body !== undefined && { rendered: { html: data.fields[body] ?? '' } }),
})

export const liveEntries = (query, { body } = {}) => ({
  name: 'slugline',
  async loadEntry({ filter: { id, slug, locale } }) {
    const asked = locale ? query.locale(locale) : query
    const { data, error } = await (id === undefined ? asked.where('slug', 'eq', slug).first() : asked.get(id))
    if (error) return error.code === 'not_found' ? undefined : { error }
    return data ? asEntry(data, body) : undefined
  },
  async loadCollection({ filter: { locale, where = [], limit } = {} }) {
    const inLocale = locale ? query.locale(locale) : query
    const asked = where.reduce((narrowed, condition) => narrowed.where(...condition), inLocale)
    const { data, error } = await (limit === undefined ? asked.all() : asked.limit(limit).list())
    return error ? { error } : { entries: data.map(one => asEntry(one, body)) }
  },
})
