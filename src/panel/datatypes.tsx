import { datatypeResource, fieldsIn } from '../resources/datatypes.js'
import { all } from '../resources/entries.js'
import { beginsTrees } from '../resources/kinds.js'
import { addressOfKind } from './content-list.js'
import type { PanelContext } from './context.js'
import { FieldList, FormPreview, fieldListActions } from './field-list.js'
import { type PageResource, resourcePages } from './resource.js'

type Datatypes = PanelContext['services']['space']['datatypes']
type Datatype = Awaited<ReturnType<Datatypes['get']>> & { fields?: number }

/** Datatypes with the number of their fields, which a datatype itself does not have. */
function withFieldCounts({
  services: { space },
}: PanelContext): Pick<PageResource<Datatype>['service'], 'list' | 'count' | 'get'> {
  const { datatypes, fields } = space
  return {
    async *list(where, slice) {
      const counts = new Map<string, number>()
      for (const { parent_id } of await all(fields.list({}, {})))
        counts.set(parent_id, (counts.get(parent_id) ?? 0) + 1)
      for await (const some of datatypes.list(where, slice))
        yield some.map(one => ({ ...one, fields: counts.get(one.datatype_id) ?? 0 }))
    },
    count: where => datatypes.count(where),
    get: id => datatypes.get(id),
  }
}

/** Datatypes: a page has the fields, the form that editors see, and the settings of the datatype. */
export function datatypePages(context: PanelContext) {
  const { access, space } = context.services
  const described = datatypeResource(context)
  const counted = withFieldCounts(context)
  const set = resourcePages<Datatype>(context, {
    ...described,
    path: '/datatypes',
    reads: async actor => ((await access.can(actor, 'fields:read')) ? counted : space.datatypes),
    columns: [...described.columns, { label: 'Fields', of: ({ fields = '' }) => fields, room: 'some' }],
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
