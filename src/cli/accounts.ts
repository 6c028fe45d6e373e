import { duration, isDuration } from '../durations.js'
import { forbidden, invalid } from '../errors.js'
import { timestamp } from '../ids.js'
import { didYouMean } from '../nearest-name.js'
import { TokenCreate } from '../services/accounts/tokens.js'
import { UserCreate } from '../services/accounts/users.js'
import type { Services } from '../services/index.js'
import { type SiteCommand, show, WrongCall } from './command.js'
import { parsed } from './given.js'
import { idOf } from './names.js'
import { complain } from './terminal.js'

/** Returns the id of a role by its label. @throws 400 that suggests the probable role */
async function roleNamed({ roles }: Pick<Services, 'roles'>, label: string): Promise<string> {
  const labels: string[] = []
  for await (const some of roles.list({}, {}))
    for (const role of some) {
      if (role.label === label) return role.role_id
      labels.push(role.label)
    }
  throw invalid('role', `there is no role ${label}: ${didYouMean(label, labels)}`)
}

/** Creates an account of any role; it asks for the password. */
export const userCreate: SiteCommand['work'] = async (services, actor, io, options, [email = '']) => {
  const { role = 'viewer', username, name } = options
  const role_id = await roleNamed(services, role)
  const given = parsed(UserCreate, { email, username, name, role_id })
  const password = await io.readSecret(`Password of ${given.email}`)
  const user = await services.users.create(actor, parsed(UserCreate, { ...given, password }))
  show(io, options, user, `Created the account ${user.email} with the role ${user.role_label}.`)
  return 0
}

/** Changes the role of an account; its sessions end. */
export const userRole: SiteCommand['work'] = async (
  services,
  actor,
  io,
  options,
  [email = '', role = ''],
) => {
  const account = await services.users.byEmail(email)
  const role_id = await roleNamed(services, role)
  const user = await services.users.update(actor, account.user_id, { role_id })
  // The service ignores a role from anybody else, for records that are sent back whole. A command reports it.
  if (user.role !== role_id) throw forbidden('only an administrator can change a role')
  show(io, options, user, `The account ${user.email} has the role ${user.role_label}.`)
  return 0
}

/** Returns the time at the end of a duration from now. @throws 400 for an invalid duration */
function endAfter(text: string): string {
  if (!isDuration(text)) throw invalid('expires-in', 'must be a duration such as "90d" or "12h"')
  return timestamp(Date.now() + duration(text))
}

const limitsForm = /^(datatypes|routes|locales|reads)=(.*)$/s

/** Returns the part of the site that the words of `--limits` name. */
function limitsIn(text: string): Record<string, string[] | true> {
  const limits: Record<string, string[] | true> = {}
  for (const one of text.split('\n')) {
    const [, member = one, values] = limitsForm.exec(one) ?? []
    if (values === undefined && one !== 'own')
      throw new WrongCall(`--limits ${one}: must be datatypes=…, routes=…, locales=…, reads=… or own`)
    if (member in limits) throw new WrongCall(`--limits: ${member} can be given once`)
    // `reads=` names none: nothing beside the part can be read.
    const listed = values?.split(',').flatMap(value => value.trim() || [])
    limits[member] = listed ?? true
  }
  return limits
}

/** Creates an API key of an account. Standard output gets only the key, for scripts. */
export const tokenCreate: SiteCommand['work'] = async (services, actor, io, options, [email = '']) => {
  const account = await services.users.byEmail(email)
  const { label, permissions, 'expires-in': expiresIn, 'read-only': readOnly } = options
  const { limits, 'rate-limit': rate } = options
  const given = parsed(TokenCreate, {
    user_id: account.user_id,
    label,
    permissions: permissions?.split(',').map(one => one.trim()),
    read_only: readOnly !== undefined,
    expires_at: expiresIn === undefined ? undefined : endAfter(expiresIn),
    limits: limits === undefined ? undefined : limitsIn(limits),
    rate_limit: rate !== undefined && /^\d+$/.test(rate) ? Number(rate) : rate,
  })
  const made = await services.tokens.create(actor, given)
  complain(io, `this key of ${account.email} is shown only once`)
  show(io, options, made, made.token)
  return 0
}

export const tokenRevoke: SiteCommand['work'] = async (services, actor, io, options, [text = '']) => {
  const id = await idOf('token', text, services, actor)
  const token = await services.tokens.update(actor, id, { revoked: true })
  show(io, options, token, `The key ${token.token_prefix}… is revoked.`)
  return 0
}
