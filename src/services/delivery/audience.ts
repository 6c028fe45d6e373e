import type { Actor } from '../../actor.js'
import type { Book } from '../../db/queries/trees.js'

/** The audience of content: the public sees what is published, people who work on content its working state. */
export type Audience = 'public' | 'working'

/**
 * The audience of a page. People with a link to one page are `preview`: they see its working state, and of everything
 * else what the public sees.
 */
export type PageAudience = Audience | 'preview'

/** Returns the book that the tree of a page is read from. */
export const bookOf = (audience: PageAudience): Book => (audience === 'public' ? 'public' : 'working')

interface Rights<Caller> {
  can(caller: Caller, access: `${string}:${string}`): Promise<boolean>
  canCached(caller: Caller, access: `${string}:${string}`): boolean | undefined
}

const workOnContent = ['content:update', 'content:publish'] as const
/**
 * For whom the content of a caller's request is. A caller who only reads is one of the public.
 * @param work permissions, each of which makes a caller more than a reader
 */
export async function audienceOf<C>(
  rights: Pick<Rights<C>, 'can'>,
  caller: C,
  work: readonly `${string}:${string}`[] = workOnContent,
): Promise<Audience> {
  for (const access of work) if (await rights.can(caller, access)) return 'working'
  return 'public'
}

/** For whom content is that is delivered to a caller: whoever may read only a part is one of the public. */
export const deliveryAudience = async <C>(
  rights: Pick<Rights<C>, 'can'> & { readonly readsAll: boolean },
  caller: C,
): Promise<Audience> => (rights.readsAll ? audienceOf(rights, caller) : 'public')

/** Answers as `audienceOf` does, without waiting; undefined while the rights are not in memory. */
export function audienceCached<C>(rights: Rights<C>, caller: C): Audience | undefined {
  for (const access of workOnContent) {
    const can = rights.canCached(caller, access)
    if (can !== false) return can && 'working'
  }
  return 'public'
}

/** Whoever has one of these works on the addresses of pages, whether a page is public or not. */
const workOnRoutes = [...workOnContent, 'routes:create', 'routes:update', 'routes:delete'] as const

/** For whom a list of management is that a caller asks for. */
export type AudienceOf = (actor: Actor, list: 'content' | 'routes') => Promise<Audience>

/** @param readersSeeDrafts whether whoever only reads is shown the working state in these lists all the same */
export const listAudience =
  (rights: Pick<Rights<Actor>, 'can'>, readersSeeDrafts: () => boolean): AudienceOf =>
  async (actor, list) => {
    if (readersSeeDrafts()) return 'working'
    return audienceOf(rights, actor, list === 'routes' ? workOnRoutes : workOnContent)
  }
