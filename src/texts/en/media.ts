/** Texts of the panel. */
export const mediaTexts = [] as const
