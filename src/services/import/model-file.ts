import { z } from 'zod'
import type { Actor } from '../../actor.js'
import { conflict, HttpError, invalid, missingPermission } from '../../errors.js'
import { datatypeName, keyName } from '../body-parts.js'
import { DatatypeCreate } from '../content/datatypes.js'
import { changesRules, FieldCreate } from '../content/fields.js'
import { LocaleCreate } from '../content/locales.js'
import type { Services } from '../index.js'

const most = { locales: 200, datatypes: 1000, fields: 1000 }

const FieldOfFile = FieldCreate.omit({ parent_id: true, author_id: true }).extend({ name: keyName })
const DatatypeOfFile = DatatypeCreate.omit({ parent_id: true, author_id: true }).extend({
  name: datatypeName,
  parent: datatypeName.nullable().default(null),
  fields: z.array(FieldOfFile).max(most.fields).default([]),
})

/** The content model as a file: names in place of ids, parents before what is under them. */
export const ModelFile = z.object({
  locales: z.array(LocaleCreate).max(most.locales).default([]),
  datatypes: z.array(DatatypeOfFile).max(most.datatypes).default([]),
})
type Model = z.output<typeof ModelFile>
type ModelServices = Pick<Services, 'locales' | 'access'> & {
  readonly space: Pick<Services['space'], 'datatypes' | 'fields'>
}
type Access = Parameters<Services['access']['can']>[1]
type RowOf<S extends { list(...given: never[]): unknown }> =
  ReturnType<S['list']> extends AsyncIterable<readonly (infer Row)[]> ? Row : never
type Datatype = RowOf<Services['space']['datatypes']>
type Field = RowOf<Services['space']['fields']>
type Locale = RowOf<Services['locales']>

/** One change that makes the service what a file says. */
export interface ModelStep {
  readonly action: 'create' | 'update'
  readonly what: 'locale' | 'datatype' | 'field'
  /** Such as `post`, or `post.title`. */
  readonly name: string
  /** The members that an update changes. */
  readonly changes: readonly string[]
  /** The consequence that breaks something, if there is one. */
  readonly breaks: string | undefined
}
/** @param ids of the datatypes by their names; a new one is added */
type Work = (actor: Actor, ids: Map<string, string>) => Promise<unknown>
interface Planned extends ModelStep {
  readonly work: Work
}

async function all<T>(lists: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = []
  for await (const some of lists) found.push(...some)
  return found
}

/** Sorts rows so that each comes after the one that it names. */
function parentsFirst<T>(
  rows: readonly T[],
  nameOf: (row: T) => string,
  parentOf: (row: T) => string | null,
) {
  const byName = new Map(rows.map(row => [nameOf(row), row]))
  const sorted = new Set<T>()
  for (const row of rows) {
    const chain: T[] = []
    for (let at: T | undefined = row; at && !sorted.has(at) && !chain.includes(at); ) {
      chain.push(at)
      at = byName.get(parentOf(at) ?? '')
    }
    for (const one of chain.reverse()) sorted.add(one)
  }
  return [...sorted]
}

const localeOf = ({ code, label, is_default, is_enabled, fallback_code, sort_order }: Locale) => ({
  ...{ code, label, is_default, is_enabled, fallback_code, sort_order },
})
const datatypeOf = ({ name, label, type, visibility, sort_order }: Datatype, parent: string | null) => ({
  ...{ name, label, type, visibility, sort_order, parent },
})
const fieldOf = (field: Field) => {
  const { name, label, field_type, data, ui_config, required, translatable, sort_order } = field
  return { name, label, field_type, data, ui_config, required, translatable, sort_order }
}

/** @throws 403 without the right to read one of its parts */
async function stored({ access, locales, space }: ModelServices, actor: Actor) {
  for (const permission of ['datatypes:read', 'fields:read', 'content:read'] as const)
    if (!(await access.can(actor, permission))) throw missingPermission(permission)
  const [codes, datatypes, fields] = await Promise.all([
    all(locales.list({}, {})),
    all(space.datatypes.list({}, {})),
    all(space.fields.list({}, {})),
  ])
  const names = new Map(datatypes.map(({ datatype_id, name }) => [datatype_id, name]))
  return { codes, datatypes, fields, nameOf: (id: string | null) => names.get(id ?? '') ?? null }
}

/** The content model of the service as a file. */
export async function modelFile(services: ModelServices, actor: Actor) {
  const { codes, datatypes, fields, nameOf } = await stored(services, actor)
  const byName = datatypes.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const own = (id: string) =>
    fields.filter(field => field.parent_id === id).sort((a, b) => a.sort_order - b.sort_order)
  return {
    locales: parentsFirst(
      codes,
      ({ code }) => code,
      one => one.fallback_code,
    ).map(localeOf),
    datatypes: parentsFirst(
      byName,
      ({ name }) => name,
      one => nameOf(one.parent_id),
    ).map(row => ({
      ...datatypeOf(row, nameOf(row.parent_id)),
      fields: own(row.datatype_id).map(fieldOf),
    })),
  }
}

/** The text of a value whose members may be in any order. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

/** The members that differ from those that are there. */
function changesOf<T extends object>(given: T, before: object): Partial<T> {
  const now = new Map(Object.entries(before))
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== undefined && textOf(value) !== textOf(now.get(name)),
    ),
  ) as Partial<T>
}

/** A step for a record that is there or not, if it has to change. */
function step<T extends object>(
  what: ModelStep['what'],
  name: string,
  {
    given,
    before,
    create,
    update,
  }: {
    given: T
    before: object | undefined
    create: Work
    update: (patch: Partial<T>) => Work
  },
): Planned[] {
  if (!before) return [{ action: 'create', what, name, changes: [], breaks: undefined, work: create }]
  const patch = changesOf(given, before)
  const changes = Object.keys(patch)
  return changes.length === 0
    ? []
    : [{ action: 'update', what, name, changes, breaks: undefined, work: update(patch) }]
}

function refuseTwice(names: readonly string[], member: string): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw invalid(member, `${twice} is given twice`)
}

/** Lists the changes that bring the service to the model in the file. Nothing is deleted. */
export async function planModel(services: ModelServices, actor: Actor, file: Model): Promise<Planned[]> {
  const { locales, space } = services
  const now = await stored(services, actor)
  refuseTwice(
    file.locales.map(({ code }) => code),
    'locales',
  )
  refuseTwice(
    file.datatypes.map(({ name }) => name),
    'datatypes',
  )
  const steps = file.locales.flatMap(given => {
    const before = now.codes.find(({ code }) => code === given.code)
    return step('locale', given.code, {
      ...{ given, before },
      create: by => locales.create(by, given),
      update: patch => by => locales.update(by, before?.locale_id ?? '', patch),
    })
  })
  for (const { fields: _, parent, ...given } of file.datatypes) {
    const before = now.datatypes.find(({ name }) => name === given.name)
    const parentIn = (ids: Map<string, string>) => (parent === null ? null : ids.get(parent))
    if (parent !== null && ![...now.datatypes, ...file.datatypes].some(({ name }) => name === parent))
      throw invalid('datatypes', `${given.name}: there is no datatype ${parent}`)
    const made = step('datatype', given.name, {
      given: { ...given, parent },
      before: before && datatypeOf(before, now.nameOf(before.parent_id)),
      async create(by, ids) {
        const row = await space.datatypes.create(by, { ...given, parent_id: parentIn(ids) ?? null })
        ids.set(row.name, row.datatype_id)
      },
      update:
        ({ parent: moved, ...patch }) =>
        (by, ids) =>
          space.datatypes.update(by, before?.datatype_id ?? '', {
            ...patch,
            ...(moved !== undefined && { parent_id: parentIn(ids) ?? null }),
          }),
    })
    const visibility = made[0]?.changes.includes('visibility') ? given.visibility : undefined
    steps.push(...made.map(one => ({ ...one, breaks: visibility && `the public sees it as ${visibility}` })))
  }
  for (const { name, fields } of file.datatypes) {
    refuseTwice(
      fields.map(field => field.name),
      `${name}.fields`,
    )
    for (const given of fields) steps.push(...(await fieldSteps(services, now, name, given, file)))
  }
  return steps
}

async function fieldSteps(
  { space }: ModelServices,
  { datatypes, fields }: Pick<Awaited<ReturnType<typeof stored>>, 'datatypes' | 'fields'>,
  datatype: string,
  given: z.output<typeof FieldOfFile>,
  file: Model,
): Promise<Planned[]> {
  const parent = datatypes.find(({ name }) => name === datatype)?.datatype_id
  const before = fields.find(one => one.parent_id === parent && one.name === given.name)
  const found = step('field', `${datatype}.${given.name}`, {
    ...{ given, before },
    create: (by, ids) => space.fields.create(by, { ...given, parent_id: ids.get(datatype) ?? '' }),
    update: patch => by => space.fields.update(by, before?.field_id ?? '', patch),
  })
  const [one] = found
  if (!before || !one) return found
  const isNew = (name: unknown) =>
    !datatypes.some(row => row.name === name) && file.datatypes.some(row => row.name === name)
  // A target that the file makes is not there yet.
  if ([given.data.target ?? []].flat().some(isNew)) return found
  const patch = changesOf(given, before)
  return [{ ...one, breaks: await brokenBy(space.fields, before.field_id, patch) }]
}

async function brokenBy(
  fields: ModelServices['space']['fields'],
  id: string,
  patch: Partial<z.output<typeof FieldOfFile>>,
): Promise<string | undefined> {
  try {
    const after = await fields.preview(id, patch)
    if (!changesRules(patch)) return undefined
    const { published, drafts } = await fields.brokenValues(after)
    return published + drafts === 0
      ? undefined
      : `${published} published entries and ${drafts} drafts break its rules`
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return error.message
  }
}

const rightFor = ({ what, action }: ModelStep): Access =>
  what === 'locale' ? 'content:admin' : `${what}s:${action}`

/**
 * Makes the service what the file says, one record after the other; a run that was interrupted can be repeated.
 * @param accept takes changes that break something
 * @returns what was changed
 * @throws 403 and 409 before anything is changed
 */
export async function applyModel(
  services: ModelServices,
  actor: Actor,
  file: Model,
  { accept }: { accept: boolean },
): Promise<ModelStep[]> {
  const steps = await planModel(services, actor, file)
  for (const one of steps)
    if (!(await services.access.can(actor, rightFor(one)))) throw missingPermission(rightFor(one))
  const broken = steps.find(({ breaks }) => breaks !== undefined)
  if (broken && !accept) throw conflict(`${broken.name}: ${broken.breaks}; nothing was changed`)
  const datatypes = await all(services.space.datatypes.list({}, {}))
  const ids = new Map(datatypes.map(({ name, datatype_id }) => [name, datatype_id]))
  for (const { work } of steps) await work(actor, ids)
  return steps
}
