import { modelOf } from '../../resources/entries.js'
import { startsUnder } from '../../resources/kinds.js'
import { type Node, stateWord, type Tree, treeOf, waitingIn } from '../../resources/trees.js'
import { ContentCreate } from '../../services/content/content-input.js'
import { english } from '../../texts/language.js'
import { t } from '../../texts/terminal.js'
import { placeAddress } from '../addresses.js'
import { boxed } from '../screen/boxed.js'
import type { Area } from '../screen/grid.js'
import { listView } from '../screen/list.js'
import type { ListKey } from '../screen/list-spec.js'
import { pickView } from '../screen/over.js'
import { bold, dim, plain } from '../screen/style.js'
import type { AnyView } from '../screen/view.js'
import type { Session } from '../session.js'
import { entryScreen } from './entry.js'
import { drawReading, putAddress, type Reading, readingOf } from './reader.js'
import type { Shown } from './shown-tree.js'
import { placeKeys, publicationKeys } from './tree-keys.js'
import { stateCell, timeWord } from './words.js'

const idOf = ({ entry }: Node): string => entry.content_data_id

function drawBeside(
  area: Area,
  node: Node,
  { beside, session, slug }: { beside: Reading | undefined; session: Session; slug: string | undefined },
): void {
  const { entry, type, title, state } = node
  area.put(0, 0, title, bold)
  const cell = stateCell(state.kind, stateWord(state, english))
  area.put(0, 1, cell.text, cell.style)
  area.put(0, 2, `${type} · ${timeWord(entry.date_modified, session)}`, dim)
  let y = 3
  if (slug !== undefined) putAddress(area, y++, slug, placeAddress(session, slug, entry))
  if (entry.publish_at)
    area.put(0, y++, t('public from {time}', { time: timeWord(entry.publish_at, session) }), plain)
  if (entry.unpublish_at)
    area.put(0, y++, t('public until {time}', { time: timeWord(entry.unpublish_at, session) }), plain)
  if (beside?.id === entry.content_data_id) drawReading(area, y + 1, beside)
}

function addKey({ session }: Shown): ListKey<Node> {
  return {
    key: 'a',
    does: t('add under it'),
    access: 'content:create',
    run: (shell, { entry, title }) =>
      shell.work('content:create', async () => {
        const model = await modelOf(session)
        shell.open(
          pickView({
            title: t('Under {title}', { title }),
            choices: await startsUnder(model, entry, session),
            picked: ([datatype_id], _choices, inner) =>
              inner.work('content:create', async () => {
                const given = ContentCreate.parse({ datatype_id, parent_id: entry.content_data_id })
                const made = await session.services.space.content.create(session.actor, given)
                inner.open(entryScreen(session, made.content_data_id))
              }),
          }),
        )
      }),
  }
}

/** A tree of entries, with the values of the marked one beside it. */
export function treeScreen(session: Session, id: string, title: string): AnyView {
  const { content } = session.services.space
  let tree: Tree | undefined
  let focus = id
  let beside: Reading | undefined
  let isLeft = false
  const read = async () => {
    const entry = await content.get(focus).catch(() => content.get(id))
    tree = await treeOf(entry, await modelOf(session), session)
  }
  const shown: Shown = {
    session,
    idOf,
    read,
    leave() {
      isLeft = true
    },
    tree() {
      if (!tree) throw new Error('the tree is still loading')
      return tree
    },
  }
  const keys: ListKey<Node>[] = [
    { key: 'Enter', does: t('edit'), run: (shell, node) => shell.open(entryScreen(session, idOf(node))) },
    ...publicationKeys(shown),
    addKey(shown),
    ...placeKeys(shown),
    {
      key: 'o',
      does: t('load more of the tree here'),
      run(shell, node) {
        focus = idOf(node)
        shell.say(tree?.isWhole ? t('The whole tree is loaded.') : t('Loaded the entries around this one.'))
      },
    },
  ]
  return listView<Node>({
    title,
    access: 'content:update',
    async load() {
      if (isLeft) return { records: [], total: 0 }
      await read()
      const { nodes } = shown.tree()
      return { records: nodes, total: nodes.length }
    },
    keyOf: idOf,
    copied: node => ({ id: idOf(node), address: node.level === 1 ? tree?.route?.slug : undefined }),
    empty: t('No entries.'),
    columns: [
      {
        label: t('Entry'),
        of(node) {
          const { text, style } = stateCell(node.state.kind, node.title)
          const waits = node.level === 1 && tree ? waitingIn(tree, idOf(node)) : 0
          return {
            text: `${'  '.repeat(node.level - 1)}${text}${waits > 0 ? ` ${t('({n} unpublished)', { n: waits })}` : ''}`,
            style: style & dim ? plain : style,
          }
        },
      },
    ],
    keys: keys.filter(({ access }) => access === undefined || session.can(access)),
    marked(node, shell) {
      shell.rest('content:update', async () => {
        beside = await readingOf(session, node.entry)
        return state => state
      })
    },
    beside(area, node) {
      const slug = node.level === 1 ? tree?.route?.slug : undefined
      drawBeside(boxed(area), node, { beside, session, slug })
    },
  })
}
