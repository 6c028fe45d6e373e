import type { Child } from 'hono/jsx'
import type { Ctx } from '../middleware/context.js'
import type { PlainText } from '../texts/text.js'
import { Empty } from './parts.js'
import type { View } from './view.js'

export interface Column<R> {
  readonly label: PlainText
  of(record: R, view: View): Child
  wide?: true
}

const pageSize = 100

interface Slice<R> {
  readonly records: readonly R[]
  readonly next: string | undefined
  readonly total: number
}

interface Listed<R, W> {
  list(where: W, slice: { limit: number; after?: string }): AsyncGenerator<R[]>
  count(where: W): Promise<number>
}

/** Reads the records after the one in the address's `after`, in the order of creation. */
export async function sliceOf<R, W>(
  c: Ctx,
  service: Listed<R, W>,
  where: W,
  idOf: (record: R) => string,
): Promise<Slice<R>> {
  const after = c.req.query('after')
  const found: R[] = []
  const slice = { limit: pageSize + 1, ...(after ? { after } : {}) }
  for await (const batch of service.list(where, slice)) found.push(...batch)
  const records = found.slice(0, pageSize)
  const last = records.at(-1)
  const next = found.length > pageSize && last !== undefined ? idOf(last) : undefined
  return { records, next, total: await service.count(where) }
}

interface TableProps<R> {
  view: View
  caption: string
  columns: readonly Column<R>[]
  records: readonly R[]
  pathOf?: (record: R) => string
}

/** A table of records. */
export const Table = <R,>({ view, caption, columns, records, pathOf }: TableProps<R>) => (
  <div class="table-frame">
    <table>
      <caption class="hidden-text">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ label, wide }) => (
            <th scope="col" class={wide ? 'wide-cell' : undefined}>
              {view.t(label)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {records.map(record => (
          <tr>
            {columns.map((column, i) =>
              i === 0 ? (
                <th scope="row">
                  {pathOf ? (
                    <a href={`${view.base}${pathOf(record)}`}>{column.of(record, view)}</a>
                  ) : (
                    column.of(record, view)
                  )}
                </th>
              ) : (
                <td class={column.wide ? 'meta-cell wide-cell' : undefined}>{column.of(record, view)}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

interface ListProps<R> extends Omit<TableProps<R>, 'records'> {
  slice: Slice<R>
  path: string
  empty: Child
}

/** A list with a link to its next page, or a hint if it is empty. */
export const List = <R,>({ slice, path, empty, ...table }: ListProps<R>) =>
  slice.records.length === 0 ? (
    <Empty>{empty}</Empty>
  ) : (
    <>
      <Table {...table} records={slice.records} />
      <p class="pager">
        <span>
          {slice.records.length === slice.total
            ? table.view.t('{n} in all', { n: slice.total })
            : table.view.t('{n} of {total}', { n: slice.records.length, total: slice.total })}
        </span>
        {slice.next !== undefined && (
          <a href={`${table.view.base}${path}${path.includes('?') ? '&' : '?'}after=${slice.next}`}>
            {table.view.t('Next {n}', { n: pageSize })}
          </a>
        )}
      </p>
    </>
  )
