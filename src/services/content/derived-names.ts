import { HttpError } from '../../errors.js'
import { camelCase } from '../text.js'

const maxLength = 200
const maxTries = 5

/** `Überschrift` and `Заголовок` become `uberschrift` and `zagolovok`: a key in ASCII for a label in any script. */
async function nameOf(label: string): Promise<string> {
  // Loaded with the first record that has no name of its own: the tables of all scripts are half a megabyte.
  const { default: anyAscii } = await import('any-ascii')
  // Apostrophes are within words, and stand for letters without a sound of their own.
  return camelCase(anyAscii(label).replaceAll("'", '')).slice(0, maxLength)
}

/** The values of a record whose name may be left out, to be derived. */
export type MaybeNamed<Create extends { name: string }> = Omit<Create, 'name'> & { name?: string | undefined }

const isTaken = (error: unknown) => error instanceof HttpError && error.code === 'duplicate'

/**
 * Makes a record under its own name or, without one, under a name that is derived from its label: with a number from 2
 * where that is taken.
 * @param namesInUse of the records that it must differ from
 * @throws 409 when the record's own name is taken
 */
export async function createNamed<G extends { label: string; name?: string | undefined }, T>(
  given: G,
  namesInUse: () => Promise<readonly string[]>,
  create: (name: string) => Promise<T>,
): Promise<T> {
  if (given.name !== undefined) return create(given.name)
  const wanted = await nameOf(given.label)
  for (let tries = 1; ; tries++) {
    const used = new Set(await namesInUse())
    let name = wanted
    for (let n = 2; used.has(name); n++) name = `${wanted}${n}`
    try {
      return await create(name)
    } catch (error) {
      if (tries === maxTries || !isTaken(error)) throw error
    }
  }
}
