// A database of this many entries: pages of one root and 20 children with a heading and a text each.
import { tables } from '../dist/src/db/tables.js'

const childrenOfPage = 20
export const entriesOfPage = childrenOfPage + 1
const text = 'Brakes, gears, air and a smile. '.repeat(4).trim()

/**
 * Fills an empty service through `db.write`, a hundred pages in a transaction.
 * @param more further fields of the datatype
 */
export async function fill(db, entries, author_id, more = {}) {
  const actor = { userId: author_id, surface: 'cli', requestId: '', ipAddress: '', userAgent: 'bench' }
  const [datatype, heading, body] = await db.write(actor, async tx => {
    const datatype = await tx.insert(tables.datatypes, {
      label: 'Card',
      name: 'card',
      type: 'content',
      author_id,
      ...more,
    })
    const field = (label, name) =>
      tx.insert(tables.fields, {
        label,
        name,
        field_type: 'text',
        parent_id: datatype.datatype_id,
        author_id,
      })
    return [
      datatype.datatype_id,
      (await field('Heading', 'heading')).field_id,
      (await field('Text', 'text')).field_id,
    ]
  })
  const pages = Math.max(1, Math.floor(entries / entriesOfPage))
  for (let from = 0; from < pages; from += 100)
    await db.write(actor, async tx => {
      const routes = await tx.insertAll(
        tables.routes,
        Array.from({ length: Math.min(100, pages - from) }, (_, i) => ({
          slug: `/page-${from + i}`,
          title: `Page ${from + i}`,
          author_id,
        })),
      )
      const rows = []
      const routeOf = new Map()
      for (const { route_id } of routes) {
        const root_id = tx.newId()
        routeOf.set(root_id, route_id)
        const common = { datatype_id: datatype, root_id, status: 'published', author_id }
        rows.push({ ...common, content_data_id: root_id, route_id })
        for (let i = 1; i <= childrenOfPage; i++)
          rows.push({ ...common, content_data_id: tx.newId(), parent_id: root_id, sort_order: i * 1024 })
        await tx.createTree(tables.contentTrees, root_id)
      }
      await tx.insertAll(tables.contentData, rows)
      await tx.insertAll(
        tables.contentFields,
        rows.flatMap(({ content_data_id, root_id }, i) => {
          const common = { content_data_id, route_id: routeOf.get(root_id), author_id }
          return [
            { ...common, field_id: heading, field_value: `Heading ${i}` },
            { ...common, field_id: body, field_value: text },
          ]
        }),
      )
    })
  return Array.from({ length: Math.min(pages, 1000) }, (_, i) => `/page-${i}`)
}
