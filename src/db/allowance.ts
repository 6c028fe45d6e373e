/** The time that the long statements of a caller have together. */
export interface Allowance {
  leftMs: number
  refusal(): Error
}

/** Asks for it, once a statement needs it. */
export type AllowanceOf = () => Promise<Allowance | undefined>
