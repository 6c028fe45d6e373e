import { HttpError } from '../errors.js'

/**
 * Acts on each record by itself, one after the other, so that a refused one does not stop the others.
 * @returns the refusals by id. @throws any error that is not a refusal
 */
export async function onEach(
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
): Promise<ReadonlyMap<string, HttpError>> {
  const refused = new Map<string, HttpError>()
  for (const id of ids)
    try {
      await act(id)
    } catch (error) {
      if (!(error instanceof HttpError) || error.status >= 500) throw error
      refused.set(id, error)
    }
  return refused
}

/** Says why a record was refused, in the words of the first problem. */
export const reasonOf = ({ errors, message }: HttpError): string => errors?.[0]?.error ?? message
