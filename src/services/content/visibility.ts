import type { Reader } from '../../db/reader.js'
import type { ContentSpace } from '../../db/tables.js'
import { forbidden, type HttpError } from '../../errors.js'

/** Who entries of a datatype are listed for: anybody, who may read content, or who works on it. */
export type Reach = 'anybody' | 'readers' | 'working'

interface Visible {
  readonly visibility: string
}

/** Whether entries of the datatype are shown at all. */
export const mayShow = ({ visibility }: Visible, audience: 'public' | 'preview' | 'working'): boolean =>
  audience === 'working' || visibility !== 'private'

/** Whether entries of the datatype are listed, counted, searched, and looked into by conditions. */
export const mayList = ({ visibility }: Visible, reach: Reach): boolean =>
  reach === 'working' || visibility === 'public' || (reach === 'readers' && visibility === 'linked')

/** Refuses to list what the public sees of a datatype, which is nothing: an empty list would look like an answer. */
export const privateDatatype = (name: string): HttpError =>
  forbidden(`the datatype "${name}" is private: queries and searches show only what the public sees`)

/** Returns the datatypes that are hidden from the public. */
export async function hiddenDatatypes(read: Reader, space: ContentSpace): Promise<ReadonlySet<string>> {
  const hidden = await read.findAll(space.datatypes, { visibility: 'private' })
  return new Set(hidden.map(({ datatype_id }) => datatype_id))
}
