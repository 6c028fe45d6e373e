interface ContentChange {
  readonly all: boolean
  readonly slugs: readonly string[]
  readonly roots: readonly string[]
}

type Listener = (change: ContentChange) => void

const listeners = new Set<Listener>()
let source: EventSource | undefined

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

/** Keeps a connection only while the page is visible: browsers allow few connections to a server. */
function connect(): void {
  const isWanted = document.visibilityState === 'visible' && document.querySelector('[data-preview]') !== null
  if (!isWanted) {
    source?.close()
    source = undefined
    return
  }
  if (source) return
  source = new EventSource('/api/v1/events')
  source.addEventListener('change', onMessage)
  source.addEventListener('reset', everything)
  source.addEventListener('error', () => {
    // A refusal ends it for good, as without a session.
    if (source?.readyState === EventSource.CLOSED) source = undefined
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
