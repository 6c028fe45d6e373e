import { UserCreate, UserUpdate } from '../services/accounts/users.js'
import { all } from './entries.js'
import { accessTo, type ResourceParts, resource } from './resource.js'
import { withoutEmpty } from './times.js'

const maxRoles = 200

/** Users: people with an account. */
export function userResource({ services: { users, roles, access } }: ResourceParts) {
  const roleChoices = async () =>
    (await all(roles.list({}, { limit: maxRoles }))).map(({ role_id, label }) => ({
      value: role_id,
      word: label,
    }))
  return resource({
    title: 'People',
    one: 'person',
    words: { new: 'New person', add: 'Add a person', delete: 'Delete person' },
    access: accessTo('users'),
    service: users,
    key: 'user_id',
    nameOf: ({ name, username }) => name || username,
    empty: 'No people yet.',
    columns: [
      { label: 'Name', of: ({ name, username }) => name || username },
      { label: 'E-mail', of: ({ email }) => email, room: 'some' },
      { label: 'Role', of: ({ role_label }) => role_label },
      { label: 'Since', of: ({ date_created }) => ({ at: date_created }), room: 'much' },
    ],
    create: UserCreate,
    update: UserUpdate,
    prepare: withoutEmpty('password', 'username', 'role_id'),
    deletes: (_record, { t }) =>
      t(
        'This also deletes their sessions, API keys and provider sign-ins. People who are authors of records cannot be deleted.',
      ),
    fields: async (record, { actor, t }) => [
      { name: 'name', label: t('Name') },
      { name: 'email', label: t('E-mail'), kind: 'email', required: true },
      {
        name: 'username',
        label: t('Username'),
        hint: record ? '' : t('leave empty to create it from the e-mail address'),
      },
      (await access.isAdministrator(actor))
        ? {
            name: 'role_id',
            label: t('Role'),
            kind: 'choice',
            choices: await roleChoices(),
            ...(record ? { value: record.role } : { none: 'viewer' }),
          }
        : { name: 'role_label', label: t('Role'), kind: 'fixed', hint: t('an administrator sets it') },
      ...(record?.user_id === actor.userId
        ? []
        : [
            {
              name: 'password',
              label: record ? t('New password') : t('Password'),
              kind: 'password',
              autocomplete: 'new-password',
              hint: record
                ? t('leave empty to keep it')
                : t('at least 8 characters; leave empty to send them a link'),
            } as const,
          ]),
    ],
  })
}
