import { HttpError } from '../../errors.js'
import { all, modelOf, titlesOf } from '../../resources/entries.js'
import { publicationOf, publishQuestion } from '../../resources/views/publication.js'
import { t } from '../../texts/terminal.js'
import { confirmView } from '../screen/over.js'
import { pageView } from '../screen/page.js'
import { bold } from '../screen/style.js'
import type { Shell } from '../screen/view.js'
import type { Session } from '../session.js'
import { undoPublication } from './undo.js'

async function refusals(session: Session, { errors }: HttpError): Promise<readonly string[]> {
  const told = (errors ?? []) as readonly { error: string; content_data_id?: string }[]
  const ids = [...new Set(told.flatMap(one => one.content_data_id ?? []))].slice(0, 200)
  const entries = await all(session.services.space.content.list({ content_data_id: ids }, { limit: 200 }))
  const titles = await titlesOf(entries, await modelOf(session), session)
  return told.map(({ error, content_data_id = '' }) =>
    t('In “{title}”: {error}', { title: titles.get(content_data_id) ?? '', error }),
  )
}

/** Behind the sentence about a change that `z` undoes. */
export const undoWords = ` ${t('Press z to undo.')}`

/** Publishes an entry with everything under it, after a question if that is more than a change of a public entry. */
export function publish<S>(
  session: Session,
  shell: Shell<S>,
  { id, title }: { id: string; title: string },
  done: (undoWords: string) => void,
): void {
  shell.work('content:publish', async () => {
    const reach = await publicationOf(id, session)
    // A second publication has no inverse: the earlier public texts are only in a version.
    const isFirst = reach.drafts === reach.entries
    const after = async () => {
      session.undo.last = undefined
      if (isFirst) await undoPublication(session, id, title)
      done(isFirst ? undoWords : '')
    }
    const act = () => publishNow(session, shell, id, after)
    // A change of one entry that is public already needs no question.
    if (reach.entries === 1 && reach.drafts === 0) act()
    else
      shell.open(
        confirmView(t('Publish'), publishQuestion({ ...reach, title }), { word: t('publish it'), act }),
      )
  })
}

function publishNow<S>(session: Session, shell: Shell<S>, id: string, done: () => Promise<void>): void {
  shell.work('content:publish', async () => {
    try {
      await session.services.space.publishing.publish(session.actor, { content_data_id: id })
      await done()
    } catch (error) {
      if (!(error instanceof HttpError) || !error.errors) throw error
      const rows = (await refusals(session, error)).map(text => ({ text }))
      shell.open(pageView(t('Not published'), [{ text: error.message, style: bold }, { text: '' }, ...rows]))
    }
  })
}
