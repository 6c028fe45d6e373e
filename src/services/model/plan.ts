import type { Actor } from '../../actor.js'
import type { Database } from '../../db/database.js'
import { tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { HttpError, invalid } from '../../errors.js'
import { limits } from '../../limits.js'
import { didYouMean } from '../../nearest-name.js'
import type { AccessService } from '../accounts/access.js'
import { rolePermissions } from '../accounts/role-permissions.js'
import { roles } from '../accounts/roles.js'
import { datatypes } from '../content/datatypes.js'
import { changesRules, fields } from '../content/fields.js'
import { locales } from '../content/locales.js'
import type { WebhookService } from '../webhooks/webhooks.js'
import type { FieldOfModel, Model, ModelStep } from './file.js'
import { changesOf, refuseTwice } from './names.js'
import { datatypeOf, isAdministrator, localeOf, type Stored, webhookOf } from './stored.js'

export interface Planning {
  db: Database
  access: AccessService
  webhooks: Pick<WebhookService, 'creation' | 'change' | 'movesTo'>
}

/** @param ids of the datatypes by their names; a new one is added */
type Work = (tx: Writer, actor: Actor, ids: Map<string, string>) => Promise<unknown>
export interface Planned extends ModelStep {
  readonly work: Work
}

interface Change<T> {
  readonly given: T
  readonly before: object | undefined
  readonly create: Work
  readonly update: (patch: Partial<T>) => Work
}

/** A step for a record that is there or not, if it has to change. */
function step<T extends object>(
  what: ModelStep['what'],
  name: string,
  { given, before, create, update }: Change<T>,
): Planned[] {
  if (!before) return [{ action: 'create', what, name, changes: [], breaks: null, work: create }]
  const patch = changesOf(given, before)
  const changes = Object.keys(patch)
  return changes.length === 0
    ? []
    : [{ action: 'update', what, name, changes, breaks: null, work: update(patch) }]
}

/**
 * Lists the changes that bring the service to the model in the file. Nothing is deleted.
 * @throws 400 for a file that contradicts itself, and for an address of a webhook that must not be called
 */
export async function planModel(parts: Planning, actor: Actor, now: Stored, file: Model): Promise<Planned[]> {
  const { db } = parts
  refuseTwice(file)
  return [
    ...(await localeSteps(db, now, file)),
    ...datatypeSteps(now, file),
    ...(await allFieldSteps(db, now, file)),
    ...(await roleSteps(parts, now, file.roles ?? [])),
    ...(await webhookSteps(parts, actor, now, file.webhooks ?? [])),
  ]
}

async function localeSteps(db: Database, now: Stored, file: Model): Promise<Planned[]> {
  const steps = file.locales.flatMap(({ is_default, ...rest }) => {
    const before = now.locales.find(({ code }) => code === rest.code)
    // A locale ceases to be the default when another becomes it.
    const given = is_default ? { ...rest, is_default } : rest
    return step('locale', rest.code, {
      ...{ given, before: before && localeOf(before) },
      create: (tx, by) => locales(tx).create(by, given),
      update: patch => (tx, by) => locales(tx).update(by, before?.locale_id ?? '', patch),
    }).map(one => {
      const isNewDefault = is_default === true && before?.is_default !== true
      const isHidden = one.changes.includes('is_enabled') && !rest.is_enabled
      const breaks = isNewDefault
        ? 'it becomes the default locale'
        : isHidden
          ? 'it is no longer public'
          : null
      return { ...one, breaks }
    })
  })
  const hasContent = steps.some(({ breaks }) => breaks !== null) && (await db.exists(tables.contentData, {}))
  return hasContent ? steps : steps.map(one => ({ ...one, breaks: null }))
}

function datatypeSteps(now: Stored, file: Model): Planned[] {
  const known = new Set([...now.datatypes, ...file.datatypes].map(({ name }) => name))
  return file.datatypes.flatMap(({ fields: _, parent, ...given }) => {
    const before = now.datatypes.find(({ name }) => name === given.name)
    const parentIn = (ids: Map<string, string>) => (parent === null ? null : (ids.get(parent) ?? null))
    if (parent !== null && !known.has(parent))
      throw invalid('datatypes', `${given.name}: there is no datatype ${parent}`)
    const made = step('datatype', given.name, {
      given: { ...given, parent },
      before: before && datatypeOf(before, now.nameOf(before.parent_id)),
      async create(tx, by, ids) {
        const row = await datatypes(tx, tables).create(by, { ...given, parent_id: parentIn(ids) })
        ids.set(row.name, row.datatype_id)
      },
      update:
        ({ parent: moved, ...patch }) =>
        (tx, by, ids) =>
          datatypes(tx, tables).update(by, before?.datatype_id ?? '', {
            ...patch,
            ...(moved !== undefined && { parent_id: parentIn(ids) }),
          }),
    })
    const isShown = made[0]?.changes.includes('visibility') ?? false
    return made.map(one => ({ ...one, breaks: isShown ? `the public sees it as ${given.visibility}` : null }))
  })
}

async function allFieldSteps(db: Database, now: Stored, file: Model): Promise<Planned[]> {
  const isNew = (name: unknown) =>
    !now.datatypes.some(row => row.name === name) && file.datatypes.some(row => row.name === name)
  const steps: Planned[] = []
  let checked = 0
  for (const { name: datatype, fields: wanted } of file.datatypes) {
    const parent = now.datatypes.find(({ name }) => name === datatype)?.datatype_id
    const own = new Map(
      now.fields.filter(({ parent_id }) => parent_id === parent).map(field => [field.name, field]),
    )
    for (const given of wanted) {
      const before = own.get(given.name)
      const found = step('field', `${datatype}.${given.name}`, {
        ...{ given, before },
        create: (tx, by, ids) =>
          fields(tx, tables).create(by, { ...given, parent_id: ids.get(datatype) ?? '' }),
        update: patch => (tx, by) => fields(tx, tables).update(by, before?.field_id ?? '', patch),
      })
      const patch = before && changesOf(given, before)
      // A target that the file makes is not there yet.
      const isKnown = ![given.data.target ?? []].flat().some(isNew)
      if (before && patch && isKnown && found.length > 0) {
        if (changesRules(patch) && ++checked > limits.model.changedRules)
          throw invalid(
            'datatypes',
            `at most ${limits.model.changedRules} fields can change their rules at once`,
          )
        const breaks = await brokenBy(db, before.field_id, patch)
        steps.push(...found.map(one => ({ ...one, breaks })))
      } else steps.push(...found)
    }
  }
  return steps
}

async function brokenBy(db: Database, id: string, patch: Partial<FieldOfModel>): Promise<string | null> {
  const service = fields(db, tables)
  try {
    const after = await service.preview(id, patch)
    if (!changesRules(patch)) return null
    const { published, drafts } = await service.brokenValues(after)
    return published + drafts === 0
      ? null
      : `values break its rules in ${published} published and ${drafts} draft entries`
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return error.message
  }
}

async function roleSteps(
  { db, access }: Planning,
  now: Stored,
  wanted: NonNullable<Model['roles']>,
): Promise<Planned[]> {
  const steps: Planned[] = []
  for (const { label, permissions } of wanted) {
    const before = now.roles.find(role => role.label === label)
    if (before && isAdministrator(before))
      throw invalid('roles', `${label} has every permission: leave it out of the file`)
    const ids = permissions.map(permission => {
      const id = now.permissions.get(permission)
      const meant = () => didYouMean(permission, [...now.permissions.keys()])
      if (id === undefined)
        throw invalid('roles', `${label}: there is no permission ${permission}: ${meant()}`)
      return id
    })
    const give = (tx: Writer, by: Actor, id: string) => rolePermissions(tx, access).replace(by, id, ids)
    const found = step('role', label, {
      given: { permissions: [...new Set(permissions)].sort() },
      before,
      create: async (tx, by) => give(tx, by, (await roles(tx, access).create(by, { label })).role_id),
      update: () => (tx, by) => give(tx, by, before?.role_id ?? ''),
    })
    const lost = before?.permissions.filter(one => !permissions.includes(one)) ?? []
    const users = before && lost.length > 0 ? await db.count(tables.users, { role: before.role_id }) : 0
    const breaks = users > 0 ? `users who have it: ${users}; they lose ${lost.join(', ')}` : null
    steps.push(...found.map(one => ({ ...one, breaks })))
  }
  return steps
}

async function webhookSteps(
  { webhooks }: Planning,
  actor: Actor,
  now: Stored,
  wanted: NonNullable<Model['webhooks']>,
): Promise<Planned[]> {
  const steps: Planned[] = []
  for (const given of wanted) {
    const [before, other] = now.webhooks.filter(({ name }) => name === given.name)
    if (other) throw invalid('webhooks', `two webhooks are called ${given.name}: rename one of them first`)
    const patch = before ? changesOf(given, webhookOf(before)) : {}
    const create = before ? undefined : await webhooks.creation(actor, { ...given, headers: {} })
    const change = before && (await webhooks.change(before.webhook_id, patch))
    const found = step('webhook', given.name, {
      ...{ given, before: before && webhookOf(before) },
      create: async tx => create?.(tx),
      update: () => async tx => change?.(tx),
    })
    const isMoved = before !== undefined && webhooks.movesTo(before.url, given.url)
    const breaks = isMoved ? 'it sends to another server, with a new signing secret' : null
    steps.push(...found.map(one => ({ ...one, breaks })))
  }
  return steps
}
