interface ContentChange {
  readonly all: boolean
  readonly slugs: readonly string[]
  readonly roots: readonly string[]
}

type Listener = (change: ContentChange) => void

const listeners = new Set<Listener>()
/** How long until a stream that was refused is asked for again, in milliseconds. */
const retryMs = 20_000
let source: EventSource | undefined
let retry: ReturnType<typeof setTimeout> | undefined

interface Told {
  all?: boolean
  pages?: { content_data_id: string; slug: string | null }[]
}

function onMessage({ data }: MessageEvent<string>): void {
  const { all = false, pages = [] } = JSON.parse(data) as Told
  const slugs = pages.flatMap(({ slug }) => slug ?? [])
  const roots = pages.map(({ content_data_id }) => content_data_id)
  for (const listener of listeners) listener({ all, slugs, roots })
}

const everything = () => {
  for (const listener of listeners) listener({ all: true, slugs: [], roots: [] })
}

/** Whether the page shows something of the public space that changes. */
const showsContent = () =>
  /^\/admin\/content\/entry\//.test(location.pathname) || document.querySelector('[data-preview]') !== null

/** Keeps one connection, and only while the page is visible: browsers allow few connections to a server. */
function connect(): void {
  clearTimeout(retry)
  if (document.hidden || !showsContent()) {
    source?.close()
    source = undefined
    return
  }
  if (source) return
  source = new EventSource('/api/v1/events')
  source.addEventListener('change', onMessage)
  source.addEventListener('reset', everything)
  source.addEventListener('error', () => {
    // The browser does not repeat what was refused, such as a stream too many.
    if (source?.readyState !== EventSource.CLOSED) return
    source = undefined
    clearTimeout(retry)
    retry = setTimeout(connect, retryMs)
  })
}

/** Calls a listener after changes of content, while the page is visible. */
export function onContent(listener: Listener): void {
  if (listeners.size === 0) {
    connect()
    document.addEventListener('visibilitychange', connect)
    document.addEventListener('htmx:after:swap', connect)
    document.addEventListener('signed-in', connect)
  }
  listeners.add(listener)
}
