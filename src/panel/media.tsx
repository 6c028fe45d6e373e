import { type Ctx, idParam } from '../middleware/context.js'
import { titlesById } from '../resources/entries.js'
import { mediaResource, sizeWords } from '../resources/media.js'
import type { MediaRecord } from '../services/media/record.js'
import type { PanelContext } from './context.js'
import { refuseForeignForm, tokenMember } from './form-token.js'
import { Table } from './list.js'
import { mediaCrops } from './media-crop.js'
import { folderActions } from './media-folders.js'
import { libraryPage } from './media-library.js'
import { Preview } from './media-preview.js'
import { mediaWork } from './media-work.js'
import { type Pages, saved } from './pages.js'
import { Moment, Submit } from './parts.js'
import { resourcePages } from './resource.js'
import { panelActor, type View } from './view.js'

const maxUses = 100

/** The media library: files with their texts, in folders. */
export function mediaPages(context: PanelContext) {
  const set = resourcePages(context, {
    ...mediaResource(context),
    path: '/media',
    ownList: true,
    script: 'media-item.js',
    before: (view, record) => <Preview view={view} record={record} />,
    side: (view, record) => <Details view={view} record={record} />,
    more: (view, record, c) => Uses({ view, record, c, context }),
  })
  libraryPage(set, context)
  mediaWork(set, context)
  mediaCrops(set, context)
  uploadAction(set, context)
  folderActions(set, context)
  return set
}

const Details = ({ view, record }: { view: View; record: MediaRecord }) => (
  <>
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
        {record.crop && (
          <>
            <dt>{view.t('Original')}</dt>
            <dd>{`${record.crop.uncropped_width} × ${record.crop.uncropped_height}`}</dd>
          </>
        )}
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
        <ul class="variants">
          {record.variants.map(({ url, name, width, height, mimetype, size }) => (
            <li>
              <a href={url}>
                <img src={url} alt="" loading="lazy" />
                {name}
              </a>
              <span class="quiet">
                {width} × {height}
                <br />
                {mimetype.split('/').at(-1)} · {sizeWords(size, view.language)}
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
