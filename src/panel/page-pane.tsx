import type { Tree } from '../resources/trees.js'
import { formatNames } from '../services/delivery/formats/index.js'
import type { PanelContext } from './context.js'
import { previewOrigins } from './page-preview.js'
import type { View } from './view.js'

interface Shown {
  view: View
  context: PanelContext
  id: string
  locale: string
  tree: Tree
  slug: string
}

const widths = ['390', '820', 'full'] as const

interface SwitchProps {
  word: string
  name: string
  choices: readonly (readonly [value: string, word: string])[]
  chosen: string
}

const Switch = ({ word, name, choices, chosen }: SwitchProps) => (
  <fieldset class="switches">
    <legend class="hidden-text">{word}</legend>
    {choices.map(([value, label]) => (
      <label>
        <input type="radio" name={name} value={value} checked={value === chosen} autocomplete="off" />
        {label}
      </label>
    ))}
  </fieldset>
)

/** The page beside the form: as the site shows it, or as the service does; and for developers as data. */
export function PagePane(props: Shown) {
  const { view, context, id, locale, tree } = props
  const [origin] = context.isVisited ? previewOrigins(context.config()) : []
  const query = locale ? `locale=${encodeURIComponent(locale)}` : ''
  const root = `${view.base}/content/entry/${tree.root.content_data_id}`
  const isOurs = origin === undefined
  const address = isOurs ? `${root}/page${query && `?${query}`}` : `${root}/site`
  const framed = isOurs ? `${root}/page?framed${query && `&${query}`}` : address
  const hasData = view.can('tokens:read')
  const isData = hasData && view.pane.includes('data')
  return (
    <section
      class="box page-pane"
      data-preview={props.slug}
      data-entry={id}
      data-locale={locale}
      data-frame={framed}
      data-origin={origin}
    >
      <div class="pane-tools">
        {hasData ? (
          <Switch
            word={view.t('View')}
            name="pane"
            choices={[
              ['page', view.t('Page')],
              ['data', view.t('Data')],
            ]}
            chosen={isData ? 'data' : 'page'}
          />
        ) : (
          <h2>{view.t('Page')}</h2>
        )}
        <span class="spacer" />
        <label class="switches widen">
          <span>
            <input type="checkbox" id="pane-wide" checked={view.pane.includes('wide')} autocomplete="off" />
            {view.t('Wide')}
          </span>
        </label>
      </div>
      <div class="pane-page">
        <div class="pane-tools">
          <Switch
            word={view.t('Width')}
            name="pane-width"
            choices={widths.map(width => [width, width === 'full' ? view.t('Full') : width])}
            chosen={widths.find(width => view.pane.includes(width)) ?? 'full'}
          />
          <span class="spacer" />
          <a href={address} target="_blank" rel="noreferrer">
            {view.t('Open the preview')}
          </a>
        </div>
        <div class="frame-box" id="page-frame" data-keep="">
          <iframe
            src={framed}
            title={view.t('The page')}
            sandbox={
              isOurs
                ? 'allow-same-origin allow-scripts allow-top-navigation-by-user-activation'
                : 'allow-same-origin allow-scripts allow-forms'
            }
          />
        </div>
      </div>
      {hasData && <Data {...props} />}
      <p class="quiet">
        {view.t('The current state, including unpublished changes.')}{' '}
        {context.isVisited && (
          <a href={`${view.base}/content/entry/${id}/preview-links`}>{view.t('Preview links')}</a>
        )}
      </p>
    </section>
  )
}

const Data = ({
  view,
  slug,
  locale,
  context: { pageAddress, isVisited },
}: Pick<Shown, 'view' | 'slug' | 'locale' | 'context'>) => (
  <div class="pane-data">
    <ul class="formats">
      {formatNames.map(format => (
        <li>
          <a
            href={`${pageAddress}${slug}?${new URLSearchParams({ format, ...(locale ? { locale } : {}) })}`}
            target="_blank"
            rel="noreferrer"
            data-format={format}
          >
            {format}
          </a>
        </li>
      ))}
    </ul>
    {isVisited && (
      <a href={slug} target="_blank" rel="noreferrer">
        {view.t('Public response')}
      </a>
    )}
    <div data-keep="" id="preview" />
  </div>
)
