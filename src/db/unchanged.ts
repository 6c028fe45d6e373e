import type { Writer } from './writer.js'

class Unchanged extends Error {
  constructor(readonly result: unknown) {
    super('nothing was changed')
  }
}

type Work<T> = (tx: Writer) => Promise<T>

/** Runs `work` in a transaction that is rolled back where it leaves no audit event. @returns what `work` gives */
export async function unlessUnchanged<T>(write: (work: Work<T>) => Promise<T>, work: Work<T>): Promise<T> {
  try {
    return await write(async tx => {
      const result = await work(tx)
      if (!tx.hasChanges) throw new Unchanged(result)
      return result
    })
  } catch (error) {
    if (error instanceof Unchanged) return error.result as T
    throw error
  }
}
