import { limits } from '../limits.js'
import type { Ctx } from '../middleware/context.js'
import { type Folder, folderChoices, sizeWords } from '../resources/media.js'
import type { MediaOrder } from '../services/media/input.js'
import type { MediaRecord } from '../services/media/record.js'
import type { PlainText } from '../texts/text.js'
import type { PanelContext } from './context.js'
import { Chooser, FilterForm, known } from './filters.js'
import { tokenMember } from './form-token.js'
import { Page } from './layout.js'
import { Folders, nameOfFolder } from './media-folders.js'
import { mediaDoneIn } from './media-work.js'
import type { Pages } from './pages.js'
import { Empty, Form, Note, Submit } from './parts.js'
import { tileOf } from './pictures.js'
import { SavedViews, viewQuery } from './saved-views.js'
import type { View } from './view.js'

const [pageSize, maxPage] = [60, 10_000]

const Picture = ({ media, class: kind }: { media: MediaRecord; class: string }) => {
  const tile = tileOf(media)
  if (!tile) return <span class={`${kind} no-picture`}>{media.mimetype.split('/').at(-1)}</span>
  return <img class={kind} src={tile} alt={media.alt_text} loading="lazy" draggable={false} />
}

const typesIn = ({ t }: View) => [
  { value: 'image', word: t('Images') },
  { value: 'video', word: t('Videos') },
  { value: 'audio', word: t('Audio') },
  { value: 'application', word: t('Documents') },
]

/** The orders of the library, the standard one first. */
const orders = {
  '-uploaded': 'Newest',
  uploaded: 'Oldest',
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
  '-size': 'Largest files',
  size: 'Smallest files',
} as const satisfies Record<string, PlainText>
type Order = keyof typeof orders

const ordersIn = ({ t }: View) => Object.entries(orders).map(([value, word]) => ({ value, word: t(word) }))

/** The filters of the library as the address has them; empty without one. */
interface Asked {
  readonly folder: string
  readonly text: string
  readonly type: string
  readonly tag: string
  readonly without: '' | 'alt_text'
  /** Empty for the standard order. */
  readonly sort: '' | Order
}

const askedIn = (c: Ctx, view: View): Asked => ({
  folder: c.req.query('folder') ?? '',
  text: c.req.query('text') ?? '',
  type: known(typesIn(view), c.req.query('type')) ?? '',
  tag: (c.req.query('tag') ?? '').slice(0, limits.media.tagLength),
  without: c.req.query('without') === 'alt_text' ? 'alt_text' : '',
  sort: orderIn(c.req.query('sort')),
})

const orderIn = (given = ''): '' | Order =>
  Object.hasOwn(orders, given) && given !== '-uploaded' ? (given as Order) : ''

/** The order of the list, and where its page begins: behind a file in the order of the uploads, else by a number. */
function sliceIn(c: Ctx, { sort }: Asked) {
  const descending = sort === '' || sort.startsWith('-')
  const by = (sort.replace('-', '') || 'uploaded') as MediaOrder
  const after = c.req.query('after')
  const given = Number(c.req.query('page') ?? 1)
  const page = Number.isInteger(given) && given >= 1 && given <= maxPage ? given : 1
  const order = { by, descending }
  if (by === 'uploaded') return { order, page: 1, ...(after ? { after } : {}) }
  return { order, page, offset: (page - 1) * pageSize }
}

/** Decorative pictures lack it on purpose, and other files do not need it. */
const filterOf = ({ folder, text, type, tag, without }: Asked) => ({
  ...(folder && { folder_id: folder }),
  ...(text && { text }),
  ...(type && { type }),
  ...(tag && { tag }),
  ...(without && { without, type: 'image' }),
})

/** The library: files in an order, with filters, and actions on several. */
export function libraryPage({ get }: Pages, context: PanelContext): void {
  const { items, folders } = context.services.media
  get('/media', 'media:read', async (view, c) => {
    const asked = askedIn(c, view)
    const { page, ...slice } = sliceIn(c, asked)
    const found: MediaRecord[] = []
    for await (const batch of items.list(filterOf(asked), { ...slice, limit: pageSize + 1 }))
      found.push(...batch)
    const shown = found.slice(0, pageSize)
    const tree = (await folders.tree()) as Folder[]
    const tags = await items.usedTags()
    const query = viewQuery({ ...asked })
    const next = new URLSearchParams(query)
    if (slice.order.by === 'uploaded') next.set('after', shown.at(-1)?.media_id ?? '')
    else next.set('page', String(page + 1))
    const done = mediaDoneIn(c.req.query('done'), view)
    return (
      <Page
        view={view}
        title={view.t('Media')}
        tree={<Folders view={view} tree={tree} folder={asked.folder} />}
        kind="with-folders"
        script="media-library.js"
      >
        <div class="head">
          <h1>{nameOfFolder(tree, asked.folder, view)}</h1>
        </div>
        {done !== undefined && (
          <div role="status">
            <Note view={view}>{done}</Note>
          </div>
        )}
        {await SavedViews({ view, c, context, path: '/media', query })}
        <Filters view={view} asked={asked} tags={tags} />
        {view.can('media:create') && <Upload view={view} folder={asked.folder} />}
        {shown.length === 0 ? (
          <Nothing view={view} asked={asked} />
        ) : (
          <Tiles view={view} shown={shown} back={query} tree={tree} tags={tags} />
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

const Nothing = ({ view, asked: { text, type, tag, without } }: { view: View; asked: Asked }) => (
  <Empty>
    {text !== ''
      ? view.t('No results for “{text}”.', { text })
      : view.t(type || tag || without ? 'No files match the filters.' : 'No files yet.')}
  </Empty>
)

const Filters = ({ view, asked, tags }: { view: View; asked: Asked; tags: readonly string[] }) => (
  <FilterForm
    view={view}
    path="/media"
    set={[asked.type, asked.tag, asked.without, asked.sort].filter(Boolean).length}
    seek={
      <label class="seek">
        {view.t('Search')}
        <input
          class="input"
          type="search"
          id="media-text"
          name="text"
          value={asked.text}
          maxlength={200}
          placeholder={view.t('Name or text of a file')}
        />
      </label>
    }
  >
    <input type="hidden" name="folder" value={asked.folder} />
    <Chooser
      label={view.t('Type')}
      name="type"
      none={view.t('Any')}
      choices={typesIn(view)}
      chosen={asked.type}
    />
    {(tags.length > 0 || asked.tag !== '') && (
      <Chooser
        label={view.t('Tag')}
        name="tag"
        none={view.t('Any')}
        choices={[...new Set([...tags, ...(asked.tag && [asked.tag])])].map(tag => ({
          value: tag,
          word: tag,
        }))}
        chosen={asked.tag}
      />
    )}
    <Chooser
      label={view.t('Alt text')}
      name="without"
      none={view.t('Any')}
      choices={[{ value: 'alt_text', word: view.t('Missing') }]}
      chosen={asked.without}
    />
    <label>
      {view.t('Order')}
      <select class="input" name="sort">
        {ordersIn(view).map(({ value, word }) => (
          <option value={value === '-uploaded' ? '' : value} selected={value === asked.sort}>
            {word}
          </option>
        ))}
      </select>
    </label>
  </FilterForm>
)

interface TilesProps {
  view: View
  shown: readonly MediaRecord[]
  /** The query of the list, to which an action leads back. */
  back: string
  tree: readonly Folder[]
  /** Suggestions. */
  tags: readonly string[]
}

const Tiles = ({ view, shown, back, tree, tags }: TilesProps) => {
  const mayAct = view.can('media:update')
  const mayMove = mayAct && tree.length > 0
  return (
    <Form view={view} action="/media-work" class="work-list">
      <input type="hidden" name="back" value={back} />
      <ul class="tiles">
        {shown.map(media => (
          <li>
            <a
              href={`${view.base}/media/${media.media_id}`}
              data-media={mayMove ? media.media_id : undefined}
            >
              <Picture media={media} class="tile" />
              <span class="tile-name">{media.display_name || media.name}</span>
              <span class="quiet">{sizeWords(media.size, view.language)}</span>
            </a>
            {mayAct && (
              <input
                type="checkbox"
                id={`pick-${media.media_id}`}
                name="ids"
                value={media.media_id}
                aria-label={view.t('Select {title}', { title: media.display_name || media.name })}
              />
            )}
          </li>
        ))}
      </ul>
      {mayAct && <Bar view={view} tree={tree} tags={tags} />}
    </Form>
  )
}

const Bar = ({ view, tree, tags }: Pick<TilesProps, 'view' | 'tree' | 'tags'>) => (
  <div class="work-bar">
    <b data-picked="">{view.t('With the selected files:')}</b>
    {tree.length > 0 && (
      <>
        <select class="input" name="folder_id" aria-label={view.t('Folder')}>
          <option value="">{view.t('Not in a folder')}</option>
          {folderChoices(tree).map(({ value, word }) => (
            <option value={value}>{word}</option>
          ))}
        </select>
        <button type="submit" name="what" value="move" class="button">
          {view.t('Move')}
        </button>
      </>
    )}
    <input
      class="input"
      name="tags"
      list="used-tags"
      maxlength={200}
      aria-label={view.t('Tags')}
      placeholder={view.t('Tags, with commas')}
    />
    <datalist id="used-tags">
      {tags.map(tag => (
        <option value={tag} />
      ))}
    </datalist>
    <button type="submit" name="what" value="tag" class="button">
      {view.t('Add tags')}
    </button>
    <button type="submit" name="what" value="untag" class="button">
      {view.t('Remove tags')}
    </button>
    {view.can('media:delete') && (
      <button type="submit" name="what" value="delete" class="button bad">
        {view.t('Delete…')}
      </button>
    )}
  </div>
)

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
