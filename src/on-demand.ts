/** Makes a value on the first use, and again if that has failed. */
export function onDemand<T>(make: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined
  return () => {
    known ??= make().catch(error => {
      known = undefined
      throw error
    })
    return known
  }
}
