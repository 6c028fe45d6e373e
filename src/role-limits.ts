/** The part of the site that a role may change. Every member that is there must hold. */
export interface RoleLimits {
  /** Ids of datatypes: entries of them, and everything under these. */
  readonly datatypes?: string[] | undefined
  /** Ids of routes: their pages and addresses, and everything under these. */
  readonly routes?: string[] | undefined
  /** Codes of locales: values in them. */
  readonly locales?: string[] | undefined
  /** One's own entries, and everything under them. */
  readonly own?: true | undefined
}
