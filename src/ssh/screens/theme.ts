import type { TerminalTheme } from '../../services/accounts/terminal-theme.js'
import { t } from '../../texts/terminal.js'
import { pickView } from '../screen/over.js'
import type { AnyView } from '../screen/view.js'
import type { Session } from '../session.js'

const words: Readonly<Record<TerminalTheme, string>> = {
  own: t('The colours of your terminal'),
  dark: t('Dark'),
  light: t('Light'),
  contrast: t('High contrast'),
  none: t('No colours'),
}

/** Chooses the colours of the screens. A choice is kept on the account; guests have it for their session. */
export function themeView(
  { actor, site }: Session,
  shown: TerminalTheme,
  show: (theme: TerminalTheme) => void,
): AnyView {
  const themes = Object.keys(words) as TerminalTheme[]
  return pickView({
    title: t('Colours'),
    chosen: [shown],
    choices: themes.map(value => ({ value, word: words[value] })),
    picked([chosen], _choices, shell) {
      const theme = themes.find(one => one === chosen) ?? 'own'
      show(theme)
      if (actor.userId !== null)
        shell.work('signed-in', async () => site.services.terminalTheme.choose(actor, theme))
    },
  })
}
