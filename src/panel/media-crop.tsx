import { badRequest } from '../errors.js'
import { type Ctx, idParam } from '../middleware/context.js'
import { isCroppable, MediaCrop } from '../services/media/crops.js'
import type { MediaRecord } from '../services/media/record.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { type Draft, type Pages, saved } from './pages.js'
import { Act, Form, Note, Submit } from './parts.js'
import { largeOf } from './pictures.js'
import { panelActor, type View } from './view.js'

const at = '/media/:media_id/crop'
const idIn = (c: Ctx) => idParam(c, 'media_id')

/** The page that crops an image. Without the script the part is four numbers. */
export function mediaCrops({ get, submit, act }: Pages, context: PanelContext): void {
  const { items } = context.services.media
  const draw = async (view: View, c: Ctx, draft?: Draft) => {
    const record = await items.get(idIn(c))
    if (!isCroppable(record)) throw badRequest('only png, jpg, webp and gif images can be cropped')
    return <CropPage view={view} record={record} draft={draft} />
  }
  get(at, 'media:update', (view, c) => draw(view, c))
  submit(at, 'media:update', MediaCrop, c => ({
    names: Object.keys(MediaCrop.shape),
    async save({ body }) {
      await items.crop(panelActor(c), idIn(c), body)
      return saved(`/media/${idIn(c)}`)
    },
    redraw: (view, draft) => draw(view, c, draft),
  }))
  act('/media/:media_id/uncrop', 'media:update', async c => {
    await items.crop(panelActor(c), idIn(c), null)
    return saved(`/media/${idIn(c)}`)
  })
  get('/media/:media_id/uncropped', 'media:update', async (_view, c) => {
    c.header('Cache-Control', 'no-store')
    return c.redirect(await items.downloadUncropped(idIn(c)), 302)
  })
}

const fieldsIn = ({ t }: View): Field[] => [
  { name: 'x', label: t('From the left'), kind: 'number', required: true },
  { name: 'y', label: t('From the top'), kind: 'number', required: true, beside: true },
  { name: 'width', label: t('Width'), kind: 'number', required: true },
  { name: 'height', label: t('Height'), kind: 'number', required: true, beside: true },
]

const CropPage = ({ view, record, draft }: { view: View; record: MediaRecord; draft: Draft | undefined }) => {
  const { media_id, crop, alt_text } = record
  const path = `/media/${media_id}`
  const width = crop?.uncropped_width ?? record.width ?? 0
  const height = crop?.uncropped_height ?? record.height ?? 0
  return (
    <TitledPage
      view={view}
      title={view.t('Crop')}
      crumbs={[
        { word: view.t('Media'), path: '/media' },
        { word: record.display_name || record.name, path },
      ]}
      column
      script="media-crop.js"
      actions={
        <>
          <a class="button bare" href={`${view.base}${path}`}>
            {view.t('Cancel')}
          </a>
          <Submit form="form" kind="next">
            {view.t('Crop')}
          </Submit>
        </>
      }
    >
      {draft?.problem !== undefined && (
        <Note view={view} kind="bad">
          {draft.problem}
        </Note>
      )}
      <p class="lead">
        {view.t('The original of {size} pixels is kept. The address and all uses stay the same.', {
          size: `${width} × ${height}`,
        })}
      </p>
      <div class="crop" data-crop="">
        <img
          src={crop ? `${view.base}${path}/uncropped` : largeOf(record)}
          alt={alt_text}
          width={width}
          height={height}
          draggable={false}
        />
      </div>
      <p class="hint scripted" id="crop-keys">
        {view.t(
          'Drag the corners, or use the arrow keys: they move the selection, with Shift they resize it.',
        )}
      </p>
      <Form view={view} action={`${path}/crop`} id="form" whole>
        <Fields
          view={view}
          fields={fieldsIn(view)}
          record={{ ...(crop ?? { x: 0, y: 0, width, height }) }}
          draft={draft}
        />
      </Form>
      {crop && (
        <Act view={view} action={`${path}/uncrop`} whole>
          {view.t('Reset to the original')}
        </Act>
      )}
    </TitledPage>
  )
}
