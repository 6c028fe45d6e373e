import { z } from 'zod'
import { textProblem } from '../../request-paths.js'

const maxText = 5000

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const control = /[\u0000-\u0008\u000b-\u001f\u007f]/

/** The text of a comment: lines of plain text. */
export const note = z
  .string()
  .normalize('NFC')
  .overwrite(text => text.replaceAll(/\r\n?/g, '\n').trim())
  .max(maxText, { abort: true })
  .refine(text => textProblem(text) === undefined && !control.test(text), 'must have no control characters')

export const words = note.refine(text => text !== '', 'must have more than whitespace')
