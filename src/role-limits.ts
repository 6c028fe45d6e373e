/** The part of the site that a role or an API key may change. Every member that is there must hold, but for `reads`. */
export interface RoleLimits {
  /** Ids of datatypes: entries of them, and everything under these. */
  readonly datatypes?: string[] | undefined
  /** Ids of routes: their pages and addresses, and everything under these. */
  readonly routes?: string[] | undefined
  /** Codes of locales: values in them. */
  readonly locales?: string[] | undefined
  /** One's own entries, and everything under them. */
  readonly own?: true | undefined
  /**
   * Makes the others but the locales hold for reading too. Ids of datatypes whose entries may be read all the same.
   */
  readonly reads?: string[] | undefined
}

/** Limits with `reads`, and the user that they bind. */
export interface ReadBound {
  readonly userId: string
  readonly limits: RoleLimits
}

/** The part of the content that a caller may read. Its name is empty for all of it. */
export interface PartOfContent {
  readonly name: string
  readonly bounds: readonly ReadBound[]
}

/** Whether one part of the site is inside of another: each member of the other holds in it too. */
export function isWithin(part: RoleLimits | null | undefined, whole: RoleLimits): boolean {
  const lists = ['datatypes', 'routes', 'locales', 'reads'] as const
  const holds = lists.every(name => {
    const [own, all] = [part?.[name], whole[name]]
    return all === undefined || own?.every(one => all.includes(one)) === true
  })
  return holds && (whole.own === undefined || part?.own === true)
}
