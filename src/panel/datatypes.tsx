import { datatypeResource, fieldsIn } from '../resources/datatypes.js'
import { fieldResource } from '../resources/fields.js'
import { columnsOf } from './cells.js'
import type { PanelContext } from './context.js'
import { Table } from './list.js'
import { Empty } from './parts.js'
import { resourcePages } from './resource.js'
import type { View } from './view.js'

/** Kinds of entries. */
export const datatypePages = (context: PanelContext) =>
  resourcePages(context, {
    ...datatypeResource(context),
    path: '/datatypes',
    more: (view, { datatype_id }) => FieldList({ view, context, id: datatype_id }),
  })

async function FieldList({ view, context, id }: { view: View; context: PanelContext; id: string }) {
  if (!view.can('fields:read')) return null
  const { columns, empty } = fieldResource(context)
  const fields = await fieldsIn(context, id)
  return (
    <section aria-labelledby="fields">
      <div class="head">
        <h2 id="fields">Fields</h2>
        {view.can('fields:create') && (
          <a class="button" href={`${view.base}/fields/new?of=${id}`}>
            Add a field
          </a>
        )}
      </div>
      {fields.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <Table
          view={view}
          caption="Fields"
          records={fields}
          pathOf={({ field_id }) => `/fields/${field_id}`}
          columns={columnsOf(columns)}
        />
      )}
    </section>
  )
}
