import type { Database } from '../../db/database.js'
import type { Reader } from '../../db/reader.js'
import { type Versions, versionsOf } from '../../db/versions.js'
import { type Answers, bookTag, type Kept } from './answers.js'
import type { Schema, Schemas } from './content-model.js'

class CurrentVersions {
  private commits = 0
  private known: { versions: Versions; commits: number; external: number } | undefined

  constructor(private readonly db: Database) {
    db.onCommit(() => this.commits++)
  }

  async read(): Promise<Versions> {
    const { commits, known } = this
    const external = this.db.externalChangesSync({ exact: true })
    if (known?.commits === commits && known.external === external) return known.versions
    const versions = await versionsOf(this.db)
    this.known = external === undefined ? undefined : { versions, commits, external }
    return versions
  }
}

const currents = new WeakMap<Database, CurrentVersions>()

/** The versions at this moment: no statement where the engine says without one that nothing has been committed since. */
function currentVersions(db: Database): Promise<Versions> {
  const current = currents.get(db) ?? new CurrentVersions(db)
  currents.set(db, current)
  return current.read()
}

const isSameShown = (a: Versions, b: Versions): boolean => a.schema === b.schema && a.shown === b.shown
const sameVersions = (a: Versions, b: Versions): boolean => isSameShown(a, b) && a.content === b.content

/** How often an answer is read without a snapshot: these are few at once, and on SQLite one after another. */
const freeAttempts = 3

/** A reader of one moment, with the schema and the versions of that moment. */
export interface Moment {
  readonly read: Reader
  readonly schema: Schema
  readonly versions: Versions
  readonly isChecked: boolean
}

/**
 * Makes what shows one moment. Where content has changed while it was read it is read again, at last as it is at one
 * moment: so an answer always comes, however much is written.
 */
export async function atOneMoment<T>(
  db: Database,
  schemas: Schemas,
  make: (moment: Moment) => Promise<T>,
): Promise<{ readonly made: T; readonly versions: Versions }> {
  for (let attempt = 0; attempt < freeAttempts; attempt++) {
    const versions = await currentVersions(db)
    const schema = await schemas.at(versions.schema)
    const made = await make({ read: db, schema, versions, isChecked: true })
    if (sameVersions(versions, await currentVersions(db))) return { made, versions }
  }
  return db.snapshot(async read => {
    const versions = await versionsOf(read)
    const schema = await schemas.in(read)
    return { made: await make({ read, schema, versions, isChecked: false }), versions }
  })
}

interface KeptAnswer<T> {
  readonly answer: T
  readonly versions: Versions
  externalVersion: number
}

interface Keepable {
  readonly body: { readonly length: number }
  readonly isOnce?: boolean
}

/** Answers to the public in memory, never older than what it may get: one statement where another process has written. */
export class VersionedAnswers<T extends Keepable> {
  private readonly kept: Kept<KeptAnswer<T>>
  private commits = 0

  /** @param kind of these answers, in front of their keys */
  constructor(
    private readonly db: Database,
    private readonly schemas: Schemas,
    answers: Answers,
    kind: string,
  ) {
    this.kept = answers.of(`${kind} `)
    db.onCommit(({ isPublic }) => {
      if (isPublic) this.commits++
    })
  }

  inMemory(key: string): T | undefined {
    const known = this.kept.get(key)
    return known?.externalVersion === this.db.externalChanges() ? known.answer : undefined
  }

  /** @param make as for `atOneMoment` */
  async get(key: string, make: (moment: Moment) => Promise<T>): Promise<T> {
    const externalVersion = this.db.externalChanges()
    const known = this.kept.get(key)
    if (known && (known.externalVersion === externalVersion || (await this.isCurrent(known)))) {
      known.externalVersion = externalVersion
      return known.answer
    }
    let { commits } = this
    const { made, versions } = await atOneMoment(this.db, this.schemas, moment => {
      commits = this.commits
      return make(moment)
    })
    // A response that was read before a commit may be older than it.
    if (commits === this.commits && !made.isOnce)
      this.kept.set(key, { answer: made, versions, externalVersion }, made.body.length, [bookTag('public')])
    return made
  }

  private async isCurrent({ versions }: KeptAnswer<T>): Promise<boolean> {
    return isSameShown(versions, await currentVersions(this.db))
  }
}
