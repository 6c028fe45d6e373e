import { missingPermission } from '../errors.js'
import { SshKeyCreate } from '../services/accounts/ssh-keys.js'
import { type SiteCommand, show } from './command.js'
import { deleteAsked } from './deletion.js'
import { inputText, parsed } from './given.js'
import { lines } from './table.js'

type Work = SiteCommand['work']

export const keysList: Work = async ({ sshKeys }, actor, io, options) => {
  const own = await sshKeys.list(actor)
  const text = lines(own, ['ssh_key_id', 'key_type', 'fingerprint', 'label', 'last_used']).trimEnd()
  show(io, options, own, text || 'No SSH keys yet.')
  return 0
}

/** Registers the public key on standard input: one line as in a `.pub` file. */
export const keysAdd: Work = async ({ sshKeys }, actor, io, options) => {
  const { label } = options
  const key = await sshKeys.add(actor, parsed(SshKeyCreate, { public_key: await inputText(io), label }))
  show(io, options, key, `${key.ssh_key_id} ${key.fingerprint}`)
  return 0
}

/** Removes a key after a question: an own one, or with `ssh_keys:delete` that of somebody else. */
export const keysRemove: Work = async ({ access, sshKeys }, actor, io, options, [id = '']) => {
  const own = (await sshKeys.list(actor)).find(one => one.ssh_key_id === id)
  // Before the question, which nobody needs who may not remove it.
  if (!own && !(await access.can(actor, 'ssh_keys:delete'))) throw missingPermission('ssh_keys:delete')
  const name = `the key “${own?.label || own?.fingerprint || id}”`
  const words = 'Its sessions end, and nobody can sign in with it.'
  await deleteAsked(io, options, { id, name, words }, () => sshKeys.remove(actor, id))
  return 0
}
