import { z } from 'zod'
import type { Actor } from '../actor.js'
import { HttpError, invalid, malformed, missingPermission, tooLarge } from '../errors.js'
import { didYouMean } from '../nearest-name.js'
import { all, type Entry, modelOf } from '../resources/entries.js'
import type { Access } from '../services/accounts/access.js'
import { anyJson, reference } from '../services/body-parts.js'
import { ContentCreate, ContentUpdate, type Values } from '../services/content/content-input.js'
import { localeCode } from '../services/content/locales.js'
import { PageCreate } from '../services/content/routes.js'
import { sourceKey } from '../services/content/source-ids.js'
import type { Services } from '../services/index.js'
import { refuseUnknownMembers } from '../services/unknown-members.js'
import { Turns } from '../turns.js'
import { type SiteCommand, show } from './command.js'
import { jsonIn, parsed } from './given.js'
import { inputLines } from './given-lines.js'
import { progressLine } from './progress.js'
import { complain } from './terminal.js'
import { partsOf } from './whole-entries.js'

/** An entry of `content export`. The other members of its lines say nothing that an import needs. */
const Line = z.object({
  content_data_id: reference.optional(),
  datatype: z.string(),
  parent_id: reference.nullish(),
  sort_order: z.int32().optional(),
  slug: z.string().nullish(),
  title: z.string().nullish(),
  status: z.string().optional(),
  fields: z.record(z.string(), anyJson).default({}),
  translations: z.record(localeCode, z.record(z.string(), anyJson)).default({}),
})
type Line = z.output<typeof Line>

/** The name under which the ids of another Slugline are kept. */
const system = 'slugline'
const kind = 'entry'
/** More entries than anybody keeps in one file: each id stays in memory. */
const maxEntries = 500_000

/** The most ids of one value that are looked up. */
const mostIds = 200
/** The most characters of values that wait for later lines. */
const maxLate = 2 ** 26

const anyUlid = /[0-7][0-9A-HJKMNP-TV-Z]{25}/g

const valueAsText = (value: unknown): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** Values of an entry that name entries of later lines. */
interface Late {
  readonly id: string
  readonly locale: string
  readonly values: Values
}

interface Result {
  created: number
  updated: number
  unchanged: number
  published: number
  /** Values that their fields refuse here, such as files that are missing. */
  readonly left_out: string[]
}

interface How {
  readonly isDry: boolean
  readonly publishes: boolean
}

async function need({ access }: Services, actor: Actor, word: Access): Promise<void> {
  if (!(await access.can(actor, word))) throw missingPermission(word)
}

/** Stores the lines of an export: entries that are here are changed, others are made. */
class LineImport {
  readonly result: Result = { created: 0, updated: 0, unchanged: 0, published: 0, left_out: [] }
  /** The ids here, by those in the file. */
  readonly #ids = new Map<string, string>()
  readonly #late: Late[] = []
  #lateLength = 0
  readonly #toPublish: string[] = []
  #datatypes: ReadonlyMap<string, string> | undefined

  constructor(
    private readonly services: Services,
    private readonly actor: Actor,
    private readonly how: How,
  ) {}

  async take(line: Line): Promise<void> {
    const id = (await this.#known(line)) ?? (await this.#created(line))
    if (line.content_data_id !== undefined) this.#ids.set(line.content_data_id, id)
    if (this.#ids.size > maxEntries) throw invalid('lines', `must be at most ${maxEntries}: split the file`)
    const isRoot = line.parent_id === undefined || line.parent_id === null
    if (this.how.publishes && isRoot && line.status === 'published') this.#toPublish.push(id)
  }

  /** Writes what had to wait, and publishes. */
  async finish(): Promise<void> {
    for (const { id, locale, values } of this.#late)
      for (const [name, value] of Object.entries(this.#translated(values)))
        await this.#write(id, locale, { [name]: value }).catch(error => {
          if (!(error instanceof HttpError && error.status === 400)) throw error
          this.result.left_out.push(`${id}: ${error.message}`)
        })
    for (const content_data_id of this.#toPublish) {
      if (!this.how.isDry) await this.services.space.publishing.publish(this.actor, { content_data_id })
      this.result.published++
    }
  }

  /** Changes the entry of a line if it is here, and returns its id. */
  async #known(line: Line): Promise<string | undefined> {
    const id = await this.#idOf(line)
    if (id === undefined) return undefined
    const { space } = this.services
    const entry = await space.content.get(id)
    const names = new Map(
      (await all(space.fields.list({ parent_id: entry.datatype_id }, {}))).map(one => [
        one.field_id,
        one.name,
      ]),
    )
    const stored = new Map<string, string>()
    for (const value of await all(space.contentFields.list({ content_data_id: id }, {})))
      stored.set(`${value.locale} ${names.get(value.field_id)}`, value.field_value)
    let isChanged = false
    for (const [locale, values] of [['', line.fields] as const, ...Object.entries(line.translations)]) {
      await this.#resolve(values)
      const changes = Object.fromEntries(
        Object.entries(this.#translated(values)).filter(
          ([name, value]) => valueAsText(value) !== (stored.get(`${locale} ${name}`) ?? ''),
        ),
      )
      if (Object.keys(changes).length === 0) continue
      isChanged = true
      await this.#write(id, locale, changes)
    }
    isChanged = (await this.#moved(entry, line)) || isChanged
    this.result[isChanged ? 'updated' : 'unchanged']++
    return id
  }

  /** Takes an entry to the place of its line. @returns whether it was at another place */
  async #moved(entry: Entry, { parent_id: given, sort_order, slug }: Line): Promise<boolean> {
    const parent_id =
      given === undefined ? entry.parent_id : given === null ? null : await this.#parent(given)
    const isOther = parent_id !== entry.parent_id
    // The order of pages is that of their addresses.
    const isElsewhere = parent_id !== null && sort_order !== undefined && sort_order !== entry.sort_order
    if (!isOther && !isElsewhere) return false
    if (this.how.isDry) return true
    const [route] = isOther && slug ? await all(this.services.space.routes.list({ slug }, { limit: 1 })) : []
    const place = {
      ...(isOther ? { parent_id } : {}),
      ...(isElsewhere ? { sort_order } : {}),
      ...(parent_id === null && route ? { route_id: route.route_id } : {}),
    }
    const patch = parsed(ContentUpdate, place)
    await this.services.space.content.update(this.actor, entry.content_data_id, patch)
    return true
  }

  /** Finds entries that an earlier import has made, and that values name. */
  async #resolve(values: Values): Promise<void> {
    const named = Object.values(values).flatMap(value => valueAsText(value).match(anyUlid) ?? [])
    const ids = [...new Set(named)].filter(id => !this.#ids.has(id)).slice(0, mostIds)
    if (ids.length === 0) return
    const wanted = ids.map(id => ({ kind, id }))
    for (const [{ id }, { content_data_id }] of await this.services.space.imports.sourced(system, wanted))
      if (content_data_id) this.#ids.set(id, content_data_id)
  }

  /** Returns the id here of the entry with the id of the line, or of an earlier import of it, or on its page. */
  async #idOf({ content_data_id, slug }: Line): Promise<string | undefined> {
    const { content, imports, routes } = this.services.space
    if (content_data_id !== undefined) {
      const known = this.#ids.get(content_data_id)
      if (known !== undefined) return known
      const [own] = await all(content.list({ content_data_id }, { limit: 1 }))
      if (own) return content_data_id
      const found = await imports.sourced(system, [{ kind, id: content_data_id }])
      for (const record of found.values()) if (record.content_data_id) return record.content_data_id
    }
    const [route] = slug ? await all(routes.list({ slug }, { limit: 1 })) : []
    const [on] = route ? await all(content.list({ route_id: route.route_id }, { limit: 1 })) : []
    return on?.content_data_id
  }

  async #created(line: Line): Promise<string> {
    this.result.created++
    const { content_data_id, slug, title, sort_order, translations } = line
    const datatype_id = await this.#datatype(line.datatype)
    const parent_id = line.parent_id ? await this.#parent(line.parent_id) : null
    if (this.how.isDry) return content_data_id ?? ''
    const { now: fields, late } = await this.#parted(line.fields)
    const parted: [string, { now: Values; late: Values }][] = []
    for (const [locale, values] of Object.entries(translations))
      parted.push([locale, await this.#parted(values)])
    const locales = Object.fromEntries(parted.map(([locale, { now }]) => [locale, { fields: now }]))
    const given = { datatype_id, fields, locales }
    const id =
      slug && parent_id === null
        ? await this.#page({ ...given, slug, title: title || slug })
        : (
            await this.services.space.content.create(
              this.actor,
              parsed(ContentCreate, { ...given, parent_id, ...(parent_id === null ? {} : { sort_order }) }),
            )
          ).content_data_id
    this.#wait(id, '', late)
    for (const [locale, { late: values }] of parted) this.#wait(id, locale, values)
    if (content_data_id !== undefined) {
      const source_key = sourceKey(system, { kind, id: content_data_id })
      await this.services.space.imports.keep(this.actor, [{ source_key, content_data_id: id }])
    }
    return id
  }

  /** Makes an entry on its page, or on the route that is here without an entry. */
  async #page(given: { datatype_id: string; slug: string; title: string }): Promise<string> {
    const { content, routes } = this.services.space
    const { slug, title, ...entry } = given
    const [route] = await all(routes.list({ slug }, { limit: 1 }))
    if (route) {
      const made = parsed(ContentCreate, { ...entry, route_id: route.route_id })
      return (await content.create(this.actor, made)).content_data_id
    }
    await need(this.services, this.actor, 'routes:create')
    const page = await content.createPage(this.actor, parsed(PageCreate, { ...entry, slug, title }))
    return page.entry.content_data_id
  }

  async #datatype(name: string): Promise<string> {
    this.#datatypes ??= new Map(
      [...(await modelOf(partsOf(this.services))).datatypes.values()].map(one => [one.name, one.datatype_id]),
    )
    const id = this.#datatypes.get(name)
    if (id === undefined)
      throw invalid(
        'datatype',
        `there is no datatype ${name}: ${didYouMean(name, [...this.#datatypes.keys()])}; slugline model pull and model apply copy a model`,
      )
    return id
  }

  async #parent(given: string): Promise<string> {
    const id = this.#ids.get(given) ?? (await this.#idOf({ content_data_id: given } as Line))
    if (id === undefined)
      throw invalid('parent_id', 'must be the id of an existing entry or of an entry on an earlier line')
    return id
  }

  /** Takes the values apart that may name entries of later lines. */
  async #parted(values: Values): Promise<{ now: Values; late: Values }> {
    await this.#resolve(values)
    const parts: { now: Values; late: Values } = { now: {}, late: {} }
    for (const [name, value] of Object.entries(values)) {
      const named = new Set([...valueAsText(value).matchAll(anyUlid)].map(([id]) => id))
      const later = [...named].filter(id => !this.#ids.has(id))
      parts[(await this.#areHere(later)) ? 'now' : 'late'][name] = value
    }
    return { now: this.#translated(parts.now), late: parts.late }
  }

  /** Whether all ids are of entries or files of this site. */
  async #areHere(ids: readonly string[]): Promise<boolean> {
    if (ids.length === 0) return true
    if (ids.length > mostIds) return false
    const { media, space } = this.services
    const entries = await all(space.content.list({ content_data_id: ids }, {}))
    const known = new Set(entries.map(({ content_data_id }) => content_data_id))
    for (const id of ids)
      if (!known.has(id) && !(await media.items.get(id).catch(() => undefined))) return false
    return true
  }

  #wait(id: string, locale: string, values: Values): void {
    if (Object.keys(values).length === 0) return
    this.#lateLength += JSON.stringify(values).length
    if (this.#lateLength > maxLate)
      throw tooLarge('too many values refer to entries on later lines: import fewer entries at once')
    this.#late.push({ id, locale, values })
  }

  /** Returns values with the ids of this site. */
  #translated(values: Values): Values {
    const here = (id: string) => this.#ids.get(id) ?? id
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.replaceAll(anyUlid, here) : value,
      ]),
    )
  }

  async #write(id: string, locale: string, values: Values): Promise<void> {
    if (this.how.isDry) return
    const fields = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, value === '' ? null : value]),
    )
    const patch = parsed(ContentUpdate, { fields, ...(locale === '' ? {} : { locale }) })
    await this.services.space.content.update(this.actor, id, patch)
  }
}

/** Adds the number of the line to an error about it. */
function ofLine(error: unknown, line: number): unknown {
  return error instanceof HttpError
    ? new HttpError(error.status, error.code, `line ${line}: ${error.message}`, error.member)
    : error
}

/** Members of `content get` that an import does not use. */
const shown = (services: Services) =>
  new Set([...Object.keys(services.space.content.table.columns), 'locale', 'revision', 'title'])

/** Stores entries, a line of JSON each, as `content export` writes them. What is here already is changed. */
export const contentImport: SiteCommand['work'] = async (services, actor, io, options) => {
  const how = { isDry: options['dry-run'] !== undefined, publishes: options.publish !== undefined }
  await need(services, actor, 'content:update')
  if (how.publishes) await need(services, actor, 'content:publish')
  const loading = new LineImport(services, actor, how)
  const turns = new Turns()
  const ignored = shown(services)
  const progress = progressLine(io)
  let n = 0
  for await (const { line, text } of inputLines(io)) {
    try {
      const value = await jsonIn(text, 'it')
      await turns.run(refuseUnknownMembers(Line, value, ignored))
      await loading.take(parsed(Line, value))
    } catch (error) {
      throw ofLine(error, line)
    }
    n++
    progress.draw({ doing: 'import of entries', of: 'entries', done: n })
    await turns.next()
  }
  if (n === 0) throw malformed('standard input is empty: it must contain a line of JSON for each entry')
  await loading.finish()
  progress.end()
  const { created, updated, unchanged, published, left_out } = loading.result
  const words = `${created} created, ${updated} changed, ${unchanged} unchanged, ${published} published`
  show(io, options, loading.result, how.isDry ? `Dry run: ${words}. Nothing was stored.` : `${words}.`)
  for (const one of left_out) complain(io, `left out: ${one}`)
  return left_out.length > 0 ? 1 : 0
}
