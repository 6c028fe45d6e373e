// Reads a Slugline service by fetch alone, in browsers, workers and every runtime with web standards.
// index.d.ts has the types and describes each member.

/** The service sends a comment every 15 seconds; a stream that is silent for longer is broken. */
const silenceAtMost = 45_000
const longestPause = 30_000

export class SluglineError extends Error {
  constructor({ error, code, member, errors }, status, more) {
    super(error)
    this.name = 'SluglineError'
    this.code = code
    this.status = status
    this.member = member
    this.errors = errors
    Object.assign(this, more)
  }
}

const failed = (code, message, status = 0, more) => ({
  error: new SluglineError({ error: message, code }, status, more),
})

const textOf = value =>
  value instanceof Date
    ? value.toISOString()
    : Array.isArray(value)
      ? value.map(textOf).join(',')
      : `${value}`

const pathOf = slug =>
  `/${slug
    .split('/')
    .filter(part => part !== '')
    .map(encodeURIComponent)
    .join('/')}`

/** @returns the error of a response */
async function refusal(response) {
  const { status, headers } = response
  try {
    const retryAfter = Number(headers.get('retry-after')) || undefined
    return { error: new SluglineError(await response.json(), status, { retryAfter }) }
  } catch {
    return failed('unreadable', `HTTP ${status} without a JSON body`, status)
  }
}

/** Whether the same request may succeed later. */
const mayPass = ({ code, status }) => code === 'unreachable' || status === 429 || status >= 500

function sleep(milliseconds, signal) {
  return new Promise(done => {
    const timer = setTimeout(done, milliseconds)
    signal?.addEventListener('abort', () => done(clearTimeout(timer)), { once: true })
  })
}

/** Resolves to nothing if a stream is silent or breaks: both mean a new connection. */
async function next(reader) {
  let timer
  const silence = new Promise(done => {
    timer = setTimeout(done, silenceAtMost)
  })
  const piece = await Promise.race([reader.read().catch(() => undefined), silence])
  clearTimeout(timer)
  return piece?.value
}

function eventOf(block) {
  const line = name => block.match(new RegExp(`^${name}: ?(.*)$`, 'm'))?.[1]
  const data = line('data')
  return data && { id: line('id'), type: line('event'), ...JSON.parse(data) }
}

/** Reads the events of a stream. It ends with the stream. */
async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  try {
    for (let piece = await next(reader); piece !== undefined; piece = await next(reader)) {
      const blocks = (text + piece).split('\n\n')
      text = blocks.pop()
      for (const event of blocks.map(eventOf)) if (event) yield event
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

export function slugline({ url, key, locale, fetch: send = (...given) => fetch(...given), ...init }) {
  const base = url.replace(/\/+$/, '')
  const api = '/api/v1'

  function addressOf(path, given) {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(given))
      if (value !== undefined) parameters.append(name, textOf(value))
    return base + path + (`${parameters}` && `?${parameters}`)
  }

  /** @returns the response, or the error */
  async function open(path, given = {}, options = {}) {
    const address = addressOf(path, given)
    const authorization = key && { Authorization: `Bearer ${key}` }
    const headers = { ...authorization, ...init.headers, ...options.headers }
    const request = { ...init, ...options, headers }
    try {
      const response = await send(address, { ...request, redirect: 'manual' })
      const { status } = response
      if (response.ok) return { response }
      if (status !== 0 && (status < 300 || status > 399)) return refusal(response)
      // Browsers hide the target of a redirect until it is followed. A lost connection must not hide it too.
      const followed = () => send(address, request).then(({ url }) => url)
      const target = () => followed().catch(followed)
      const to = status ? response.headers.get('location') : await target().catch(() => undefined)
      return failed('moved', `${path} has moved`, status || 308, { location: to && locationOf(to, given) })
    } catch (error) {
      if (options.signal?.aborted) return failed('aborted', 'the request was aborted')
      return failed('unreachable', `${base} did not answer: ${error.cause?.message ?? error.message}`)
    }
  }

  /** @returns the target of a redirect as a site links to it: a path of the service, or another site's address */
  function locationOf(to, given) {
    const target = new URL(to, `${base}/`)
    for (const name of Object.keys(given)) target.searchParams.delete(name)
    const own = target.origin === new URL(base).origin
    return own ? decodeURI(target.pathname).replace(/^\/api\/v1\/page(?=\/)/, '') : target.href
  }

  async function read(path, parameters, options) {
    const { response, error } = await open(path, parameters, options)
    if (error) return { error }
    try {
      const isJson = /\bjson\b/.test(response.headers.get('content-type'))
      return { data: await (isJson ? response.json() : response.text()) }
    } catch {
      return failed('unreadable', 'the response is not JSON, or ended early', response.status)
    }
  }
  const get = (path, parameters, options) => read(api + path, parameters, options)

  /** A list with `data` and `meta`. */
  async function list(path, parameters, options) {
    const { data, error } = await get(path, parameters, options)
    return error ? { error } : { data: data.data, next: data.meta.next, count: data.meta.count }
  }

  async function everything(read) {
    const all = []
    let next
    do {
      const answer = await read(next)
      if (answer.error) return answer
      all.push(...answer.data)
      next = answer.next
    } while (next !== null)
    return { data: all }
  }

  /** @param asked what was asked for so far: each call returns a builder of its own */
  function builder(name, asked, groups = 0) {
    const path = `/query/${encodeURIComponent(name)}`
    const plus = (more, count = groups) => builder(name, { ...asked, ...more }, count)
    const joined = (member, names) => plus({ [member]: [...(asked[member] ?? []), ...names] })
    const group = `filter[and][${groups}]`
    const one = ({ fields, expand, children, locale }) => ({ fields, expand, children, locale })
    return {
      where(field, operator, value) {
        const condition = `[${field}][${operator}]`
        const plain = `filter${condition}`
        return plain in asked ? plus({ [group + condition]: value }, groups + 1) : plus({ [plain]: value })
      },
      any(alternatives) {
        const members = alternatives.map(([field, operator, value], n) => [
          `${group}[or][${n}][${field}][${operator}]`,
          value,
        ])
        return plus(Object.fromEntries(members), groups + 1)
      },
      sort: (...names) => joined('sort', names),
      fields: (...names) => joined('fields', names),
      expand: (...names) => joined('expand', names),
      children: levels => plus({ children: levels }),
      locale: code => plus({ locale: code }),
      limit: count => plus({ limit: count }),
      after: cursor => plus({ cursor }),
      offset: count => plus({ offset: count }),
      count: () => plus({ count: true }),
      list: options => list(path, asked, options),
      all: options =>
        everything(cursor =>
          list(path, { limit: 200, ...asked, ...(cursor && { cursor, offset: undefined }) }, options),
        ),
      async first(options) {
        const { data, error } = await list(path, { ...asked, limit: 1 }, options)
        return error ? { error } : { data: data[0] ?? null }
      },
      async get(id, options) {
        const { data, error } = await get(`${path}/${encodeURIComponent(id)}`, one(asked), options)
        return error ? { error } : { data: data.data }
      },
    }
  }

  async function* changes({ token, after, signal, wait = 1000 } = {}) {
    const path = `${api}${token === undefined ? '' : '/preview'}/events`
    const options = { headers: { Accept: 'text/event-stream' }, signal, cache: 'no-store' }
    let last = after
    let pause = 0
    while (!signal?.aborted) {
      const { response, error } = await open(path, { token, last_event_id: last }, options)
      if (error && !mayPass(error)) {
        yield { type: 'error', error }
        return
      }
      for await (const event of response ? eventsOf(response.body) : []) {
        pause = 0
        last = event.id ?? last
        yield event
      }
      pause = Math.min(longestPause, Math.max(wait, pause * 2, (error?.retryAfter ?? 0) * 1000))
      await sleep(pause, signal)
    }
  }

  async function redirects(options) {
    const [found, routes] = await Promise.all([get('/redirects', {}, options), get('/routes', {}, options)])
    const error = found.error ?? routes.error
    if (error) return { error }
    const byId = new Map(routes.data.map(route => [route.route_id, route]))
    const data = found.data.map(({ slug, target, route_id, locale, status }) => {
      const route = byId.get(route_id)
      return { slug, target: target ?? route?.translations[locale]?.slug ?? route?.slug, status }
    })
    return { data: data.filter(({ target }) => target) }
  }

  const parameters = given => ({ format: 'native', locale, ...given })
  return {
    get,
    page: (slug, given, options) =>
      read((key ? `${api}/page` : '') + pathOf(slug), parameters(given), options),
    globals: (name, given, options) =>
      get(
        name === undefined ? '/globals' : `/globals/${encodeURIComponent(name)}`,
        parameters(given),
        options,
      ),
    preview: (token, { sourcemaps, ...given } = {}, options) =>
      get(
        '/preview',
        { token, ...parameters(given), sourcemaps: sourcemaps ? 1 : undefined },
        { cache: 'no-store', ...options },
      ),
    query: name => builder(name, { locale }),
    search: (q, given, options) => list('/search', { q, locale, ...given }, options),
    pages: options => everything(cursor => list('/routes/published', { limit: 1000, cursor }, options)),
    redirects,
    changes,
  }
}

/** @returns the average colour of a thumbhash; nothing for a picture that shows what is behind it */
function colourOf(thumbhash) {
  const bytes = atob(thumbhash ?? '')
  const head = bytes.charCodeAt(0) | (bytes.charCodeAt(1) << 8) | (bytes.charCodeAt(2) << 16)
  if (bytes.length < 5 || head >> 23) return undefined
  const part = at => (head >> at) & 63
  const [light, yellow, red] = [part(0) / 63, part(6) / 31.5 - 1, part(12) / 31.5 - 1]
  const b = light - (2 / 3) * yellow
  const r = (3 * light - b + red) / 2
  const level = of => Math.round(255 * Math.max(0, Math.min(1, of)))
  return `rgb(${level(r)} ${level(r - red)} ${level(b)})`
}

export function image(media, { sizes = '100vw', fit = 'inside', names } = {}) {
  if (!media) return null
  const fitting = media.variants
    .filter(one => (names ? names.includes(one.name) : one.fit === fit))
    .sort((a, b) => a.width - b.width)
  const set = type =>
    fitting
      .filter(({ mimetype }) => mimetype === type)
      .map(({ url, width }) => `${url} ${width}w`)
      .join(', ')
  const { url, alt, mimetype, focal } = media
  const color = colourOf(media.thumbhash)
  const style = [
    focal && `object-position: ${focal.x}% ${focal.y}%`,
    color && `background-color: ${color}`,
  ].filter(Boolean)
  const largest = fitting.findLast(one => one.mimetype === mimetype)
  const isWhole = !names && fit === 'inside'
  const { width, height } = isWhole || !largest ? media : largest
  const [own, webp] = [set(mimetype), set('image/webp')]
  const responsive = own ? { srcset: own, sizes } : {}
  return {
    img: {
      src: isWhole || !largest ? url : largest.url,
      ...responsive,
      ...(width && { width, height }),
      alt: alt ?? '',
      ...(style.length > 0 && { style: style.join('; ') }),
    },
    ...(color && { color }),
    sources: webp && mimetype !== 'image/webp' ? [{ type: 'image/webp', srcset: webp, sizes }] : [],
  }
}

export function translated(lists) {
  const pages = new Map()
  for (const [locale, entries] of Object.entries(lists))
    for (const entry of entries)
      if (entry.slug && !pages.has(entry.slug)) pages.set(entry.slug, { locale, entry })
  const translations = {}
  for (const [slug, { locale, entry }] of pages) {
    translations[entry.id] ??= {}
    translations[entry.id][locale] ??= slug
  }
  return [...pages.values()].map(page => ({ ...page, translations: translations[page.entry.id] }))
}
