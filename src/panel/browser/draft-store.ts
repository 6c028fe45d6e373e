/** The values of one field of a form. */
export type Values = readonly [name: string, values: readonly string[]]

/** A draft: text typed into a form and not saved. */
export interface Kept {
  readonly user: string
  readonly address: string
  /** The id of the page load in which it was typed: two tabs have two drafts. */
  readonly page: string
  readonly seen: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly values: readonly Values[]
}

type Key = Pick<Kept, 'user' | 'address' | 'page'>

const [database, store] = ['slugline drafts', 'drafts']
const keptMs = 14 * 86_400_000

/** The id of this page load. */
export const pageId = [...crypto.getRandomValues(new Uint8Array(12))]
  .map(byte => byte.toString(16).padStart(2, '0'))
  .join('')

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** The open database. IndexedDB completes a write once it is in the system's files: drafts survive a killed browser. */
let opened: Promise<IDBDatabase> | undefined

function open(): Promise<IDBDatabase> {
  if (!opened) {
    const request = indexedDB.open(database, 1)
    request.onupgradeneeded = () =>
      request.result.createObjectStore(store, { keyPath: ['user', 'address', 'page'] })
    opened = done(request)
    opened.catch(() => {
      opened = undefined
    })
  }
  return opened
}

/** @returns when all changes of `change` are stored; the write goes on if the page is left */
async function write(change: (drafts: IDBObjectStore) => void): Promise<void> {
  const transaction = (await open()).transaction(store, 'readwrite')
  const complete = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
  })
  change(transaction.objectStore(store))
  transaction.commit()
  return complete
}

const everyPage = (...start: string[]) => IDBKeyRange.bound(start, [...start, []])

/** Stores a draft, and replaces the one of the same page load. */
export const keepDraft = (draft: Kept): Promise<void> => write(drafts => drafts.put(draft))

export const forgetDraft = ({ user, address, page }: Key): Promise<void> =>
  write(drafts => drafts.delete([user, address, page]))

/** Deletes all drafts of a user in this browser. */
export const forgetDraftsOf = (user: string): Promise<void> => write(drafts => drafts.delete(everyPage(user)))

/** The drafts of a form that were typed elsewhere, the newest first. */
export async function draftsOf(user: string, address: string): Promise<Kept[]> {
  const drafts = (await open()).transaction(store).objectStore(store)
  const found = (await done(drafts.getAll(everyPage(user, address)))) as Kept[]
  return found.filter(({ page }) => page !== pageId).sort((a, b) => b.at - a.at)
}

/** Deletes old drafts of all users. */
export async function forgetOldDrafts(): Promise<void> {
  const drafts = (await open()).transaction(store).objectStore(store)
  const all = (await done(drafts.getAll())) as Kept[]
  for (const one of all) if (one.at < Date.now() - keptMs) await forgetDraft(one)
}
