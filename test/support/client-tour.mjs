// Uses every function of the client against one service. Runs in each runtime; the result is the same in all.

/**
 * @param client the module `@slugline/client`
 * @param site `url`, `key`, `token` of a preview link, `id` of a post, and `save`, which changes the draft
 * @returns the results, without what differs between runtimes
 */
export async function tour({ slugline, image, translated, SluglineError }, { url, key, token, id, save }) {
  const everybody = slugline({ url })
  const editor = slugline({ url, key })
  const shown = ({ data, error, ...more }) =>
    error
      ? { code: error.code, status: error.status, member: error.member, location: error.location }
      : { data, ...more }
  const seen = {}
  const note = async (name, answer) => {
    seen[name] = shown(await answer)
  }

  for (const format of ['native', 'clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress', 'markdown'])
    await note(format, everybody.page('/posts/first', { format }))
  await note('german', everybody.page('posts/first', { locale: 'de' }))
  await note('german by default', slugline({ url, locale: 'de' }).page('/posts/first'))
  await note('expanded', everybody.page('/posts/first', { expand: ['author'] }))
  await note('moved', everybody.page('/old'))
  await note('moved with a key', editor.page('/old'))
  await note('missing', everybody.page('/nothing'))
  await note('a draft with a key', editor.page('/soon'))
  await note('a draft without', everybody.page('/soon'))
  await note('a draft as the public sees it', editor.page('/soon', { status: 'published' }))
  await note('preview', everybody.preview(token))
  await note('no preview', everybody.preview('none'))
  await note('globals', editor.globals('menu'))
  await note('globals without a key', everybody.globals())

  const posts = everybody.query('post')
  await note('list', posts.sort('-date').limit(2).count().list())
  const { next } = await posts.sort('-date').limit(2).list()
  await note('next page', posts.sort('-date').limit(2).after(next).list())
  await note('all', posts.sort('date').fields('date').limit(2).all())
  await note(
    'first',
    posts.where('date', 'gte', new Date('2026-01-02')).where('date', 'lt', '2026-01-03').first(),
  )
  await note('none', posts.where('teaser', 'eq', '&=?#').first())
  await note('one', posts.expand('author').locale('de').get(id))
  const alternatives = posts
    .any([
      ['title', 'eq', 'First'],
      ['title', 'eq', 'Second'],
    ])
    .any([
      ['author.slug', 'eq', '/zoe'],
      ['author', 'exists', false],
    ])
    .where('date', 'gte', '2026-01-01')
    .where('date', 'gte', '2026-01-02')
    .where('id', 'ne', id)
    .where('title', 'in', ['First', 'Second', 'Third'])
  await note('alternatives', alternatives.sort('title').fields('date').list())
  await note('unknown field', posts.where('fields', 'eq', 1).list())
  await note('unknown datatype', everybody.query('nothing').all())

  await note('search', everybody.search('brake', { type: ['post'], limit: 5, count: true }))
  await note('pages', everybody.pages())
  await note('redirects', editor.redirects())
  await note('redirects without a key', everybody.redirects())
  await note('anything', editor.get('/datatypes', { limit: 1 }))
  await note('text', editor.get('/types.ts'))
  await note('nobody there', slugline({ url: 'http://127.0.0.1:1' }).page('/'))
  const stopped = new AbortController()
  stopped.abort()
  await note('aborted', everybody.page('/posts/first', {}, { signal: stopped.signal }))

  const { picture } = (await everybody.page('/posts/first')).data.fields
  seen.image = image(picture, { sizes: '50vw' })
  seen.cropped = image(picture, { fit: 'cover' })
  seen.named = image(picture, { names: ['small'] })
  seen.noImage = image(null)
  seen.transparent = image({ ...picture, thumbhash: 'YAiSCAf/EjQ=', focal: null })
  const at = (id, slug) => ({ id, slug })
  seen.translated = translated({
    en: [at(1, '/a'), at(2, '/b'), at(3, null)],
    de: [at(1, '/de/a'), at(2, '/b')],
  })
  const { error } = await everybody.page('/nothing')
  seen.error = [error instanceof SluglineError, error instanceof Error, error.message]

  seen.changes = []
  for await (const { type, pages } of everybody.changes({ token })) {
    seen.changes.push({ type, slugs: pages?.map(({ slug }) => slug) })
    if (type === 'ready') await save()
    else break
  }
  for await (const { type, error } of everybody.changes({ token: 'none' }))
    seen.changes.push({ type, code: error?.code })
  return seen
}

/** Takes the tour, and saves the draft with the key. @param site also with `draft`, its id */
export function tourOf(client, { key, draft, ...site }) {
  const save = () =>
    fetch(`${site.url}/api/v1/content?q=${draft}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ fields: { price: Date.now() } }),
    })
  return tour(client, { ...site, key, save })
}
