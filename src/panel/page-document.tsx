import type { Model } from '../resources/entries.js'
import { Blocks, countOf, type Drawing, drawing, Fields, type PageEntry } from './page-blocks.js'
import type { View } from './view.js'

interface Props {
  view: View
  page: PageEntry
  model: Model
  canEdit: boolean
  isFramed: boolean
}

function titleFieldOf({ title, fields, type }: PageEntry, model: Model): string | undefined {
  const known = [...model.datatypes.values()].find(({ name }) => name === type)
  const texts = model.fieldsOf.get(known?.datatype_id ?? '') ?? []
  return texts.find(({ field_type, name }) => field_type === 'text' && fields[name] === title)?.name
}

const Cut = ({ drawn, count }: { drawn: Drawing; count: number }) =>
  count > drawn.shown.blocks && (
    <p class="rest">
      {drawn.view.t('{n} of {total} blocks are shown.', { n: drawn.shown.blocks, total: count })}
    </p>
  )

/** A page of the content as readers see it, in a style of its own. Its only script is the one for clicks. */
export function PageDocument({ view, page, model, canEdit, isFramed }: Props) {
  const drawn = drawing(view, model, canEdit)
  const title = page.title ?? ''
  const titleField = titleFieldOf(page, model)
  const count = countOf(page)
  const isEmpty = count === 0 && Object.keys(page.fields).length === 0
  return (
    <html lang={page.locale ?? 'en'} data-theme={view.theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={view.fileAddress('page.css')} />
        {canEdit && <script nonce={view.nonce} src={view.fileAddress('page.js')} defer />}
      </head>
      <body>
        {!isFramed && (
          <aside class="about" aria-label={view.t('Preview')}>
            <span>{view.t('Preview: the page with its unpublished changes')}</span>
            {canEdit && <a href={`${view.base}/content/entry/${page.id}`}>{view.t('Edit')}</a>}
          </aside>
        )}
        <main data-entry={canEdit ? page.id : undefined} id={`b-${page.id}`}>
          <header>
            <h1
              data-field={canEdit ? titleField : undefined}
              data-typed={canEdit && titleField !== undefined ? '' : undefined}
            >
              {title}
            </h1>
            {page.slug !== null && <p class="address">{page.slug}</p>}
          </header>
          <Fields drawn={drawn} entry={page} level={1} without={titleField} />
          <Blocks drawn={drawn} entry={page} level={1} />
          {isEmpty && <p class="nothing">{view.t('This page is empty.')}</p>}
          <Cut drawn={drawn} count={count} />
        </main>
      </body>
    </html>
  )
}
