import { notFound } from '../../errors.js'
import { entryRemovalOf, removeEntry } from '../../resources/removal.js'
import { type Node, placeFor } from '../../resources/trees.js'
import { count, t } from '../../texts/terminal.js'
import { unlessChanged } from '../resource.js'
import type { ListKey, ListState } from '../screen/list-spec.js'
import { confirmView } from '../screen/over.js'
import type { Shell } from '../screen/view.js'
import { askDelete, askPublish, askSchedule, askUnpublish } from './content-keys.js'
import { publish, undoWords } from './publish.js'
import { scheduleScreen } from './schedule.js'
import type { Item } from './several.js'
import type { Shown } from './shown-tree.js'
import { undoDeletion, undoMove } from './undo.js'
import { changesScreen, versionsScreen } from './versions.js'

type TreeShell = Shell<ListState<Node>>

function reload({ tree, read }: Shown, shell: TreeShell, marked?: string): void {
  shell.work('content:update', async () => {
    await read()
    return state => {
      const { nodes } = tree()
      const at = nodes.findIndex(({ entry }) => entry.content_data_id === marked)
      return {
        ...state,
        records: nodes,
        total: nodes.length,
        at: at < 0 ? Math.min(state.at, nodes.length - 1) : at,
      }
    }
  })
}

function under(nodes: readonly Node[], node: Node): readonly Node[] {
  const from = nodes.indexOf(node) + 1
  const end = nodes.findIndex((one, i) => i >= from && one.level <= node.level)
  return nodes.slice(from, end < 0 ? undefined : end)
}

function above(nodes: readonly Node[], node: Node): Node[] {
  let { level } = node
  return nodes
    .slice(0, nodes.indexOf(node))
    .toReversed()
    .filter(one => {
      const isAbove = one.level < level
      if (isAbove) level = one.level
      return isAbove
    })
}

const itemOf = ({ entry: { content_data_id: id }, title }: Node): Item => ({ key: id, id, title })

/** Returns the marked entries as they are now. */
function markedNow({ tree, idOf }: Shown, marked: readonly Node[]): readonly Node[] {
  const ids = new Set(marked.map(idOf))
  return tree().nodes.filter(node => ids.has(idOf(node)))
}

/** Returns the marked entries, without those under another one: an action on a tree includes them. */
function topsOf(shown: Shown, marked: readonly Node[]): Item[] {
  const { nodes } = shown.tree()
  const now = markedNow(shown, marked)
  const inside = new Set(now.flatMap(node => under(nodes, node)))
  return now
    .filter(node => !inside.has(node))
    .map(node => ({ ...itemOf(node), covers: under(nodes, node).map(shown.idOf) }))
}

/** Keys that publish, schedule and unpublish an entry, or all that are marked. */
export function publicationKeys(shown: Shown): ListKey<Node>[] {
  const { session, tree, idOf } = shown
  const { publishing } = session.services.space
  return [
    {
      key: 'p',
      does: t('publish'),
      access: 'content:publish',
      run: (shell, node) =>
        publish(session, shell, { id: idOf(node), title: node.title }, undo => {
          const { nodes } = tree()
          const below = under(nodes, node).length
          const hides = above(nodes, node).find(one => one.entry.status === 'draft')
          const state = hides
            ? t('published, but hidden by “{title}”, which is a draft', { title: hides.title })
            : t('public')
          const { title } = node
          const entries = count(below, '{n} entry', '{n} entries')
          const told =
            below > 0
              ? t('“{title}” is {state}, with {entries} under it.', { title, state, entries })
              : t('“{title}” is {state}.', { title, state })
          shell.say(`${told}${undo}`)
          reload(shown, shell)
        }),
      several: (shell, marked) => askPublish(session, shell, topsOf(shown, marked)),
    },
    {
      key: 'U',
      does: t('unpublish'),
      access: 'content:publish',
      run: (shell, node) =>
        shell.open(
          confirmView(
            t('Unpublish'),
            t('“{title}” and everything under it are no longer public.', { title: node.title }),
            {
              word: t('unpublish'),
              act: () =>
                shell.work('content:publish', async () => {
                  await publishing.unpublish(session.actor, idOf(node))
                  shell.say(t('“{title}” is a draft.', { title: node.title }))
                  reload(shown, shell)
                }),
            },
          ),
        ),
      several: (shell, marked) => askUnpublish(session, shell, topsOf(shown, marked)),
    },
    {
      key: 's',
      does: t('schedule'),
      access: 'content:publish',
      run: (shell, node) => shell.open(scheduleScreen(session, idOf(node), node.title)),
      several: (shell, marked) => askSchedule(session, shell, markedNow(shown, marked).map(itemOf)),
    },
    {
      key: 'v',
      does: t('versions'),
      run: (shell, node) => shell.open(versionsScreen(session, idOf(node), node.title)),
    },
    {
      key: 'c',
      does: t('changes'),
      run: (shell, node) => changesScreen(session, shell, idOf(node)),
    },
  ]
}

/** Returns an entry with its position among the entries beside it. */
function placeOf(nodes: readonly Node[], { entry: { content_data_id: id } }: Node) {
  const node = nodes.find(({ entry }) => entry.content_data_id === id)
  if (!node) throw notFound()
  const beside = nodes.filter(({ entry }) => entry.parent_id === node.entry.parent_id)
  return { entry: node.entry, position: beside.indexOf(node) }
}

const moves = { K: 'up', J: 'down', H: 'out', L: 'in' } as const
const words = {
  up: t('move before'),
  down: t('move after'),
  out: t('move out one level'),
  in: t('move under the entry above'),
}

/** Keys that move, duplicate and delete entries. */
export function placeKeys(shown: Shown): ListKey<Node>[] {
  const { session, tree, idOf } = shown
  const { content, copies } = session.services.space
  return [
    ...Object.entries(moves).map(
      ([key, how]): ListKey<Node> => ({
        key,
        does: words[how],
        access: 'content:update',
        run(shell, node) {
          const id = idOf(node)
          shell.work('content:update', async () => {
            // Several moves may be waiting: each uses the tree after the one before it.
            const place = placeFor(tree(), id, how)
            const before = placeOf(tree().nodes, node)
            if (!place) shell.complain(t('The entry cannot move there.'))
            else {
              await content.move(session.actor, { content_data_id: id, ...place })
              await undoMove(session, before, node.title)
            }
            await shown.read()
          })
          reload(shown, shell, id)
        },
      }),
    ),
    {
      key: 'D',
      does: t('duplicate'),
      access: 'content:create',
      run(shell, { entry }) {
        shell.work('content:create', async () => {
          const { content_data_id, parent_id } = entry
          const copy = await copies.duplicate(session.actor, { content_data_id, parent_id, route_id: null })
          shell.say(t('Duplicated. This is the copy.'))
          reload(shown, shell, copy.content_data_id)
        })
      },
    },
    {
      key: 'x',
      does: t('delete'),
      access: 'content:delete',
      run: (shell, node) => askDeleteOne(shown, shell, node),
      several(shell, marked) {
        const tops = topsOf(shown, marked)
        const [first] = markedNow(shown, marked)
        if (first && tops.length === 1) askDeleteOne(shown, shell, first)
        else askDelete(session, shell, tops)
      },
    },
  ]
}

/** Asks before an entry is deleted, and names the entries that the deletion includes; it deletes no others. */
function askDeleteOne(shown: Shown, shell: TreeShell, { entry: { content_data_id: id } }: Node): void {
  const { session, tree, idOf } = shown
  const { content } = session.services.space
  shell.work('content:delete', async () => {
    const seen = await content.subtree(id)
    await shown.read()
    const node = tree().nodes.find(one => idOf(one) === id)
    if (!node) throw notFound()
    const entries = under(tree().nodes, node)
    const names = entries.slice(0, 6).map(({ title }) => `“${title}”`)
    const more = entries.length - names.length
    const list = { names: names.join(', '), n: more }
    const below = more > 0 ? t('Under it: {names} and {n} more.', list) : t('Under it: {names}.', list)
    const words = await entryRemovalOf(session, [node.entry], session)
    const question = t('Delete “{name}”?', { name: node.title })
    const check = unlessChanged(seen)
    shell.open(
      confirmView(t('Delete'), [question, words, ...(names.length > 0 ? [below] : [])].join('\n'), {
        word: t('delete it'),
        act: () =>
          shell.work('content:delete', async () => {
            await removeEntry(session, session.actor, id, check)
            const isKept = await undoDeletion(session, id, node.title)
            shell.say(`${t('“{name}” is deleted.', { name: node.title })}${isKept ? undoWords : ''}`)
            if (node.level === 1) {
              shown.leave()
              shell.back()
            } else reload(shown, shell)
          }),
      }),
    )
  })
}
