declare module 'write-good' {
  interface Suggestion {
    index: number
    offset: number
    /** The words in quotes, and what is wrong with them. */
    reason: string
  }
  type Check = { fn: (text: string) => { index: number; offset: number }[]; explanation: string }
  const writeGood: (
    text: string,
    options: Record<string, boolean> | { checks: Record<string, Check> },
  ) => Suggestion[]
  export default writeGood
}
