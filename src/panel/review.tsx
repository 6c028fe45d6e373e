import { waitingIn } from '../resources/trees.js'
import { personIn, type Request, type Talk } from '../resources/views/talk.js'
import { Fields } from './controls.js'
import { isShared, type Shown } from './entry-shown.js'
import type { Draft } from './pages.js'
import { Act, Form, Moment, Note, Submit } from './parts.js'

const pathOf = (id: string) => `/content/entry/${id}`

/** Whether the user can ask for a review: there is something to publish, they may not do so, and nobody has asked. */
export function mayAsk({ view, talk, entry, id, tree, mayChange }: Shown): boolean {
  if (mayChange.outside !== undefined && mayChange.outside !== 'locales') return false
  const waits = entry.status === 'draft' || tree.root.status === 'draft' || waitingIn(tree, id) > 0
  return talk !== undefined && waits && !view.can('content:publish') && talk.request?.status !== 'open'
}

const refusedNote = ({ said }: Shown): Draft | undefined => (said && 'note' in said.texts ? said : undefined)

/** Asks for a review with a note; the button in the bar saves the form and asks without one. */
export function AskForReview(shown: Shown) {
  const { view, id } = shown
  if (!mayAsk(shown)) return null
  return (
    <Form view={view} action={`${pathOf(id)}/review`} note>
      <Fields
        view={view}
        fields={[{ name: 'note', label: view.t('Note for the review'), kind: 'lines', rows: 2 }]}
        draft={refusedNote(shown)}
      />
      <Submit>{view.t('Request review')}</Submit>
    </Form>
  )
}

const Words = ({ text }: { text: string }) =>
  text === '' ? null : (
    <p class="comment-body" dir="auto">
      {text}
    </p>
  )

function Answers({ shown, request }: { shown: Shown; request: Request }) {
  const { view, id, tree } = shown
  const said = refusedNote(shown)
  const action = `${pathOf(id)}/review/${request.review_request_id}`
  return (
    <>
      <div class="actions">
        <Act view={view} action={`${action}/approve`} kind="next">
          {view.t('Approve and publish')}
        </Act>
        {tree.waiting.size > 0 && (
          <a class="button" href={`${view.base}${pathOf(id)}/changes`}>
            {view.t('Compare')}
          </a>
        )}
      </div>
      <details open={said?.errors.has('note') === true}>
        <summary>{view.t('Send back with a note')}</summary>
        <Form view={view} action={`${action}/return`} note>
          <Fields
            view={view}
            fields={[
              {
                name: 'note',
                label: view.t('What needs to change'),
                kind: 'lines',
                rows: 3,
                required: true,
              },
            ]}
            draft={said}
          />
          <Submit>{view.t('Send back')}</Submit>
        </Form>
      </details>
    </>
  )
}

function Withdraw({ view, id, request }: Shown & { request: Request }) {
  return (
    <Act view={view} action={`${pathOf(id)}/review/${request.review_request_id}/withdraw`}>
      {request.status === 'open' ? view.t('Withdraw') : view.t('Dismiss')}
    </Act>
  )
}

function Open({ shown, request, talk }: { shown: Shown; request: Request; talk: Talk }) {
  const { view, id, tree } = shown
  const isOwn = request.author_id === view.user?.user_id
  return (
    <>
      <p>
        {view.parts(
          tree.root.content_data_id === id ? '{asked} {time}.' : '{asked} of the whole page {time}.',
          {
            asked: (
              <b>
                {isOwn
                  ? view.t('You requested a review')
                  : view.t('{name} requested a review', {
                      name: personIn(talk, request.author_id, view),
                    })}
              </b>
            ),
            time: <Moment view={view} at={request.date_created} />,
          },
        )}
      </p>
      <Words text={request.note} />
      {view.can('content:publish') && isShared(shown) ? <Answers shown={shown} request={request} /> : null}
      {isOwn && <Withdraw {...shown} request={request} />}
    </>
  )
}

/** The state of the review on top of an entry: an open request, or why one's own was sent back. */
export function ReviewNote(shown: Shown) {
  const { view, talk } = shown
  const request = talk?.request
  if (!request || !talk) return null
  const isReturned = request.status === 'returned' && request.author_id === view.user?.user_id
  if (request.status !== 'open' && !isReturned) return null
  return (
    <section class="review" aria-label={view.t('Review')}>
      <Note view={view}>
        {isReturned ? (
          <>
            <p>
              {view.parts('{answered} {time}.', {
                answered: (
                  <b>{view.t('{name} sent it back', { name: personIn(talk, request.answered_by, view) })}</b>
                ),
                time: <Moment view={view} at={request.answered_at} />,
              })}
            </p>
            <Words text={request.answer} />
            <Withdraw {...shown} request={request} />
          </>
        ) : (
          <Open shown={shown} request={request} talk={talk} />
        )}
      </Note>
    </section>
  )
}
