import htmx from 'htmx.org/dist/htmx.esm.js'

interface Answer {
  ctx?: { response?: { status?: number; raw?: { url: string } } }
}

/** Whether the response is about the page that is shown: its parts stay unfolded. */
let isSamePage = false

const summaryOf = (details: Element) => details.querySelector('summary')?.textContent

/** Keeps unfolded what the response folds again. */
function keepUnfolded(_: Element, { oldNode, newNode }: { oldNode: Node; newNode: Node }): void {
  const isKept =
    isSamePage &&
    oldNode instanceof HTMLDetailsElement &&
    newNode instanceof HTMLDetailsElement &&
    oldNode.open &&
    summaryOf(oldNode) === summaryOf(newNode)
  if (isKept) newNode.setAttribute('open', '')
}

/** Starts to keep what somebody has unfolded. */
export function startFolds(): void {
  htmx.registerExtension('keep-folds', { htmx_before_morph_node: keepUnfolded })
  document.addEventListener('htmx:before:swap', event => {
    const { status = 0, raw } = (event as CustomEvent<Answer>).detail.ctx?.response ?? {}
    isSamePage = status >= 400 || new URL(raw?.url ?? '', location.href).pathname === location.pathname
  })
}
