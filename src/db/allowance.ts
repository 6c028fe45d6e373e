/** What statements in pieces may take together. Of those who have a limit one works at a time. */
export interface Allowance {
  /** How long they may still work, in milliseconds. */
  leftMs: number
  refusal(): Error
}

/** Asks for it, once a statement needs it. */
export type AllowanceOf = () => Promise<Allowance | undefined>
