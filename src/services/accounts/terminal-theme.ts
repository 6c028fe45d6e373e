import { type Actor, signedIn } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'

const table = tables.userPreferences
const kind = { kind: 'terminal', label: 'theme' } as const

const themes = ['own', 'dark', 'light', 'contrast', 'none'] as const
/** The colours of the terminal's screens; `own` are those of the user's program. */
export type TerminalTheme = (typeof themes)[number]

/** The theme that an account has chosen for the screens over SSH. Nobody else sees or changes it. */
export const terminalTheme = (db: Database) => ({
  async own(actor: Actor): Promise<TerminalTheme> {
    const row = await db.find(table, { user_id: signedIn(actor).userId, ...kind })
    return themes.find(theme => theme === row?.value) ?? 'own'
  },
  /** Stores nothing for `own`, nor for the theme that is chosen already. */
  async choose(actor: Actor, theme: TerminalTheme): Promise<void> {
    const { userId: user_id } = signedIn(actor)
    await db.write(actor, async tx => {
      await tx.lock(tables.users, user_id)
      const rows = await tx.lockAll(table, { user_id, ...kind })
      const [row] = rows
      if (theme === 'own') await tx.removeAll(table, rows)
      else if (!row) await tx.insert(table, { user_id, ...kind, value: theme })
      else if (row.value !== theme) await tx.update(table, row.user_preference_id, { value: theme })
    })
  },
})
