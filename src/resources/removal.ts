import type { Actor } from '../actor.js'
import { HttpError } from '../errors.js'
import type { Access } from '../services/accounts/access.js'
import type { CascadeKind } from '../services/content/cascades.js'
import type { ServicesOfSpace } from './admin-space.js'

interface Context {
  readonly services: Pick<ServicesOfSpace, 'space' | 'access'>
}

/** What else one must be allowed to delete, for a deletion that takes along what hangs on a record. */
const also: Readonly<Record<CascadeKind, readonly Access[]>> = {
  routes: ['content:delete'],
  fields: ['content:delete'],
  datatypes: ['fields:delete', 'content:delete'],
}

/** Deletes a record with everything that hangs on it, or alone for who may delete nothing else. */
export const removing = ({ services: { space, access } }: Context, kind: CascadeKind) =>
  async function remove(actor: Actor, id: string): Promise<void> {
    const may = await Promise.all(also[kind].map(word => access.can(actor, word)))
    await (may.every(Boolean) ? space.cascades.remove(actor, kind, id) : space[kind].remove(actor, id))
  }

/** What a deletion takes along, in words. */
export async function removalOf(
  { services: { space } }: Context,
  viewer: { can(access: Access): boolean },
  kind: CascadeKind,
  id: string,
): Promise<string> {
  if (!also[kind].every(word => viewer.can(word))) return 'It is deleted only if nothing hangs on it.'
  const counts = await space.cascades.count(kind, id).catch(error => {
    // More than goes in one transaction, which the deletion would say too.
    if (error instanceof HttpError && error.status === 400) return error.message
    throw error
  })
  if (typeof counts === 'string') return `${counts}.`
  const words = Object.entries(counts)
    .filter(([name, count]) => count > 0 && name !== kind)
    .map(([name, count]) => `${count} ${count === 1 ? name.replace(/ies$/, 'y').replace(/s$/, '') : name}`)
  return words.length === 0
    ? 'Nothing hangs on it.'
    : `With it go ${words.join(', ')}. This cannot be undone.`
}
