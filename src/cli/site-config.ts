import { dirname, join } from 'node:path'
import type { Config } from '../config.js'
import { loadConfig } from '../node/config-file.js'
import { storageOfFolder, storageSettings } from '../node/folder-storage.js'
import { storage } from '../node/ports.js'
import type { Storage } from '../ports.js'
import type { Terminal } from './terminal.js'

interface SiteConfig {
  readonly config: Config
  readonly path: string
  readonly storage: Storage
  /** The media folder of `quickstart`, if there is one: for a site whose settings name no storage. */
  readonly folderMedia: Partial<Config> | undefined
}

/**
 * Reads the configuration of a site, without the settings of its database.
 * @throws ConfigError for an invalid file
 */
export async function siteConfig(
  { variables }: Pick<Terminal, 'variables'>,
  given: string | undefined,
): Promise<SiteConfig> {
  const { config, path } = loadConfig(given, variables)
  const media = config.bucket_endpoint ? undefined : await storageOfFolder(join(dirname(path), 'media'))
  return media
    ? { config, path, storage: media.storage, folderMedia: storageSettings(media.address) }
    : { config, path, storage, folderMedia: undefined }
}
