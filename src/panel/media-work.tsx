import { z } from 'zod'
import { type HttpError, invalid } from '../errors.js'
import { limits } from '../limits.js'
import { onEach } from '../resources/several.js'
import { reference } from '../services/body-parts.js'
import type { MediaRecord } from '../services/media/record.js'
import { MediaTags, tagsIn } from '../services/media/tags.js'
import type { PanelContext } from './context.js'
import { TitledPage } from './layout.js'
import { type Pages, showPage } from './pages.js'
import { Form, Note, Submit } from './parts.js'
import { panelActor, type View } from './view.js'

const Work = z.object({
  what: z.enum(['move', 'tag', 'untag', 'delete']),
  ids: z.array(reference).min(1, 'must name a file').max(limits.content.selectedRecords),
  /** Empty for no folder. */
  folder_id: z.union([z.literal(''), reference]).default(''),
  /** Tags with commas between. */
  tags: z.string().max(2000).default(''),
  back: z.string().max(2000).default(''),
  sure: z.enum(['', 'yes']).default(''),
})
type Work = z.output<typeof Work>

const doneTexts = {
  move: ['{n} file moved.', '{n} files moved.'],
  tag: ['{n} file tagged.', '{n} files tagged.'],
  untag: ['Tags removed from {n} file.', 'Tags removed from {n} files.'],
  delete: ['{n} file deleted.', '{n} files deleted.'],
} as const

/** Returns the sentence for `done` in the address of the library; undefined if it is invalid. */
export function mediaDoneIn(given: string | undefined, { count }: View): string | undefined {
  const [, what, n] = /^(move|tag|untag|delete)\.(\d{1,3})$/.exec(given ?? '') ?? []
  if (what === undefined) return undefined
  const [one, several] = doneTexts[what as Work['what']]
  return count(Number(n), one, several)
}

/** Returns a path of the library only, whatever the form contains. */
function libraryWith(back: string, done?: string): string {
  const query = new URLSearchParams(back)
  query.delete('done')
  if (done !== undefined) query.set('done', done)
  return query.size === 0 ? '/media' : `/media?${query}`
}

const crumbsOf = ({ back }: Work, { t }: View) => [{ word: t('Media'), path: libraryWith(back) }]
const nameOf = ({ display_name, name }: MediaRecord) => display_name || name

/** @throws 400 without a tag, or for an invalid one */
function taggingOf({ what, tags }: Work): { add: readonly string[]; remove: readonly string[] } {
  const given = MediaTags.min(1, 'must name a tag').safeParse(tagsIn(tags))
  if (!given.success) throw invalid('tags', given.error.issues[0]?.message ?? '')
  return what === 'tag' ? { add: given.data, remove: [] } : { add: [], remove: given.data }
}

/** Actions on several files. A deletion asks for confirmation first, and a file that content uses stays. */
export function mediaWork({ submit }: Pages, context: PanelContext): void {
  const { access, media } = context.services
  submit('/media-work', 'media:update', Work, c => ({
    names: [],
    async save({ body, view }) {
      const ids = [...new Set(body.ids)]
      if (body.what === 'move') {
        await media.items.move(panelActor(c), { media_ids: ids, folder_id: body.folder_id || null })
        return libraryWith(body.back, `move.${ids.length}`)
      }
      if (body.what !== 'delete') {
        await media.items.tag(panelActor(c), { media_ids: ids, ...taggingOf(body) })
        return libraryWith(body.back, `${body.what}.${ids.length}`)
      }
      await access.need(c.env.identity, 'media:delete')
      const files = await media.items.some(ids)
      if (body.sure !== 'yes') return showPage(c, <Question view={view} body={body} files={files} />)
      const refused = await onEach(ids, id => media.items.remove(panelActor(c), id))
      if (refused.size === 0) return libraryWith(body.back, `delete.${ids.length}`)
      return showPage(c, <Result view={view} body={body} files={files} refused={refused} />, 409)
    },
  }))
}

interface Props {
  view: View
  body: Work
  files: readonly MediaRecord[]
}

const Question = ({ view, body, files }: Props) => (
  <TitledPage
    view={view}
    title={view.count(files.length, 'Delete {n} file?', 'Delete {n} files?')}
    crumbs={crumbsOf(body, view)}
    column
  >
    <p class="lead">{view.t('Files that content uses are not deleted. This cannot be undone.')}</p>
    <Form view={view} action="/media-work">
      <input type="hidden" name="sure" value="yes" />
      <input type="hidden" name="what" value="delete" />
      <input type="hidden" name="back" value={body.back} />
      {files.map(({ media_id }) => (
        <input type="hidden" name="ids" value={media_id} />
      ))}
      <div class="actions">
        <Submit kind="bad">{view.t('Delete')}</Submit>
        <a class="button bare" href={`${view.base}${libraryWith(body.back)}`}>
          {view.t('Cancel')}
        </a>
      </div>
    </Form>
    <ul class="rows after">
      {files.map(file => (
        <li>
          <a href={`${view.base}/media/${file.media_id}`}>{nameOf(file)}</a>
        </li>
      ))}
    </ul>
  </TitledPage>
)

const Result = ({ view, body, files, refused }: Props & { refused: ReadonlyMap<string, HttpError> }) => {
  const names = new Map(files.map(file => [file.media_id, nameOf(file)]))
  return (
    <TitledPage
      view={view}
      title={view.count(body.ids.length - refused.size, '{n} file deleted.', '{n} files deleted.')}
      crumbs={crumbsOf(body, view)}
      column
    >
      <Note view={view} kind="bad">
        {view.count(refused.size, '{n} file was not deleted.', '{n} files were not deleted.')}
      </Note>
      <ul class="rows">
        {[...refused].map(([id, { message }]) => (
          <li>
            {names.has(id) ? <a href={`${view.base}/media/${id}`}>{names.get(id)}</a> : <code>{id}</code>}
            <span class="quiet">{message}</span>
          </li>
        ))}
      </ul>
      <p class="actions after">
        <a class="button next" href={`${view.base}${libraryWith(body.back)}`}>
          {view.t('Back to the list')}
        </a>
      </p>
    </TitledPage>
  )
}
