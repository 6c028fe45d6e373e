import type { Child } from 'hono/jsx'
import type { UndoMark } from '../services/content/undo.js'
import { directionOf } from '../texts/language.js'
import type { PlainText } from '../texts/text.js'
import type { Place } from './moved-from.js'
import { Act, Icon, Moment } from './parts.js'
import { Rail } from './rail.js'
import { undoText } from './undo-last.js'
import type { View } from './view.js'

interface DocumentProps {
  view: View
  title: string
  children?: Child
  kind?: string
  /** A script that this page needs beside that of every page. */
  script?: string | undefined
}

/** The document around every page of the panel. */
export const Document = ({ view, title, children, kind, script }: DocumentProps) => (
  <html lang={view.language} dir={directionOf(view.language)} data-theme={view.theme}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <meta
        name="htmx-config"
        content={'{"extensions":"hx-csp,keep-folds","history":"reload","morphSkip":"[data-keep]"}'}
      />
      <title>{title === '' ? 'Slugline' : `${title} · Slugline`}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href={view.fileAddress('style.css')} />
      {view.language !== 'en' && (
        <script nonce={view.nonce} src={view.fileAddress(`texts-${view.language}.js`)} defer />
      )}
      <script nonce={view.nonce} src={view.fileAddress('panel.js')} defer />
      {script !== undefined && <script type="module" nonce={view.nonce} src={view.fileAddress(script)} />}
    </head>
    <body class={kind}>{children}</body>
  </html>
)

const FindButton = ({ view }: { view: View }) => (
  <a class="button find-button" href={`${view.base}/find`} data-palette={`${view.base}/find/results`}>
    <Icon view={view} name="seek" />
    <span class="find-word">{view.t('Search and commands')}</span>
    <kbd class="find-word">{view.t('Ctrl K')}</kbd>
  </a>
)

const TreeButton = ({ view, word }: { view: View; word: string }) => (
  <button
    type="button"
    class="button bare scripted tree-button"
    aria-label={word}
    aria-controls="tree"
    aria-expanded="true"
    title={view.t('Tree (\\)')}
    data-fold=""
  >
    <Icon view={view} name="list" />
  </button>
)

/** The handle that makes the tree wider or narrower; `browser/panes.ts` has the same numbers. */
const TreeEdge = ({ view }: { view: View }) => (
  // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
  <div
    class="tree-edge scripted"
    role="separator"
    tabindex={0}
    aria-orientation="vertical"
    aria-label={view.t('Width of the tree')}
    aria-controls="tree"
    aria-valuemin={220}
    aria-valuemax={480}
    aria-valuenow={300}
    data-edge=""
  />
)

/** A link above the title of a page. */
export interface Crumb {
  readonly word: string
  readonly path: string
}

export interface PageProps {
  view: View
  title: string
  crumbs?: readonly Crumb[]
  /** The actions of the bar; the last one is main button of a form. */
  actions?: Child
  tree?: Child
  side?: Child
  column?: boolean
  kind?: string
  script?: string | undefined
  children?: Child
}

const isThere = (part: Child | undefined): boolean => part !== undefined && part !== null && part !== false

/** A page of the panel: the rail, the bar, and the content. */
export function Page({
  view,
  title,
  crumbs = [],
  actions,
  tree,
  side,
  column,
  kind,
  script,
  children,
}: PageProps) {
  const [hasTree, hasSide] = [isThere(tree), isThere(side)]
  const treeWord = view.t(kind === 'with-folders' ? 'Folders' : 'Tree')
  const classes = ['app', hasTree ? 'has-tree' : '', hasSide ? 'has-side' : '', kind ?? ''].filter(Boolean)
  return (
    <Document view={view} title={title} script={script}>
      <a class="skip" href="#main">
        {view.t('Skip to the content')}
      </a>
      <div
        id="app"
        class={classes.join(' ')}
        data-base={view.base}
        data-user={view.user?.user_id}
        data-script={script && view.fileAddress(script)}
      >
        <Rail view={view} />
        <header class="bar">
          {hasTree && <TreeButton view={view} word={treeWord} />}
          <nav class="crumbs" aria-label={view.t('Where')}>
            {crumbs.map(({ word, path }) => (
              <>
                <a href={`${view.base}${path}`}>{word}</a>
                <span aria-hidden="true">/</span>
              </>
            ))}
            <b>{title}</b>
          </nav>
          <span class="spacer" />
          <span class="presence" role="status" id="presence" />
          <span class="saved" role="status" id="saved">
            {view.saved && view.parts('Saved {time}', { time: <Moment view={view} at={view.now} clock /> })}
          </span>
          {view.movedFrom && <MoveBack view={view} from={view.movedFrom} />}
          {view.undo && isEntry(view) && <UndoLast view={view} mark={view.undo} />}
          <FindButton view={view} />
          {hasSide && (
            <button type="button" class="button side-button" popovertarget="side">
              {view.t('Details')}
            </button>
          )}
          {actions}
        </header>
        {hasTree && (
          <section class="tree" id="tree" aria-label={treeWord}>
            <div class="tree-scroll">{tree}</div>
            <TreeEdge view={view} />
          </section>
        )}
        <main id="main" tabindex={-1} class={column ? 'column' : undefined}>
          {view.deleted.length > 0 && <Deleted view={view} />}
          {children}
        </main>
        {hasSide && (
          <aside class="side" id="side" popover="auto" aria-label={view.t('Details')}>
            {side}
          </aside>
        )}
      </div>
      <p id="say" class="hidden-text" role="status" aria-live="polite" />
    </Document>
  )
}

const Deleted = ({ view }: { view: View }) => (
  <div class="note undo" role="status">
    <Icon view={view} name="trash" />
    <div>
      {view.deleted.length === 1 ? view.t('Deleted.') : view.t('{n} deleted.', { n: view.deleted.length })}
    </div>
    {view.mayRestore && (
      <Act view={view} action={`/trash/restore?ids=${view.deleted.join('.')}`}>
        {view.t('Undo')}
      </Act>
    )}
  </div>
)

/** A button that undoes the move before this page. Ctrl Z in the tree presses it. */
const MoveBack = ({ view, from: { id, parent_id, position } }: { view: View; from: Place }) => (
  <Act
    view={view}
    action={`/content/entry/${id}/place?open=${view.path.split('/').at(-1)}`}
    values={{ parent_id, position: String(position) }}
    kind="move-back"
  >
    {view.t('Undo move')}
  </Act>
)

const undoWords = {
  save: 'Undo save',
  rename: 'Undo save',
  publish: 'Undo publish',
  unpublish: 'Undo unpublish',
} as const satisfies Record<UndoMark['what'], PlainText>

const isEntry = ({ path }: View) => /^\/content\/entry\/\w{26}$/.test(path)

/** A button that undoes what was done to the entry of this page before it. */
const UndoLast = ({ view, mark }: { view: View; mark: UndoMark }) => (
  <Act view={view} action={`${view.path}/undo`} values={{ mark: undoText(mark) }}>
    {view.t(undoWords[mark.what])}
  </Act>
)

interface TitledProps extends PageProps {
  heading?: string
}

/** A page that begins with a heading. */
export const TitledPage = ({ heading, children, ...page }: TitledProps) => (
  <Page {...page}>
    <div class="head">
      <h1>{heading ?? page.title}</h1>
    </div>
    {children}
  </Page>
)
