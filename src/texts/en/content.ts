/** Texts of the panel. */
export const contentTexts = [] as const
