import type { Actor } from '../actor.js'
import { HttpError, notFound, unauthenticated } from '../errors.js'
import { storedId } from '../ids.js'
import type { Access } from '../services/accounts/access.js'
import type { Services } from '../services/index.js'
import type { Terminal } from './terminal.js'
import { visible } from './visible.js'

/** The resources with ordinary commands, by the first word of the commands. */
export type RecordName =
  | 'content'
  | 'routes'
  | 'datatypes'
  | 'fields'
  | 'media'
  | 'user'
  | 'roles'
  | 'token'
  | 'locales'
  | 'redirects'
  | 'webhooks'
  | 'trash'
  | 'comments'

/** The given options, by name. An option without a value is an empty text. */
export type Values = Readonly<Record<string, string | undefined>>

export const config = {
  '--config <path>': 'configuration file (default: ./cms.config.json, if it exists)',
}
/** The option of a list. */
export const limit = {
  '--limit <number>': 'maximum number of records, 0 for all (default: 100; with --json, all)',
  '--jsonl': 'show each record as one line of JSON',
}
export const json = { '--json': 'show the result as one line of JSON' }

/** The call of a command, and its help. */
export interface Words {
  readonly words: string
  readonly summary: string
  readonly arguments?: Readonly<Record<string, string>>
  /** The options, such as `--config <path>`, or `--json` without a value, and their meanings. */
  readonly options?: Readonly<Record<string, string>>
  readonly isHidden?: boolean
}

/** A command for the machine that runs the service: its files, its process, its database as a whole. */
export interface LocalCommand extends Words {
  /** @returns the exit code */
  run(terminal: Terminal, options: Values, given: readonly string[]): Promise<number>
}

/** The output, the input and the questions of a command of a site. */
export type Io = Pick<
  Terminal,
  | 'write'
  | 'writeError'
  | 'writeBytes'
  | 'drained'
  | 'input'
  | 'openFile'
  | 'readSecret'
  | 'ask'
  | 'isInteractive'
  | 'isTerminal'
  | 'hasColour'
  | 'columns'
  | 'linked'
  | 'zone'
  | 'stopped'
>

/** A command that needs only the services of a site, so every surface can offer it with an actor of its own. */
export interface SiteCommand extends Words {
  readonly access: Access
  /** Options besides the common ones: `--json`, and on the machine itself `--config`. */
  readonly options?: Readonly<Record<string, string>>
  readonly hasAuthor?: true
  readonly withoutJson?: true
  /** @returns the exit code */
  work(services: Services, actor: Actor, io: Io, options: Values, given: readonly string[]): Promise<number>
}

export type Command = LocalCommand | SiteCommand

/** Returns a command of a site with the common options behind its own. @param more options of one surface */
export const withUsualOptions = (
  command: SiteCommand,
  more: Readonly<Record<string, string>> = {},
): SiteCommand => ({
  ...command,
  options: { ...command.options, ...more, ...(command.withoutJson ? {} : json) },
})

/** A call that the command cannot mean, such as an option with an impossible value. The exit code is 2. */
export class WrongCall extends Error {}

/** Shows the result of a command: as one line of JSON with `--json`, else for a person. */
export function show(io: Pick<Io, 'write'>, { json }: Values, value: unknown, text: string): void {
  io.write(`${visible(json === undefined ? text : JSON.stringify(value))}\n`)
}

/**
 * Runs a command for an actor of any surface.
 * @returns the exit code
 * @throws 403 without the permission of the command; 404 that names the arguments
 */
export async function runAs(
  actor: Actor,
  services: Services,
  { access, work, arguments: places = {} }: SiteCommand,
  call: { io: Io; options: Values; given: readonly string[] },
): Promise<number> {
  if (!(await services.access.can(actor, access)))
    throw access === 'signed-in' && actor.roleId === null
      ? unauthenticated()
      : await services.access.refusal(actor, access)
  const given = call.given.map(storedId)
  return work(services, actor, call.io, call.options, given).catch(error => {
    throw withWhatWasGiven(error, Object.values(places), call.given)
  })
}

/** Adds the arguments to an error about a missing record: a request over HTTP names the record, a terminal does not. */
function withWhatWasGiven(error: unknown, meanings: readonly string[], given: readonly string[]): unknown {
  const isBare =
    error instanceof HttpError && error.code === 'not_found' && error.message === notFound().message
  if (!isBare || given.length === 0) return error
  const places = given.map((text, i) => `${text} (${(meanings[i] ?? meanings.at(-1))?.split(';')[0]})`)
  return notFound(`not found: ${places.join(' or ')}`)
}
