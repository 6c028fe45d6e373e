import { dirname, join } from 'node:path'
import type { Config } from '../config.js'
import { loadConfig } from '../node/config-file.js'
import { storageOfFolder, storageSettings } from '../node/folder-storage.js'
import { storage } from '../node/ports.js'
import type { Storage } from '../ports.js'
import type { Terminal } from './terminal.js'

interface SiteConfig {
  readonly config: Config
  /** The path of the configuration file. */
  readonly path: string
  readonly storage: Storage
}

/**
 * Reads the configuration of a site. Without a configured storage, media are in the folder of `quickstart`, if it
 * exists.
 * @throws ConfigError for an invalid file
 */
export async function siteConfig(
  { variables }: Pick<Terminal, 'variables'>,
  given: string | undefined,
): Promise<SiteConfig> {
  const { config, path } = loadConfig(given, variables)
  const media = config.bucket_endpoint ? undefined : await storageOfFolder(join(dirname(path), 'media'))
  return media
    ? { config: { ...config, ...storageSettings(media.address) }, path, storage: media.storage }
    : { config, path, storage }
}
