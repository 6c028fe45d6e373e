import { isUlid } from '../ids.js'
import type { ReadBound } from '../role-limits.js'
import type { AnyTable } from './columns.js'
import type { Session } from './dialects/dialect.js'
import { adminTables, type ContentSpace, internalTables, tables } from './tables.js'

/**
 * The part of the content that a caller may read. Every statement of theirs begins with a `with` that gives each
 * table's name to the rows of it that they may read. So nothing that reads can forget it, whatever it asks for
 * (docs/decisions/929-limits-of-reading.md).
 */

/** Returns an id as SQL text. Other texts become an empty one, which equals no id. */
const text = (id: string): string => (isUlid(id) ? `'${id}'` : "''")
const among = (ids: readonly string[]): string => `(${['', ...ids].map(text).join(', ')})`
const none = '1 = 0'

/** A condition on the row that `t` names, as SQL text. */
type Condition = () => string

/** Conditions on the rows of one content space. */
class SpaceConditions {
  constructor(
    private readonly space: ContentSpace,
    private readonly bounds: readonly ReadBound[],
    private readonly at: (table: AnyTable) => string,
  ) {}

  /** The conditions by the tables that they are for. */
  *all(): Generator<[AnyTable, Condition]> {
    const { space } = this
    yield [space.contentData, () => this.ofRoot('t.root_id')]
    for (const table of [
      space.contentFields,
      space.contentVersions,
      space.contentPlans,
      space.contentReferences,
    ])
      yield [table, () => this.ofEntry('t.content_data_id')]
    yield [space.contentTrees, () => this.ofRoot('t.root_id')]
    yield [space.routes, () => this.ofRoute('t')]
    yield [space.routeTranslations, () => this.ofRouteAt('t.route_id')]
    yield [space.trash, () => this.ofTrash('t')]
    yield [
      space.trashPieces,
      () =>
        `exists (select 1 from ${this.at(space.trash)} d where d.trash_id = t.trash_id and ${this.ofTrash('d')})`,
    ]
  }

  /** @param root the id of the root of a tree, as SQL text */
  ofRoot(root: string): string {
    return `exists (select 1 from ${this.at(this.space.contentData)} r where r.content_data_id = ${root} and ${this.isSeen('r')})`
  }

  /** @param id the id of an entry, as SQL text */
  ofEntry(id: string): string {
    const entries = this.at(this.space.contentData)
    return `exists (select 1 from ${entries} c join ${entries} r on r.content_data_id = c.root_id where c.content_data_id = ${id} and ${this.isSeen('r')})`
  }

  /** @param id the id of a route, as SQL text */
  ofRouteAt(id: string): string {
    return `exists (select 1 from ${this.at(this.space.routes)} o where o.route_id = ${id} and ${this.ofRoute('o')})`
  }

  /** Whether a slug is an allowed address or below one; only addresses of the public space are allowed. */
  inZone(slug: string, { limits }: ReadBound): string {
    const { routes, routeTranslations } = this.space
    if (routes.name !== tables.routes.name) return none
    const slugs = [routes, routeTranslations].map(
      table => `select z.slug from ${this.at(table)} z where z.route_id in ${among(limits.routes ?? [])}`,
    )
    // Behind a slash come its pages, and the sign after the slash is a zero.
    const isUnder = `(z.slug = '/' or ${slug} = z.slug or (${slug} > concat(z.slug, '/') and ${slug} < concat(z.slug, '0')))`
    return `exists (select 1 from (${slugs.join(' union all ')}) z where ${isUnder})`
  }

  /** Whether the tree whose root a row is may be read. */
  private isSeen(row: string): string {
    return this.isInside(row, 'author_id', bound => {
      const routes = this.at(this.space.routes)
      return `exists (select 1 from ${routes} p where p.route_id = ${row}.route_id and ${this.inZone('p.slug', bound)})`
    })
  }

  /**
   * Whether a page is inside of all bounds.
   * @param owner the column that says whose it is
   * @param isAt whether its address is allowed
   */
  private isInside(row: string, owner: string, isAt: (bound: ReadBound) => string): string {
    const each = this.bounds.map(bound => {
      const { datatypes, routes, own, reads = [] } = bound.limits
      const inside = [
        ...(datatypes ? [`${row}.datatype_id in ${among(datatypes)}`] : []),
        ...(own ? [`${row}.${owner} = ${text(bound.userId)}`] : []),
        ...(routes ? [isAt(bound)] : []),
      ]
      return `(${row}.datatype_id in ${among(reads)} or (${inside.join(' and ') || '1 = 1'}))`
    })
    return each.join(' and ')
  }

  /** Whether an address without a page may be read: by its author, or where it is allowed. */
  isFree(row: string): string {
    const each = this.bounds.map(bound => {
      const isOwn = `${row}.author_id = ${text(bound.userId)}`
      return bound.limits.routes ? `(${isOwn} or ${this.inZone(`${row}.slug`, bound)})` : isOwn
    })
    return each.join(' and ')
  }

  /** A route is read with its page; without one by whom it is of, or by where it is. */
  private ofRoute(row: string): string {
    const entries = this.at(this.space.contentData)
    const page = `from ${entries} r where r.route_id = ${row}.route_id`
    return `(exists (select 1 ${page} and ${this.isSeen('r')}) or (not exists (select 1 ${page}) and ${this.isFree(row)}))`
  }

  private ofTrash(row: string): string {
    const isAt = (bound: ReadBound) => `${row}.slug is not null and ${this.inZone(`${row}.slug`, bound)}`
    const isPage = `${row}.parent_id is null and ${this.isInside(row, 'deleted_by', isAt)}`
    return `((${isPage}) or (${row}.parent_id is not null and ${this.ofEntry(`${row}.parent_id`)}))`
  }
}

function conditionsOf(bounds: readonly ReadBound[], at: (table: AnyTable) => string): Map<string, Condition> {
  const spaces = [tables, adminTables].map(space => new SpaceConditions(space, bounds, at))
  const known = new Map<string, Condition>()
  for (const space of spaces) for (const [table, condition] of space.all()) known.set(table.name, condition)
  const [space] = spaces as [SpaceConditions]
  for (const table of [tables.comments, tables.reviewRequests, tables.previewLinks])
    known.set(table.name, () => space.ofEntry('t.content_data_id'))
  known.set(
    internalTables.sourceIds.name,
    () => `(t.content_data_id is null or ${space.ofEntry('t.content_data_id')})`,
  )
  known.set(tables.redirects.name, () => {
    return `((t.route_id is not null and ${space.ofRouteAt('t.route_id')}) or (t.route_id is null and ${space.isFree('t')}))`
  })
  // They have texts of any content, or tell which of it has changed.
  const { auditEvents, webhookDeliveries, contentChanges, importStates, importRecords } = internalTables
  for (const table of [
    auditEvents,
    webhookDeliveries,
    contentChanges,
    importStates,
    importRecords,
    tables.imports,
  ])
    known.set(table.name, () => none)
  return known
}

/** How many statements are kept with their `with`. */
const maxKept = 300

/** Limits each statement of a caller to the part of the content that they may read. */
export class Part {
  private readonly conditions: ReadonlyMap<string, Condition>
  private readonly mentioned: RegExp
  private readonly texts = new Map<string, string>()
  private readonly kept = new Map<string, string>()

  /** @param schema the name of the database's schema, as SQL text: with it a table is meant, and not its part */
  constructor(
    bounds: readonly ReadBound[],
    private readonly schema: string,
  ) {
    this.conditions = conditionsOf(bounds, table => this.whole(table.name))
    this.mentioned = new RegExp(`\\b(?:${[...this.conditions.keys()].join('|')})\\b`, 'g')
  }

  /** Whether only some rows of the table may be read. */
  limits(table: AnyTable): boolean {
    return this.conditions.has(table.name)
  }

  /** Returns a statement that reads the part alone. */
  of(sql: string): string {
    let limited = this.kept.get(sql)
    if (limited === undefined) {
      limited = this.make(sql)
      if (this.kept.size >= maxKept) this.kept.clear()
      this.kept.set(sql, limited)
    }
    return limited
  }

  /** A session whose reads see the part alone. */
  session(session: Session): Session {
    const { bounded } = session
    return {
      all: (sql, bindings) => session.all(this.of(sql), bindings),
      lists: (sql, bindings) => session.lists(this.of(sql), bindings),
      run: (sql, bindings) => session.run(sql, bindings),
      ...(bounded ? { bounded: (sql, ...rest) => bounded(this.of(sql), ...rest) } : {}),
    }
  }

  private make(sql: string): string {
    const names = new Set(sql.match(this.mentioned) ?? [])
    if (names.size === 0) return sql
    return `with ${[...names].map(name => this.textOf(name)).join(', ')} ${sql}`
  }

  private textOf(name: string): string {
    let made = this.texts.get(name)
    if (made === undefined) {
      made = `${name} as (select t.* from ${this.whole(name)} t where ${this.conditions.get(name)?.()})`
      this.texts.set(name, made)
    }
    return made
  }

  private whole(name: string): string {
    return `${this.schema}.${name}`
  }
}
