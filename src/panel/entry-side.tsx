import { planIn } from '../resources/entry-mark.js'
import { startsUnder } from '../resources/kinds.js'
import { fieldTime } from '../resources/times.js'
import { changesTitle } from '../resources/views/changes.js'
import { noVersions } from '../resources/views/versions.js'
import { Comments } from './comments.js'
import { Fields } from './controls.js'
import { isShared, type Shown } from './entry-shown.js'
import { PagePane } from './page-pane.js'
import { Act, Form, Moment, Submit } from './parts.js'
import { markOf } from './record-mark.js'
import { AskForReview } from './review.js'

const pathOf = (id: string) => `/content/entry/${id}`

/** The side of an entry: its page, publication, unpublished changes, versions and dates. */
export async function Side(shown: Shown) {
  const { view, entry, slug, tree, id } = shown
  return (
    <>
      {slug !== undefined && <PagePane {...shown} slug={slug} />}
      <Publication {...shown} />
      {tree.waiting.size > 0 && (
        <section class="box">
          <h2>
            {view.t(changesTitle)}{' '}
            <a href={`${view.base}${pathOf(id)}/changes`}>{view.t('All {n}', { n: tree.waiting.size })}</a>
          </h2>
          <p class="quiet">
            {view.parts('Since {time}.', {
              time: tree.waitingSince !== null && <Moment view={view} at={tree.waitingSince} />,
            })}
          </p>
        </section>
      )}
      <Comments {...shown} />
      {await Add(shown)}
      {await Versions(shown)}
      <section class="box">
        <h2>{view.t('About')}</h2>
        <dl class="facts">
          <dt>{view.t('Id')}</dt>
          <dd class="mono">{entry.content_data_id}</dd>
          <dt>{view.t('Created')}</dt>
          <dd>
            <Moment view={view} at={entry.date_created} />
          </dd>
          <dt>{view.t('Published')}</dt>
          <dd>
            <Moment view={view} at={entry.published_at} />
          </dd>
        </dl>
      </section>
    </>
  )
}

function Publication(shown: Shown) {
  const { view, id, entry, plan, context } = shown
  if (view.can('content:publish') && !isShared(shown)) return null
  if (!view.can('content:publish'))
    return (
      <section class="box">
        <h2>{view.t('Publication')}</h2>
        <p class="quiet">
          {view.parts('Publishing needs the permission {permission}.', {
            permission: <code>content:publish</code>,
          })}
        </p>
        <AskForReview {...shown} />
      </section>
    )
  const isPlanned = entry.publish_at !== null || entry.unpublish_at !== null
  return (
    <section class="box">
      <h2>{view.t('Publication')}</h2>
      {entry.status === 'published' && (
        <Act view={view} action={`${pathOf(id)}/unpublish`}>
          {view.t('Unpublish')}
        </Act>
      )}
      <details open={isPlanned || plan !== undefined}>
        <summary>{view.t('Schedule')}</summary>
        <Form view={view} action={`${pathOf(id)}/schedule`}>
          <Fields
            view={view}
            fields={[
              {
                name: 'publish_at',
                label: view.t('Publish'),
                kind: 'datetime',
                value: fieldTime(entry.publish_at),
              },
              {
                name: 'unpublish_at',
                label: view.t('Unpublish'),
                kind: 'datetime',
                value: fieldTime(entry.unpublish_at),
              },
            ]}
            draft={plan}
            seen={markOf(context, planIn(entry))}
          />
          <Submit>{view.t('Schedule')}</Submit>
        </Form>
      </details>
    </section>
  )
}

async function Add({ view, id, entry, model, context, mayChange }: Shown) {
  const possible = view.can('content:create') ? await startsUnder(model, entry, context) : []
  const starts = possible.filter(({ value }) => mayChange.create(value))
  if (starts.length === 0) return null
  return (
    <section class="box">
      <h2>
        <label for="add">{view.t('Add an entry below')}</label>
      </h2>
      <Form view={view} action={`${pathOf(id)}/add`} class="add">
        <select class="input" id="add" name="datatype_id">
          {starts.map(({ value, word }) => (
            <option value={value}>{word}</option>
          ))}
        </select>
        <Submit>{view.t('Add')}</Submit>
      </Form>
    </section>
  )
}

async function Versions(shown: Shown) {
  const { view, context, id } = shown
  const { versions } = context.services.space
  const count = await versions.count({ content_data_id: id })
  return (
    <section class="box">
      <h2>
        {view.t('Versions')}{' '}
        {count > 0 && <a href={`${view.base}${pathOf(id)}/versions`}>{view.t('All {n}', { n: count })}</a>}
      </h2>
      {count === 0 && <p class="quiet">{view.t(noVersions)}</p>}
      {isShared(shown) && (
        <Act view={view} action={`${pathOf(id)}/versions`}>
          {view.t('Save a version')}
        </Act>
      )}
    </section>
  )
}
