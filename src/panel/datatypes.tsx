import { datatypeResource, fieldsIn } from '../resources/datatypes.js'
import { beginsTrees } from '../resources/kinds.js'
import { addressOfKind } from './content-list.js'
import type { PanelContext } from './context.js'
import { FieldList, FormPreview, fieldListActions } from './field-list.js'
import { resourcePages } from './resource.js'

/** Datatypes: a page has the fields, the form that editors see, and the settings of the datatype. */
export function datatypePages(context: PanelContext) {
  const set = resourcePages(context, {
    ...datatypeResource(context),
    path: '/datatypes',
    script: 'field-order.js',
    formTitle: 'Settings of the datatype',
    async before(view, { datatype_id }, draft) {
      if (!view.can('fields:read')) return null
      const fields = await fieldsIn(context, datatype_id)
      return <FieldList view={view} datatypeId={datatype_id} fields={fields} draft={draft} />
    },
    async side(view, { datatype_id }) {
      if (!view.can('fields:read')) return null
      return <FormPreview view={view} fields={await fieldsIn(context, datatype_id)} />
    },
    actions: (view, datatype) =>
      beginsTrees(datatype) &&
      view.can('content:update') && (
        <a class="button" href={`${view.base}${addressOfKind(datatype)}`}>
          {view.t('Show entries')}
        </a>
      ),
  })
  fieldListActions(set, context, set.drawRecord)
  return set
}
