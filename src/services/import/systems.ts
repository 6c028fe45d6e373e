/** The systems whose exports can be imported. */
export const importSystems = ['wordpress', 'contentful', 'sanity', 'strapi'] as const
export type ImportSystem = (typeof importSystems)[number]
