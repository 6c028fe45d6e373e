/** Who content is for: the public sees what is published, whoever works on it the working state. */
export type Audience = 'public' | 'working'

/** The rights of a role, as far as they are asked here. */
interface Rights<Caller> {
  can(caller: Caller, access: `${string}:${string}`): Promise<boolean>
  canCached(caller: Caller, access: `${string}:${string}`): boolean | undefined
}

/** Whoever has one of these works on content. */
const workOnContent = ['content:update', 'content:publish'] as const

/** For whom the content of a caller's request is. A caller who only reads is one of the public. */
export async function audienceOf<C>(rights: Rights<C>, caller: C): Promise<Audience> {
  for (const access of workOnContent) if (await rights.can(caller, access)) return 'working'
  return 'public'
}

/** The same without waiting; undefined while the rights are not in memory. */
export function audienceCached<C>(rights: Rights<C>, caller: C): Audience | undefined {
  for (const access of workOnContent) {
    const can = rights.canCached(caller, access)
    if (can !== false) return can && 'working'
  }
  return 'public'
}
