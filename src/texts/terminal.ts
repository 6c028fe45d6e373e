import type { terminalTexts } from './en/terminal.js'
import type { Text } from './text.js'
import { type Wording, wording } from './wording.js'

/** A text of the terminal, or one that it shares with the panel. */
export type TerminalText = Text | (typeof terminalTexts)[number]

/** The texts of the terminal, which is in English. */
export const { t, count }: Wording<TerminalText> = wording<TerminalText>('en', undefined)
