import { badRequest } from '../errors.js'
import { type Io, show, type Values } from './command.js'
import { visible } from './visible.js'

/** The options of a command that deletes something. */
export const yes = { '--yes': 'do not ask for confirmation; required without a terminal, as in a script' }
export const dryRun = { '--dry-run': 'show what would be done, and do nothing' }

/**
 * Asks before something that matters, unless `--yes` is given.
 * @throws 400 if nobody can be asked, or the person does not agree
 */
export async function agree(io: Pick<Io, 'ask'>, { yes }: Values, question: string): Promise<void> {
  if (yes !== undefined) return
  if (!io.ask)
    throw badRequest(
      'cannot ask for confirmation without a terminal: add --yes to continue, or --dry-run to see what would change',
    )
  const answer = await io.ask(visible(`${question}\nType yes to continue`))
  if (!/^y(es)?$/i.test(answer.trim())) throw badRequest('nothing was changed')
}

interface Deletion {
  readonly id: string
  readonly name: string
  readonly words: string
}

/** Deletes after a question, or shows what a deletion would include. */
export async function deleteAsked(
  io: Io,
  options: Values,
  { id, name, words }: Deletion,
  act: () => Promise<void>,
): Promise<void> {
  if (options['dry-run'] !== undefined)
    return show(
      io,
      options,
      { would_delete: id, name, message: words },
      `This would delete ${name}. ${words}`,
    )
  await agree(io, options, `Delete ${name}? ${words}`)
  await act()
  show(io, options, { deleted: id, name }, `Deleted ${name}.`)
}
