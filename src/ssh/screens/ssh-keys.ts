import { notFound } from '../../errors.js'
import { SshKeyCreate } from '../../services/accounts/ssh-keys.js'
import { resourceView } from '../resource.js'
import type { Session } from '../session.js'

/** The user's own public keys. */
export function sshKeysScreen(session: Session) {
  const { sshKeys } = session.services
  const own = () => sshKeys.list(session.actor)
  return resourceView(session, {
    title: 'SSH keys',
    one: 'SSH key',
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
    empty: 'No SSH keys yet.',
    columns: [
      { label: 'Label', of: ({ label }) => label || '–' },
      { label: 'Fingerprint', of: ({ fingerprint }) => fingerprint },
      { label: 'Last used', of: ({ last_used }) => ({ at: last_used }), room: 'much' },
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
              label: 'Public key',
              required: true,
              hint: 'the content of a .pub file, such as ssh-ed25519 AAAA…',
            },
            { name: 'label', label: 'Label' },
          ],
  })
}
