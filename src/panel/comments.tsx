import type { ModelField } from '../resources/entries.js'
import { memberOf } from '../resources/entry-fields.js'
import { type Comment, personIn, type Talk, talkMark } from '../resources/views/talk.js'
import { withoutEndMarks } from '../services/text.js'
import type { Shown } from './entry-shown.js'
import { formText } from './pages.js'
import { Act, Form, Icon, Moment, Submit } from './parts.js'

const pathOf = (id: string) => `/content/entry/${id}`
/** The query of a page in a locale. */
export const queryOf = (locale: string) => (locale === '' ? '' : `?locale=${encodeURIComponent(locale)}`)

/** Returns a function with the mark beside the label of each field: how many comments are open, and the way to them. */
export function markOfField({ talk, view }: Shown, fields: readonly ModelField[]) {
  if (!talk) return undefined
  const byName = new Map(fields.map(field => [memberOf(field), field]))
  return (name: string) => {
    const field = byName.get(name)
    if (!field) return undefined
    const count = talk.open.filter(({ field_id }) => field_id === field.field_id).length
    const { label } = field
    const words =
      count === 0
        ? view.t('Comment on {label}', { label })
        : view.t('Comments on {label}: {n} open', { label, n: count })
    return (
      <a
        class={count === 0 ? 'talk' : 'talk some'}
        href={count === 0 ? '#comments' : `#comments-${field.field_id}`}
        data-about={field.field_id}
        title={words}
      >
        <Icon view={view} name="comment" />
        <span class="hidden-text">{words}</span>
        {count > 0 && <span aria-hidden="true">{count}</span>}
      </a>
    )
  }
}

function Body({ comment, talk }: { comment: Comment; talk: Talk }) {
  const named = new Set(comment.mentions.map(id => `@${talk.people.get(id)?.username}`))
  return (
    <p class="comment-body" dir="auto">
      {comment.body
        .split(/(@\S+)/)
        .map(part =>
          named.has(part) || named.has(withoutEndMarks(part)) ? <b class="named">{part}</b> : part,
        )}
    </p>
  )
}

interface OneProps {
  shown: Shown
  talk: Talk
  comment: Comment
}

function One({ shown, talk, comment }: OneProps) {
  const { view, id, locale } = shown
  const { comment_id, author_id, date_created, resolved, resolved_by } = comment
  const action = `${pathOf(id)}/comments/${comment_id}`
  const query = queryOf(locale)
  const isOwn = view.user?.user_id === author_id
  return (
    <li class="comment" id={`comment-${comment_id}`}>
      <p class="quiet">
        <b>{personIn(talk, author_id, view)}</b> <Moment view={view} at={date_created} />
        {comment.locale !== '' && <code>{comment.locale}</code>}
      </p>
      <Body comment={comment} talk={talk} />
      {resolved && (
        <p class="quiet">{view.t('Resolved by {name}', { name: personIn(talk, resolved_by, view) })}</p>
      )}
      <div class="comment-acts">
        <Act view={view} action={`${action}/${resolved ? 'reopen' : 'resolve'}${query}`} kind="small">
          {resolved ? view.t('Reopen') : view.t('Resolve')}
        </Act>
        {isOwn && (
          <details>
            <summary>{view.t('Edit')}</summary>
            <Form view={view} action={`${action}${query}`} note>
              <textarea
                class="input"
                name="body"
                aria-label={view.t('Comment')}
                rows={3}
                maxlength={5000}
                required
                dir="auto"
              >
                {`\n${comment.body}`}
              </textarea>
              <Submit>{view.t('Save comment')}</Submit>
            </Form>
          </details>
        )}
        {(isOwn || view.can('content:admin')) && (
          <Act view={view} action={`${action}/delete${query}`} kind="small">
            {view.t('Delete')}
          </Act>
        )}
      </div>
    </li>
  )
}

function groupsOf({ model, entry }: Shown, comments: readonly Comment[]) {
  const fields = model.fieldsOf.get(entry.datatype_id) ?? []
  const known = new Set(fields.map(({ field_id }) => field_id))
  const about = (of: (id: string | null) => boolean) => comments.filter(({ field_id }) => of(field_id))
  return [
    { id: undefined, label: undefined, comments: about(id => id === null || !known.has(id)) },
    ...fields.map(({ field_id, label }) => ({
      id: field_id,
      label,
      comments: about(id => id === field_id),
    })),
  ].filter(group => group.comments.length > 0)
}

function New({ shown, talk }: { shown: Shown; talk: Talk }) {
  const { view, id, locale, model, entry } = shown
  const said = shown.said && 'body' in shown.said.texts ? shown.said : undefined
  const fields = model.fieldsOf.get(entry.datatype_id) ?? []
  const problem = said?.errors.get('body') ?? said?.errors.get('field_id') ?? said?.problem
  const about = said ? formText(said.texts, 'field_id') : ''
  const people = talk.nameable.filter(({ username }) => username !== '')
  // A new box after each comment of one's own: a page that is put in place of another keeps what was typed.
  const own = [...talk.open, ...talk.settled].filter(({ author_id }) => author_id === view.user?.user_id)
  const box = `comment-${
    own
      .map(({ comment_id }) => comment_id)
      .toSorted()
      .at(-1) ?? 'first'
  }-next`
  return (
    <Form view={view} action={`${pathOf(id)}/comments${queryOf(locale)}`} class="comment-new" note>
      {fields.length > 0 && (
        <div class="field">
          <label for="comment-about">{view.t('About')}</label>
          <select class="input" id="comment-about" name="field_id">
            <option value="">
              {entry.route_id === null ? view.t('The whole entry') : view.t('The whole page')}
            </option>
            {fields.map(({ field_id, label }) => (
              <option value={field_id} selected={field_id === about}>
                {label}
              </option>
            ))}
          </select>
        </div>
      )}
      <div class="field">
        <label for={box}>{view.t('Comment')}</label>
        <textarea
          class="input"
          id={box}
          name="body"
          rows={3}
          maxlength={5000}
          dir="auto"
          aria-describedby={problem === undefined ? 'comment-hint' : 'comment-problem'}
          aria-invalid={problem === undefined ? undefined : 'true'}
          data-names={JSON.stringify(people.map(({ username, name }) => [username, name]))}
        >
          {`\n${said ? formText(said.texts, 'body') : ''}`}
        </textarea>
        {problem === undefined ? (
          <p class="hint" id="comment-hint">
            {view.t('Type @ and a user name to notify that person')}
          </p>
        ) : (
          <p class="error" id="comment-problem">
            <Icon view={view} name="alert" />
            {problem}
          </p>
        )}
        <fieldset class="names" id="comment-names" aria-label={view.t('People')} hidden />
      </div>
      <Submit>{view.t('Comment')}</Submit>
    </Form>
  )
}

const List = ({ shown, talk, comments }: { shown: Shown; talk: Talk; comments: readonly Comment[] }) => (
  <ul class="comments">
    {comments.map(comment => (
      <One shown={shown} talk={talk} comment={comment} />
    ))}
  </ul>
)

/** The comments of an entry, and the form for a new one. */
export function Comments(shown: Shown) {
  const { talk, view } = shown
  if (!talk) return null
  const { open, settled } = talk
  return (
    <section
      class="box"
      id="comments"
      aria-labelledby="comments-title"
      tabindex={-1}
      data-talk={talkMark(talk)}
    >
      <h2 id="comments-title">
        {view.t('Comments')}{' '}
        {open.length > 0 && <span class="hint">{view.t('{n} open', { n: open.length })}</span>}
      </h2>
      {groupsOf(shown, open).map(({ id, label, comments }) => (
        <div id={id && `comments-${id}`} tabindex={-1}>
          {label !== undefined && <h3>{label}</h3>}
          <List shown={shown} talk={talk} comments={comments} />
        </div>
      ))}
      <New shown={shown} talk={talk} />
      {settled.length > 0 && (
        <details>
          <summary>{view.t('{n} resolved', { n: settled.length })}</summary>
          {groupsOf(shown, settled).map(({ label, comments }) => (
            <>
              {label !== undefined && <h3>{label}</h3>}
              <List shown={shown} talk={talk} comments={comments} />
            </>
          ))}
        </details>
      )}
    </section>
  )
}
