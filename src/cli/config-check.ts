import { existsSync } from 'node:fs'
import { configFields } from '../config-fields.js'
import { didYouMean } from '../nearest-name.js'
import { loadConfig } from '../node/config-file.js'
import { type LocalCommand, show } from './command.js'

const names = Object.keys(configFields)

/**
 * Reads the configuration as a start would.
 * @returns 1 if it has an unknown field, whose probable name is suggested
 * @throws ConfigError that names the invalid field
 */
export const configCheck: LocalCommand['run'] = async (terminal, options) => {
  const { unknown, path } = loadConfig(options.config, terminal.variables)
  const problems = unknown.map(name => `${name}: unknown field: ${didYouMean(name, names)}`)
  const right = existsSync(path)
    ? `${path} is valid. A running service reads it at its next start.`
    : `There is no ${path}: every field has its default.`
  const text = problems.map(problem => `${path}: ${problem}`).join('\n') || right
  show(terminal, options, { file: path, problems }, text)
  return problems.length > 0 ? 1 : 0
}
