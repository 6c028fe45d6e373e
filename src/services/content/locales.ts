import { z } from 'zod'
import type { Door } from '../../db/database.js'
import { translatedMedia } from '../../db/queries/media.js'
import { adminTables, internalTables, tables } from '../../db/tables.js'
import type { Writer } from '../../db/writer.js'
import { conflict, invalid, stillReferenced } from '../../errors.js'
import { languageTag } from '../../language-tags.js'
import { sortOrder } from '../body-parts.js'
import { type Crud, crud } from '../crud.js'
import { label } from '../text.js'

/** A language tag, such as `de` or `de-AT`. */
export const localeCode = z
  .string()
  .max(35)
  .regex(languageTag, 'must be a language tag such as de or de-AT')
  .meta({ examples: ['de-AT'] })

const members = {
  label: label(),
  is_default: z.boolean(),
  is_enabled: z.boolean(),
  fallback_code: localeCode.nullable(),
  sort_order: sortOrder,
}
export const LocaleCreate = z.object({
  ...members,
  code: localeCode,
  is_default: members.is_default.optional(),
  is_enabled: members.is_enabled.default(true),
  fallback_code: members.fallback_code.default(null),
  sort_order: members.sort_order.default(0),
})
export const LocaleUpdate = z.object({ ...members, code: localeCode }).partial()

type Table = typeof tables.locales
export type LocaleService = Crud<Table, z.output<typeof LocaleCreate>, z.output<typeof LocaleUpdate>>

/** @throws 400 when the fallback does not exist or leads back to the locale itself */
async function refuseFallback(tx: Writer, code: string, fallback: string | null | undefined): Promise<void> {
  if (!fallback) return
  const next = new Map((await tx.findAll(tables.locales)).map(row => [row.code, row.fallback_code]))
  if (!next.has(fallback)) throw invalid('fallback_code', 'the locale does not exist')
  const seen = new Set<string>()
  for (let at: string | null = fallback; at && !seen.has(at); at = next.get(at) ?? null) {
    if (at === code) throw invalid('fallback_code', 'leads back to the same locale')
    seen.add(at)
  }
}

/** @throws 409 while something is written in the locale */
async function refuseUsed(tx: Writer, locale: string): Promise<void> {
  for (const space of [tables, adminTables]) {
    for (const table of [space.contentFields, space.routeTranslations])
      if (await tx.exists(table, { locale }))
        throw stillReferenced(`still referenced by ${table.name}.locale`)
    const [media = 0] = await tx.query(translatedMedia(space), { pattern: `%"${locale}":{%` })
    if (media > 0) throw stillReferenced(`still referenced by ${space.media.name}.translations`)
  }
}

/** Languages of content. One is the default: the one that the first start made, until another is made it. */
export function locales(db: Door): LocaleService {
  const table = tables.locales
  /** Changes of the set of locales take turns, so that one locale is always the default. */
  const inTurn = (tx: Writer) => tx.lock(internalTables.locks, table.name)

  async function takeDefault(tx: Writer, except: string): Promise<void> {
    for (const { locale_id } of await tx.findAll(table, { is_default: true }))
      if (locale_id !== except) await tx.update(table, locale_id, { is_default: false })
  }

  return {
    ...crud(db, table),
    create: (actor, given) =>
      db.write(actor, async tx => {
        await inTurn(tx)
        await refuseFallback(tx, given.code, given.fallback_code)
        const is_default = given.is_default || !(await tx.exists(table, { is_default: true }))
        if (is_default && !given.is_enabled)
          throw invalid('is_enabled', 'the default locale cannot be disabled')
        const row = await tx.insert(table, { ...given, is_default })
        if (is_default) await takeDefault(tx, row.locale_id)
        return row
      }),
    update: (actor, id, patch, check) =>
      db.write(actor, async tx => {
        await inTurn(tx)
        const { after } = await tx.update(table, id, patch, async before => {
          check?.(before)
          if (patch.code !== undefined && patch.code !== before.code)
            throw invalid('code', 'cannot change because values are stored under it')
          if (before.is_default && patch.is_default === false)
            throw conflict('is_default: make another locale the default instead')
          if ((patch.is_default ?? before.is_default) && !(patch.is_enabled ?? before.is_enabled))
            throw invalid('is_enabled', 'the default locale cannot be disabled')
          await refuseFallback(tx, before.code, patch.fallback_code)
        })
        if (patch.is_default) await takeDefault(tx, id)
        return after
      }),
    remove: (actor, id, check) =>
      db.write(actor, async tx => {
        await inTurn(tx)
        await tx.remove(table, id, async before => {
          check?.(before)
          if (before.is_default) throw conflict('the default locale cannot be deleted')
          if (await tx.exists(table, { fallback_code: before.code }))
            throw conflict('the locale is still the fallback of another locale')
          await refuseUsed(tx, before.code)
        })
      }),
  }
}
