import { type Ctx, idParam } from '../middleware/context.js'
import { titlesById } from '../resources/entries.js'
import { type Folder, mediaResource, sizeWords } from '../resources/media.js'
import type { MediaRecord } from '../services/media/record.js'
import type { PanelContext } from './context.js'
import { refuseForeignForm, tokenMember } from './form-token.js'
import { Page } from './layout.js'
import { Table } from './list.js'
import { Folders, folderActions, nameOfFolder } from './media-folders.js'
import { type Pages, saved } from './pages.js'
import { Empty, Moment, Submit } from './parts.js'
import { tileOf, wholeOf } from './pictures.js'
import { resourcePages } from './resource.js'
import { SavedViews, viewQuery } from './saved-views.js'
import { panelActor, type View } from './view.js'

const pageSize = 60
const maxUses = 100

const Picture = ({ media, class: kind }: { media: MediaRecord; class: string }) => {
  const tile = tileOf(media)
  if (!tile) return <span class={`${kind} no-picture`}>{media.mimetype.split('/').at(-1)}</span>
  return <img class={kind} src={tile} alt={media.alt_text} loading="lazy" />
}

/** The media library: files with their texts, in folders. */
export function mediaPages(context: PanelContext) {
  const set = resourcePages(context, {
    ...mediaResource(context),
    path: '/media',
    ownList: true,
    side: (view, record) => <Details view={view} record={record} />,
    more: (view, record, c) => Uses({ view, record, c, context }),
  })
  libraryPage(set, context)
  uploadAction(set, context)
  folderActions(set, context)
  return set
}

const Details = ({ view, record }: { view: View; record: MediaRecord }) => (
  <>
    <section class="box">
      <h2>
        {view.t('Preview')}{' '}
        <a href={record.url} rel="noreferrer">
          {view.t('Open')}
        </a>
      </h2>
      <div class="focal" data-focal={record.width ? '' : undefined}>
        {record.width ? (
          <img class="preview" src={wholeOf(record)} alt={record.alt_text} />
        ) : (
          <Picture media={record} class="preview" />
        )}
      </div>
    </section>
    <section class="box">
      <h2>{view.t('About')}</h2>
      <dl class="facts">
        <dt>{view.t('File')}</dt>
        <dd>{record.name}</dd>
        <dt>{view.t('Type')}</dt>
        <dd>{record.mimetype}</dd>
        <dt>{view.t('Size')}</dt>
        <dd>
          {sizeWords(record.size, view.language)}
          {record.width && ` · ${record.width} × ${record.height}`}
        </dd>
        <dt>{view.t('Uploaded')}</dt>
        <dd>
          <Moment view={view} at={record.date_created} />
        </dd>
        <dt>{view.t('Id')}</dt>
        <dd class="mono">{record.media_id}</dd>
      </dl>
    </section>
    {view.can('media:update') && <Replace view={view} record={record} />}
    {record.variants.length > 0 && (
      <section class="box">
        <h2>{view.t('Variants')}</h2>
        <ul class="rows">
          {record.variants.map(({ url, name, width, height, mimetype, size }) => (
            <li>
              <a href={url}>
                {name} <span class="hint">{mimetype.split('/').at(-1)}</span>
              </a>
              <span class="quiet">
                {width} × {height} · {sizeWords(size, view.language)}
              </span>
            </li>
          ))}
        </ul>
      </section>
    )}
  </>
)

/** A form of its own, because its body is a file (D-644). */
const Replace = ({ view, record: { media_id, mimetype } }: { view: View; record: MediaRecord }) => (
  <section class="box">
    <h2>{view.t('Replace file')}</h2>
    <form
      method="post"
      encType="multipart/form-data"
      action={`${view.base}/media-file/${media_id}?${tokenMember}=${view.token}`}
    >
      <p>
        <label class="hint" for="replacement">
          {view.t('Choose another {type} file. The address, the texts and all uses stay the same.', {
            type: mimetype,
          })}
        </label>
      </p>
      <p>
        <input type="file" id="replacement" name="file" accept={mimetype} required />
      </p>
      <p>
        <Submit>{view.t('Replace file')}</Submit>
      </p>
    </form>
  </section>
)

async function Uses({
  record,
  c,
  context,
  view,
}: {
  view: View
  record: MediaRecord
  c: Ctx
  context: PanelContext
}) {
  const uses = await context.services.media.items.references(panelActor(c), record.media_id)
  const shown = uses.slice(0, maxUses)
  const titles = await titlesById(
    shown.map(({ content_data_id }) => content_data_id),
    context,
  )
  return (
    <section aria-labelledby="uses">
      <h2 id="uses">{view.t('Used by')}</h2>
      {uses.length === 0 ? (
        <p class="quiet">{view.t('Nothing uses it.')}</p>
      ) : (
        <Table
          view={view}
          caption={view.t('Used by')}
          records={shown}
          pathOf={({ content_data_id }) => `/content/entry/${content_data_id}`}
          columns={[
            {
              label: 'Entry',
              of: ({ content_data_id }) => titles.get(content_data_id) ?? content_data_id,
            },
            { label: 'Language', of: ({ locale }) => locale || '–' },
          ]}
        />
      )}
    </section>
  )
}

function libraryPage({ get }: Pages, context: PanelContext): void {
  const { items, folders } = context.services.media
  get('/media', 'media:read', async (view, c) => {
    const folder = c.req.query('folder') ?? ''
    const text = c.req.query('text') ?? ''
    const filter = text === '' ? (folder === '' ? {} : { folder_id: folder }) : { text }
    const after = c.req.query('after')
    const found: MediaRecord[] = []
    for await (const batch of items.list(filter, { limit: pageSize + 1, ...(after ? { after } : {}) }))
      found.push(...batch)
    const shown = found.slice(0, pageSize)
    const tree = (await folders.tree()) as Folder[]
    const next = new URLSearchParams({ folder, text, after: shown.at(-1)?.media_id ?? '' })
    return (
      <Page
        view={view}
        title={view.t('Media')}
        tree={<Folders view={view} tree={tree} folder={folder} />}
        kind="with-folders"
      >
        <div class="head">
          <h1>{nameOfFolder(tree, folder, view)}</h1>
          <span class="spacer" />
          <form class="find" method="get" action={`${view.base}/media`}>
            <input
              class="input"
              type="search"
              name="text"
              value={text}
              placeholder={view.t('Search files')}
              aria-label={view.t('Search files')}
            />
          </form>
        </div>
        {await SavedViews({ view, c, context, path: '/media', query: viewQuery({ folder, text }) })}
        {view.can('media:create') && <Upload view={view} folder={folder} />}
        {shown.length === 0 ? (
          <Empty>
            {text === '' ? view.t('No files yet.') : view.t('No results for “{text}”.', { text })}
          </Empty>
        ) : (
          <ul class="tiles">
            {shown.map(media => (
              <li>
                <a href={`${view.base}/media/${media.media_id}`}>
                  <Picture media={media} class="tile" />
                  <span class="tile-name">{media.display_name || media.name}</span>
                  <span class="quiet">{sizeWords(media.size, view.language)}</span>
                </a>
              </li>
            ))}
          </ul>
        )}
        {found.length > pageSize && (
          <p class="pager">
            <a href={`${view.base}/media?${next}`}>{view.t('Next {n}', { n: pageSize })}</a>
          </p>
        )}
      </Page>
    )
  })
}

/**
 * With the script files are uploaded at once, else one at a time. The token is in the address: the body is a file
 * (D-644).
 */
const Upload = ({ view, folder }: { view: View; folder: string }) => (
  <form
    class="drop"
    method="post"
    encType="multipart/form-data"
    action={`${view.base}/media-upload?${tokenMember}=${view.token}`}
    data-upload=""
  >
    <input type="hidden" name="folder_id" value={folder === 'root' ? '' : folder} />
    <label for="file">{view.t('Drop files here, or choose')}</label>
    <input type="file" id="file" name="file" required />
    <noscript>
      <Submit>{view.t('Upload')}</Submit>
    </noscript>
    <p class="total" data-total="" />
    <ul class="queue" />
  </form>
)

function uploadAction({ receive }: Pages, context: PanelContext): void {
  const { items } = context.services.media
  receive('/media-upload', 'media:create', 'Upload a file', async c => {
    refuseForeignForm(c, c.req.query(tokenMember), context)
    const { media_id } = await items.upload(panelActor(c), c.req.raw)
    return c.redirect(`${context.base}${saved(`/media/${media_id}`)}`, 303)
  })
  receive('/media-file/:media_id', 'media:update', 'Replace the file of a media item', async c => {
    refuseForeignForm(c, c.req.query(tokenMember), context)
    const { media_id } = await items.replaceFile(panelActor(c), idParam(c, 'media_id'), c.req.raw)
    return c.redirect(`${context.base}${saved(`/media/${media_id}`)}`, 303)
  })
}
