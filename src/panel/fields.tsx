import { invalid } from '../errors.js'
import { hintFields, withHints } from '../resources/field-hints.js'
import { settingMember, withSettings } from '../resources/field-settings.js'
import { fieldResource } from '../resources/fields.js'
import { ifThere } from '../resources/views/audit-subjects.js'
import { SettingConflict } from '../services/content/check-data.js'
import { settingsOf } from '../services/content/field-settings.js'
import type { PanelContext } from './context.js'
import { settingFields } from './field-settings.js'
import type { Field } from './form-field.js'
import { Note } from './parts.js'
import { resourcePages } from './resource.js'

async function labelled<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SettingConflict)) throw error
    const { type, setting, other, words } = error
    throw invalid(settingMember(setting), words(`“${settingsOf(type).get(other)?.label ?? other}”`))
  }
}

/** The fields of datatypes; the page of a datatype lists its own. */
export function fieldPages(context: PanelContext) {
  const { space } = context.services
  const resource = fieldResource(context)
  return resourcePages(context, {
    ...resource,
    path: '/fields',
    service: {
      ...resource.service,
      create: (...call) => labelled(() => space.fields.create(...call)),
      update: (...call) => labelled(() => space.fields.update(...call)),
    },
    async fields(record, viewer) {
      const chosen = [viewer.typed?.field_type ?? record?.field_type ?? []].flat()[0]
      const fields = await resource.fields(record, viewer)
      const type = chosen ?? fields.find(({ name }) => name === 'field_type')?.value
      const settings = await settingFields(
        String(type),
        { stored: record, typed: viewer.typed, wording: viewer },
        context,
      )
      return fields.flatMap((field): Field[] => {
        if (field.name === 'data') return settings
        // Fields are ordered on the page of their datatype.
        if (field.name === 'sort_order') return []
        if (field.name === 'ui_config') return hintFields(String(type), record?.ui_config, viewer)
        return field.name === 'field_type' && field.kind === 'choice'
          ? [{ ...field, shows: viewer.t('Show settings') } as Field]
          : [field]
      })
    },
    prepare: (texts, record) => withHints(withSettings(texts, record), record?.ui_config),
    async crumbs({ t, can }, record, c) {
      const id = record?.parent_id ?? c.req.query('of')
      if (!can('datatypes:read') || id === undefined) return [{ word: t(resource.title), path: '/fields' }]
      const datatype = await ifThere(space.datatypes.get(id))
      const list = { word: t('Datatypes'), path: '/datatypes' }
      return datatype ? [list, { word: datatype.label, path: `/datatypes/${datatype.datatype_id}` }] : [list]
    },
    actions: (view, { parent_id }) => (
      <a class="button" href={`${view.base}/datatypes/${parent_id}`}>
        {view.t('Its datatype')}
      </a>
    ),
    async more(view, record) {
      const { published, drafts, examples } = await space.fields.brokenValues(record)
      if (published + drafts === 0) return null
      return (
        <section aria-labelledby="broken">
          <h2 id="broken">{view.t('Values that break these rules')}</h2>
          <Note view={view} kind="bad">
            <p>
              {view.t(
                'Published entries: {published}, drafts: {drafts}. Published entries stay public. They are checked when they are next edited.',
                { published, drafts },
              )}
            </p>
            <ul>
              {examples.map(({ content_data_id, error }) => (
                <li>
                  <a href={`${view.base}/content/entry/${content_data_id}`}>{error}</a>
                </li>
              ))}
            </ul>
          </Note>
        </section>
      )
    },
  })
}
