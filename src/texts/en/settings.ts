/** Texts of the panel. */
export const settingsTexts = [] as const
