import { type ConfigName, configFields } from '../config-fields.js'
import { badRequest, invalid } from '../errors.js'
import { didYouMean } from '../nearest-name.js'
import type { Services } from '../services/index.js'
import { type Io, type SiteCommand, show, WrongCall } from './command.js'
import { cell, lines } from './table.js'

type Work = SiteCommand['work']

function nameIn(text: string): ConfigName {
  if (!Object.hasOwn(configFields, text))
    throw badRequest(`there is no setting ${text}: ${didYouMean(text, Object.keys(configFields))}`)
  return text as ConfigName
}

/** Shows one setting, or all of them with their values; secrets are masked. */
export const configGet: Work = async ({ configuration }, _actor, io, options, [text]) => {
  const values = await configuration.read()
  if (text !== undefined) {
    const name = nameIn(text)
    show(io, options, { name, value: values[name] ?? null }, cell(values[name]))
    return 0
  }
  const rows = Object.entries(values).map(([name, value]) => ({ name, value }))
  const head = io.isTerminal ? { isBold: io.hasColour } : undefined
  show(io, options, values, lines(rows, ['name', 'value'], { head, width: io.columns }).trimEnd())
  return 0
}

/** Returns the value that a text means: the text itself where the setting may be one, else JSON. */
function valueIn(name: ConfigName, text: string): unknown {
  if (configFields[name].schema.safeParse(text).success && text !== 'null') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns when a change takes effect, in words. */
async function effectOf({ configuration }: Services, name: ConfigName): Promise<string> {
  const waits = (await configuration.restartRequired()).includes(name) || configFields[name].restart === true
  return waits ? ' It takes effect at the next start.' : ''
}

/** Returns the new value. A secret is never an argument: other users of the machine could read it. */
async function givenFor(io: Io, name: ConfigName, given: string | undefined): Promise<unknown> {
  if (!configFields[name].secret) {
    if (given === undefined) throw new WrongCall(`${name}: add its new value, or null for its default`)
    return valueIn(name, given)
  }
  if (given === 'null') return null
  if (given !== undefined)
    throw badRequest(
      `${name} is a secret: omit the value, then enter it at the prompt or send it on standard input`,
    )
  return io.readSecret(name)
}

/** Changes one setting; `null` brings its default back. */
export const configSet: Work = async (services, actor, io, options, [text = '', given]) => {
  const name = nameIn(text)
  const value = await givenFor(io, name, given)
  const before = (await services.configuration.read())[name] ?? null
  if (options['dry-run'] !== undefined) {
    const { error } = configFields[name].schema.safeParse(value === null ? undefined : value)
    const [issue] = error?.issues ?? []
    if (issue) throw invalid(name, issue.message)
    const shown = configFields[name].secret ? '(secret)' : cell(value)
    show(
      io,
      options,
      { name, before, would_be: configFields[name].secret ? null : value },
      `This would change ${name} from ${cell(before)} to ${shown}.`,
    )
    return 0
  }
  const after = (await services.configuration.update(actor, { [name]: value }))[name] ?? null
  const words = `${name} is ${cell(after)}.${await effectOf(services, name)}`
  show(io, options, { name, before, value: after }, words)
  return 0
}
