/** Texts of the panel. */
export const browserTexts = [] as const
