import { datatypeResource, fieldsIn } from '../resources/datatypes.js'
import { fieldResource } from '../resources/fields.js'
import { beginsTrees } from '../resources/kinds.js'
import { columnsOf } from './cells.js'
import { addressOfKind } from './content-list.js'
import type { PanelContext } from './context.js'
import { Table } from './list.js'
import { Empty } from './parts.js'
import { resourcePages } from './resource.js'
import type { View } from './view.js'

/** Datatypes. */
export const datatypePages = (context: PanelContext) =>
  resourcePages(context, {
    ...datatypeResource(context),
    path: '/datatypes',
    more: async (view, datatype) => (
      <>
        {await FieldList({ view, context, id: datatype.datatype_id })}
        {beginsTrees(datatype) && view.can('content:update') && (
          <section aria-labelledby="entries">
            <div class="head">
              <h2 id="entries">{view.t('Entries')}</h2>
              <a class="button" href={`${view.base}${addressOfKind(datatype)}`}>
                {view.t('Show all')}
              </a>
            </div>
          </section>
        )}
      </>
    ),
  })

async function FieldList({ view, context, id }: { view: View; context: PanelContext; id: string }) {
  if (!view.can('fields:read')) return null
  const { columns, empty } = fieldResource(context)
  const fields = await fieldsIn(context, id)
  return (
    <section aria-labelledby="fields">
      <div class="head">
        <h2 id="fields">{view.t('Fields')}</h2>
        {view.can('fields:create') && (
          <a class="button" href={`${view.base}/fields/new?of=${id}`}>
            {view.t('Add a field')}
          </a>
        )}
      </div>
      {fields.length === 0 ? (
        <Empty>{view.t(empty)}</Empty>
      ) : (
        <Table
          view={view}
          caption={view.t('Fields')}
          records={fields}
          pathOf={({ field_id }) => `/fields/${field_id}`}
          columns={columnsOf(columns)}
        />
      )}
    </section>
  )
}
