import { z } from 'zod'
import { imageFits } from '../../db/content-tables.js'
import type { Database } from '../../db/database.js'
import { internalTables, tables } from '../../db/tables.js'
import { conflict } from '../../errors.js'
import { limits } from '../../limits.js'
import { type Crud, crud } from '../crud.js'
import { label } from '../text.js'

const side = z.int().min(1).max(8192)
/** Every image is rendered for each of them, in up to three formats. */
const maxPresets = limits.media.presets

const members = { label: label(64), width: side, height: side, fit: z.enum(imageFits) }
export const MediaDimensionCreate = z.object({ ...members, fit: members.fit.default('cover') })
export const MediaDimensionUpdate = z.object(members).partial()

/** The presets of a new site. */
export const defaultPresets: z.output<typeof MediaDimensionCreate>[] = [
  { label: 'thumbnail', width: 300, height: 300, fit: 'cover' },
  { label: 'small', width: 640, height: 640, fit: 'inside' },
  { label: 'medium', width: 1024, height: 1024, fit: 'inside' },
  { label: 'large', width: 1920, height: 1920, fit: 'inside' },
]

type Table = typeof tables.mediaDimensions
export type MediaDimensionService = Crud<
  Table,
  z.output<typeof MediaDimensionCreate>,
  z.output<typeof MediaDimensionUpdate>
>

/** Size presets of image variants. A change concerns later uploads; `regenerate` brings it to earlier ones. */
export function mediaDimensions(db: Database): MediaDimensionService {
  const table = tables.mediaDimensions
  return {
    ...crud(db, table),
    create: (actor, given) =>
      db.write(actor, async tx => {
        await tx.lock(internalTables.locks, 'media_folders')
        if ((await tx.count(table)) >= maxPresets)
          throw conflict(`there are ${maxPresets} presets already, which is the maximum`)
        return tx.insert(table, given)
      }),
  }
}
