import { isUlid } from '../ids.js'

/** A place in a tree: an entry, the one that it is under, and its position there from 0. */
export interface Place {
  readonly id: string
  readonly parent_id: string
  readonly position: number
}

/** Returns the path of a page that offers to move an entry back. */
export const withMoveBack = (path: string, { id, parent_id, position }: Place): string =>
  `${path}${path.includes('?') ? '&' : '?'}moved=${id}.${parent_id}.${position}`

/** Returns the place in the address of such a page. */
export function moveBackIn(given: string | undefined): Place | undefined {
  const [id = '', parent_id = '', position = ''] = given?.split('.') ?? []
  if (!isUlid(id) || !isUlid(parent_id) || !/^\d{1,6}$/.test(position)) return undefined
  return { id, parent_id, position: Number(position) }
}
