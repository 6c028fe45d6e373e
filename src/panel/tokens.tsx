import { keyIn, tokenResource } from '../resources/tokens.js'
import { type PanelContext, panelPath } from './context.js'
import { TitledPage } from './layout.js'
import { Note } from './parts.js'
import { resourcePages } from './resource.js'
import { limitField } from './role-limits.js'

/** API keys. */
export const tokenPages = (context: PanelContext) => {
  const resource = tokenResource(context)
  return resourcePages(context, {
    ...resource,
    path: '/tokens',
    fields: async (record, viewer) =>
      (await resource.fields(record, viewer)).map(field => {
        if (field.name.startsWith('limits.'))
          return { ...limitField(field), group: viewer.t('May change only') }
        return field.kind === 'choices' ? { ...field, table: true as const } : field
      }),
    made: (view, record) => (
      <TitledPage
        view={view}
        title={view.t('Your new key')}
        crumbs={[{ word: view.t('API keys'), path: '/tokens' }]}
        column
      >
        <Note view={view}>
          <p>{view.t('It is shown only once.')}</p>
          <p>
            <code id="secret">{keyIn(record)}</code>
          </p>
        </Note>
        <p class="actions">
          <button type="button" class="button" data-copy={keyIn(record)}>
            {view.t('Copy')}
          </button>
          <a class="button next" href={`${panelPath}/tokens/${record.token_id}`}>
            {view.t('Done')}
          </a>
        </p>
      </TitledPage>
    ),
  })
}
