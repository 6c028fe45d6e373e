import { bootstrapPermissions, unseededPermissions } from '../permissions.js'
import { TokenCreate, TokenUpdate } from '../services/accounts/tokens.js'
import { limitFields, limitTexts } from './limit-fields.js'
import { accessTo, type ResourceParts, resource } from './resource.js'
import { withZone } from './times.js'

const words = [...bootstrapPermissions, ...unseededPermissions].map(word => ({ value: word, word }))

/** Returns the key itself, which the service returns only when it is created. */
export const keyIn = (record: object): string => (record as { token?: string }).token ?? ''

/** API keys. */
export function tokenResource(parts: ResourceParts) {
  const { tokens, users } = parts.services
  return resource({
    title: 'API keys',
    one: 'key',
    words: { new: 'New API key', add: 'Add an API key', delete: 'Delete key' },
    about: 'An API key gives a program the permissions of its user, or fewer.',
    access: accessTo('tokens'),
    service: tokens,
    key: 'token_id',
    passing: ['last_used_at'],
    nameOf: ({ label, token_prefix }) => label || `${token_prefix}…`,
    empty: 'No API keys yet.',
    columns: [
      { label: 'Label', of: ({ label, token_prefix }) => label || `${token_prefix}…` },
      { label: 'Key', of: ({ token_prefix }) => ({ code: `${token_prefix}…` }) },
      {
        label: 'State',
        of({ revoked, expires_at }, now) {
          if (revoked) return { state: 'bad', word: 'Revoked' }
          const isOver = expires_at !== null && Date.parse(expires_at) <= now
          return isOver ? { state: 'off', word: 'Expired' } : { state: 'live', word: 'Valid' }
        },
      },
      { label: 'Last used', of: ({ last_used_at }) => ({ at: last_used_at }), room: 'some' },
    ],
    create: TokenCreate,
    update: TokenUpdate,
    prepare: (texts, record) => limitTexts(withZone('expires_at')(texts), record?.limits),
    fields: async (record, viewer) => {
      const { t } = viewer
      return [
        { name: 'label', label: t('Label'), hint: t('where the key is used') },
        ...(record
          ? ([
              {
                name: 'user',
                label: t('User'),
                kind: 'fixed',
                value: (await users.get(record.user_id)).email,
              },
              {
                name: 'revoked',
                label: t('Revoked'),
                kind: 'switch',
                hint: t('a revoked key cannot be restored'),
              },
            ] as const)
          : []),
        {
          name: 'expires_at',
          label: t('Expires'),
          kind: 'datetime',
          hint: t('leave empty for no expiry'),
        },
        { name: 'read_only', label: t('Read-only'), kind: 'switch' },
        {
          name: 'permissions',
          label: t('Permissions'),
          kind: 'choices',
          choices: words,
          hint: t('if you select none, the key has all permissions of the user'),
          value: record?.permissions ?? [],
        },
        {
          name: 'rate_limit',
          label: t('Requests per minute'),
          kind: 'number',
          hint: t('leave empty for no limit'),
        },
        ...(await limitFields(record?.limits ?? {}, viewer, parts)),
      ]
    },
  })
}
