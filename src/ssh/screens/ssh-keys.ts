import { notFound } from '../../errors.js'
import { SshKeyCreate } from '../../services/accounts/ssh-keys.js'
import { t } from '../../texts/terminal.js'
import { resourceView } from '../resource.js'
import type { Session } from '../session.js'

/** The user's own public keys. */
export function sshKeysScreen(session: Session) {
  const { sshKeys } = session.services
  const own = () => sshKeys.list(session.actor)
  return resourceView(session, {
    title: t('SSH keys'),
    one: t('SSH key'),
    access: { read: 'signed-in', create: 'signed-in', remove: 'signed-in' },
    service: {
      async *list(_where: never, { after }: { after?: string }) {
        if (after === undefined) yield await own()
      },
      count: async () => (await own()).length,
      async get(id: string) {
        const key = (await own()).find(({ ssh_key_id }) => ssh_key_id === id)
        if (!key) throw notFound()
        return key
      },
      create: sshKeys.add.bind(sshKeys),
      remove: sshKeys.remove.bind(sshKeys),
    },
    key: 'ssh_key_id',
    nameOf: ({ label, fingerprint }) => label || fingerprint,
    empty: t('No SSH keys yet.'),
    columns: [
      { label: t('Label'), of: ({ label }) => label || '–' },
      { label: t('Fingerprint'), of: ({ fingerprint }) => fingerprint },
      { label: t('Last used'), of: ({ last_used }) => ({ at: last_used }), room: 'much' },
    ],
    create: SshKeyCreate,
    fields: record =>
      record
        ? (['label', 'key_type', 'fingerprint', 'last_used'] as const).map(name => ({
            name,
            label: name,
            kind: 'fixed',
          }))
        : [
            {
              name: 'public_key',
              label: t('Public key'),
              required: true,
              hint: t('the content of a .pub file, such as ssh-ed25519 AAAA…'),
            },
            { name: 'label', label: t('Label') },
          ],
  })
}
