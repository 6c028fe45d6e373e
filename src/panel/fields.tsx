import { fieldResource } from '../resources/fields.js'
import type { PanelContext } from './context.js'
import { Note } from './parts.js'
import { resourcePages } from './resource.js'

/** The fields of datatypes; the page of a datatype lists its own. */
export function fieldPages(context: PanelContext) {
  const { space } = context.services
  return resourcePages(context, {
    ...fieldResource(context),
    path: '/fields',
    actions: (view, { parent_id }) => (
      <a class="button" href={`${view.base}/datatypes/${parent_id}`}>
        Its datatype
      </a>
    ),
    async more(view, record) {
      const { published, drafts, examples } = await space.fields.brokenValues(record)
      if (published + drafts === 0) return null
      return (
        <section aria-labelledby="broken">
          <h2 id="broken">What breaks these rules</h2>
          <Note view={view} kind="bad">
            <p>
              {published} published entries and {drafts} drafts. What is published stays as it is until it is
              next edited.
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
