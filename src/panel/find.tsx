import { type PanelContext, panelPath } from './context.js'
import { type Findings, findingsOf } from './findings.js'
import { TitledPage } from './layout.js'
import { pages } from './pages.js'
import { Empty, Icon, Submit } from './parts.js'
import type { View } from './view.js'

const [fewestFound, mostFound] = [5, 20]

const Group = ({ view, group: { name, title, items, isMore } }: { view: View; group: Findings }) => (
  <section aria-labelledby={`found-${name}`}>
    <h2 id={`found-${name}`}>{title}</h2>
    <ul class="rows">
      {items.map(({ word, hint, path, icon }) => (
        <li>
          <a class="finding" href={path}>
            <Icon view={view} name={icon} />
            {word}
          </a>
          <span class="quiet">{hint}</span>
        </li>
      ))}
    </ul>
    {isMore && (
      <p class="quiet">
        {view.t('The first {n} results. Add words to narrow the search.', { n: items.length })}
      </p>
    )}
  </section>
)

/** Searches pages, entries, files, people and actions: the palette, and a page for browsers without script. */
export function findPages(context: PanelContext) {
  const set = pages(context, 'find')
  const isSite = context.base === panelPath
  set.get('/find', 'signed-in', async (view, c) => {
    const text = (c.req.query('q') ?? '').trim()
    const found = await findingsOf({ context, view, c, text }, isSite, mostFound)
    return (
      <TitledPage view={view} title={view.t('Search and commands')} column>
        <form class="find-form" method="get" action={`${view.base}/find`}>
          <input
            class="input"
            type="search"
            name="q"
            value={text}
            maxlength={200}
            aria-label={view.t('Page, file, person or command')}
            placeholder={view.t('Page, file, person or command')}
          />
          <Submit>{view.t('Search')}</Submit>
        </form>
        {found.length === 0 && <Empty>{view.t('No results for “{words}”.', { words: text })}</Empty>}
        {found.map(group => (
          <Group view={view} group={group} />
        ))}
      </TitledPage>
    )
  })
  set.get('/find/results', 'signed-in', async (view, c) => {
    const text = (c.req.query('q') ?? '').trim()
    const found = await findingsOf({ context, view, c, text }, isSite, fewestFound)
    const groups = found.map(({ title, items, isMore }) => ({ name: title, items, isMore }))
    return c.json({ groups }, 200, { 'Cache-Control': 'no-store' })
  })
  return set
}
