/** The systems and kinds of files that can be imported. */
export const importSystems = [
  'wordpress',
  'contentful',
  'sanity',
  'strapi',
  'markdown',
  'ghost',
  'csv',
] as const
export type ImportSystem = (typeof importSystems)[number]
