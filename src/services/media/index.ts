import type { Config } from '../../config.js'
import type { Database } from '../../db/database.js'
import { adminTables, tables } from '../../db/tables.js'
import type { Ports } from '../../ports.js'
import type { AudienceOf } from '../delivery/audience.js'
import { backupRuns } from '../operation/backups.js'
import type { PendingWork } from '../operation/pending-work.js'
import { mediaDimensions } from './dimensions.js'
import { mediaFolders } from './folders.js'
import { MediaHealthService } from './health.js'
import { MediaService } from './media.js'
import { servedMedia } from './served.js'
import { type MediaSpaceName, mediaStorage } from './storage.js'

interface Needs extends Ports {
  db: Database
  config: () => Config
  pending: PendingWork
}

/** Media of both spaces. */
export function mediaServices(
  { db, config, clock, log, files, images, storage, pending }: Needs,
  audienceOf: Record<MediaSpaceName, AudienceOf>,
) {
  const storageOf = (name: MediaSpaceName) => mediaStorage(storage, name, { config, now: clock.now })
  const areKept = () => backupRuns(db, clock)
  const spaces = {
    media: { space: tables, storage: storageOf('media'), audienceOf: audienceOf.media },
    admin_media: {
      space: adminTables,
      storage: storageOf('admin_media'),
      audienceOf: audienceOf.admin_media,
    },
  }
  const ofSpace = (name: MediaSpaceName) => {
    const own = spaces[name]
    return {
      urlOf: own.storage.urlOf,
      items: new MediaService(db, own.space, name, {
        clock,
        files,
        images,
        storage: own.storage,
        log,
        config,
        pending,
        areKept,
        audienceOf: own.audienceOf,
      }),
      folders: mediaFolders(db, own.space),
      health: new MediaHealthService(db, own, () => Object.values(spaces), { clock, log, areKept }),
    }
  }
  return {
    media: ofSpace('media'),
    adminMedia: ofSpace('admin_media'),
    servedMedia: servedMedia({ db, clock, log, storage, config, spaces: Object.values(spaces) }),
    mediaDimensions: mediaDimensions(db),
    storageAnswers: () => spaces.media.storage.answers(),
    storageOf: (name: MediaSpaceName) => spaces[name].storage,
  }
}
