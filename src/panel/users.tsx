import { idParam } from '../middleware/context.js'
import { userResource } from '../resources/users.js'
import type { UserRecord } from '../services/accounts/users.js'
import type { PanelContext } from './context.js'
import { saved } from './pages.js'
import { Act, State } from './parts.js'
import { PasswordLinkButton, passwordLinkAction } from './password-link.js'
import { type PageResource, resourcePages } from './resource.js'
import { panelActor } from './view.js'

/** A person in the list; whether they have a second factor is for those who may reset it. */
type Person = UserRecord & { readonly has_factor?: boolean }

/** People, with the second factor of each for those who may reset it. */
export function userPages(context: PanelContext) {
  const { users, secondFactor, access } = context.services
  const people = userResource(context)
  const withFactors: Pick<PageResource<Person>['service'], 'list' | 'count' | 'get'> = {
    async *list(where, slice) {
      for await (const some of users.list(where, slice)) {
        const holders = await secondFactor.holders(some.map(({ user_id }) => user_id))
        yield some.map(person => ({ ...person, has_factor: holders.has(person.user_id) }))
      }
    },
    count: where => users.count(where),
    get: id => users.get(id),
  }
  const set = resourcePages<Person>(context, {
    ...people,
    path: '/users',
    reads: async actor => ((await access.can(actor, 'users:update')) ? withFactors : users),
    columns: [
      ...people.columns,
      {
        label: 'Second factor',
        of: ({ has_factor }) =>
          has_factor === undefined
            ? ''
            : has_factor
              ? { state: 'live', word: 'On' }
              : { state: 'off', word: 'Off' },
        room: 'much',
      },
    ],
    actions: (view, { user_id }) => <PasswordLinkButton view={view} id={user_id} />,
    async more(view, { user_id }) {
      if (!view.can('users:update')) return null
      const hasOne = (await secondFactor.holders([user_id])).has(user_id)
      return (
        <section aria-labelledby="second-factor">
          <div class="head">
            <h2 id="second-factor">{view.t('Second factor')}</h2>
            {hasOne && user_id !== view.user?.user_id && (
              <Act view={view} action={`/users/${user_id}/second-factor/reset`} kind="bad">
                {view.t('Reset')}
              </Act>
            )}
          </div>
          <p>
            <State kind={hasOne ? 'live' : 'off'}>{hasOne ? view.t('On') : view.t('Off')}</State>
          </p>
          {hasOne && (
            <p class="meta">
              {view.t(
                'Reset it for somebody who has lost their device. It removes their passkeys and ends all their sessions.',
              )}
            </p>
          )}
        </section>
      )
    },
  })
  passwordLinkAction(set, context)
  set.act('/users/:user_id/second-factor/reset', 'users:update', async c => {
    const id = idParam(c, 'user_id')
    await secondFactor.reset(panelActor(c), id)
    return saved(`/users/${id}`)
  })
  return set
}
