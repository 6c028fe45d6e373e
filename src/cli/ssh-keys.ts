import { SshKeyCreate } from '../services/accounts/ssh-keys.js'
import { type SiteCommand, show } from './command.js'
import { inputText, parsed } from './given.js'
import { lines } from './table.js'

type Work = SiteCommand['work']

export const keysList: Work = async ({ sshKeys }, actor, io, options) => {
  const own = await sshKeys.list(actor)
  const text = lines(own, ['ssh_key_id', 'key_type', 'fingerprint', 'label', 'last_used']).trimEnd()
  show(io, options, own, text || 'There is no key.')
  return 0
}

/** Registers the public key on standard input: one line as in a `.pub` file. */
export const keysAdd: Work = async ({ sshKeys }, actor, io, options) => {
  const { label } = options
  const key = await sshKeys.add(actor, parsed(SshKeyCreate, { public_key: await inputText(io), label }))
  show(io, options, key, `${key.ssh_key_id} ${key.fingerprint}`)
  return 0
}

export const keysRemove: Work = async ({ sshKeys }, actor, _io, _options, [id = '']) => {
  await sshKeys.remove(actor, id)
  return 0
}
