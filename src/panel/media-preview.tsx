import { isCroppable } from '../services/media/crops.js'
import type { MediaRecord } from '../services/media/record.js'
import { Act, Icon } from './parts.js'
import { largeOf } from './pictures.js'
import type { View } from './view.js'

interface Props {
  view: View
  record: MediaRecord
}

/** The file above its form, as large as the page allows. The script shows an image in its full size in a dialog. */
export const Preview = ({ view, record }: Props) => (
  <figure class="stage">
    <Shown view={view} record={record} />
    <figcaption class="actions">
      {record.width && (
        <a class="button" href={record.url} rel="noreferrer" data-full="">
          {view.t('Full size')}
        </a>
      )}
      {view.can('media:update') && isCroppable(record) && (
        <a class="button" href={`${view.base}/media/${record.media_id}/crop`}>
          {view.t('Crop…')}
        </a>
      )}
      {view.can('media:update') && record.crop && (
        <Act view={view} action={`/media/${record.media_id}/uncrop`} whole>
          {view.t('Reset to the original')}
        </Act>
      )}
      {!record.width && (
        <a class="button" href={record.url} rel="noreferrer">
          {view.t('Open')}
        </a>
      )}
    </figcaption>
  </figure>
)

const Shown = ({ view, record }: Props) => {
  const { url, mimetype, alt_text, display_name, name, width } = record
  const [kind] = mimetype.split('/')
  if (width)
    return (
      <div class="focal" data-focal="">
        <a href={url} rel="noreferrer" data-full="" aria-label={view.t('Full size')}>
          <img src={largeOf(record)} alt={alt_text} width={width} height={record.height ?? undefined} />
        </a>
      </div>
    )
  if (kind === 'image') return <img src={url} alt={alt_text} />
  if (kind === 'video' || kind === 'audio') {
    const Player = kind
    return <Player src={url} controls preload="metadata" aria-label={display_name || name} />
  }
  return (
    <p class="no-picture">
      <Icon view={view} name="file" />
      {mimetype.split('/').at(-1)}
    </p>
  )
}
