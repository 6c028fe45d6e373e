import type { Child } from 'hono/jsx'
import type { Cell, Column as Described } from '../resources/resource.js'
import type { Column } from './list.js'
import { Moment, State } from './parts.js'
import type { View } from './view.js'

function Shown({ view, cell }: { view: View; cell: Cell }): Child {
  if (typeof cell !== 'object') return cell
  if ('text' in cell) return view.t(cell.text)
  if ('code' in cell) return <code>{cell.code}</code>
  if ('at' in cell) return <Moment view={view} at={cell.at} />
  return <State kind={cell.state}>{view.t(cell.word)}</State>
}

/** Returns the columns of a resource as those of a table. */
export const columnsOf = <R,>(columns: readonly Described<R>[]): Column<R>[] =>
  columns.map(({ label, of, room }) => ({
    label,
    of: (record, view) => <Shown view={view} cell={of(record, view.now, view)} />,
    ...(room ? { wide: true } : {}),
  }))
