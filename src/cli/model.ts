import { ModelFile, type ModelStep } from '../services/model/file.js'
import { authorOf } from './author.js'
import { type SiteCommand, show } from './command.js'
import { inputJson } from './given.js'

type Work = SiteCommand['work']

const line = ({ action, what, name, changes, breaks }: ModelStep): string =>
  [
    `${action} ${what} ${name}`,
    changes.length > 0 ? ` (${changes.join(', ')})` : '',
    breaks === null ? '' : `\n  breaks: ${breaks}`,
  ].join('')
const lines = (steps: readonly ModelStep[], none: string): string =>
  steps.length === 0 ? none : steps.map(line).join('\n')

export const modelPull: Work = async ({ model }, actor, io) => {
  io.write(`${JSON.stringify(await model.get(actor), null, 2)}\n`)
  return 0
}

export const modelPlan: Work = async ({ model }, actor, io, options) => {
  const steps = await model.plan(actor, await inputJson(io, ModelFile))
  show(io, options, steps, lines(steps, 'nothing to change'))
  return 0
}

export const modelApply: Work = async (services, actor, io, options, given) => {
  if (options['dry-run'] !== undefined) return modelPlan(services, actor, io, options, given)
  const accept = options['accept-broken'] !== undefined
  // On the machine itself nobody is signed in.
  const by = actor.userId === null ? { ...actor, userId: await authorOf(services, undefined) } : actor
  const steps = await services.model.apply(by, await inputJson(io, ModelFile), { accept })
  show(io, options, steps, lines(steps, 'nothing to change'))
  return 0
}
