import { type Ctx, idParam } from '../middleware/context.js'
import { talkMarkOf } from '../resources/views/talk.js'
import type { PanelContext } from './context.js'
import { pageMark, routeOf } from './page-head.js'
import { pages } from './pages.js'
import { panelActor } from './view.js'

const idIn = (c: Ctx) => idParam(c, 'entry_id')

/** Tells the script who else has an entry open, and whether the page shows its last state. */
export function presencePages(context: PanelContext) {
  const set = pages(context, 'presence')
  const { presence, users, space } = context.services
  const at = '/presence/:entry_id'

  const nameOf = (id: string) =>
    users.get(id).then(
      ({ name, username }) => name || username,
      // Deleted meanwhile: there is no entry to report.
      () => undefined,
    )

  set.act(at, 'content:update', async c => {
    const entry = await space.content.get(idIn(c))
    const others = await presence.note(panelActor(c), entry.content_data_id)
    const names = (await Promise.all(others.map(nameOf))).flatMap(name => name ?? [])
    const mark = pageMark(entry, await routeOf(entry, context), context)
    const talk = context.isVisited ? await talkMarkOf(entry, context) : ''
    const told = { others: names.toSorted(), mark, talk, root: entry.root_id }
    return c.json(told, 200, { 'Cache-Control': 'no-store' })
  })
  set.act(`${at}/leave`, 'content:update', async c => {
    await presence.leave(panelActor(c), idIn(c))
    return c.body(null, 204)
  })
  return set
}
