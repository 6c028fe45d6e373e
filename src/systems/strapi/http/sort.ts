import { invalid } from '../../../errors.js'
import { type Nested, parameterText, textsOf } from '../../brackets.js'

/** Reads a `sort` in all its spellings. @throws 400 */
export function sortsOf(given: Nested | undefined) {
  const isList =
    given === undefined || typeof given === 'string' || [...given.keys()].every(key => /^\d+$/.test(key))
  const texts = isList
    ? textsOf('sort', given)
    : [...given].map(([name, direction]) => `${name}:${parameterText('sort', direction) ?? ''}`)
  if (texts.length > 4) throw invalid('sort', 'has more than 4 keys')
  return texts.map(text => {
    const [name = '', direction = 'asc'] = text.split(':')
    if (!/^(?:asc|desc)$/i.test(direction)) throw invalid('sort', 'must end in :asc or :desc')
    return { name, descending: direction.toLowerCase() === 'desc' }
  })
}
