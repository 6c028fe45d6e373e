import { randomUUID } from 'node:crypto'
import { basename, dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../../app.js'
import type { Config } from '../../config.js'
import { tables } from '../../db/tables.js'
import { badRequest, HttpError } from '../../errors.js'
import { version } from '../../node/version.js'
import type { BucketAddress } from '../../ports.js'
import { type Opened, open } from '../../server.js'
import { formatNames } from '../../services/delivery/formats/index.js'
import { pageRequest } from '../../services/delivery/page-request.js'
import { mediaAddress } from '../../services/media/storage.js'
import { type LocalCommand, show, WrongCall } from '../command.js'
import { siteOptions } from '../site.js'
import { complain, say } from '../terminal.js'
import type { Ask } from './capture.js'
import { Follower } from './follow.js'
import { TwinObjects } from './objects.js'
import { type Site, Twin } from './twin.js'

const [lookMs, retryMs] = [250, 2000]

interface Place {
  readonly address: BucketAddress
  readonly prefix: string
}

/** The place of a twin. @throws WrongCall without one, 400 if the configuration has no store for it */
function placeOf(to: string | undefined, config: Config): Place {
  if (!to) throw new WrongCall('name the place of the twin with --to: a folder, or s3://bucket/prefix')
  if (!to.startsWith('s3://')) {
    const path = resolve(to)
    const own = { endpoint: '', pathStyle: true, publicEndpoint: '', appSecret: undefined }
    return { address: { ...own, folder: dirname(path), bucket: basename(path) }, prefix: '' }
  }
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]+)\/*(.*?)\/*$/.exec(to) ?? []
  const address = mediaAddress({ ...config, bucket_media: bucket }, 'media')
  if (bucket === '' || !address || 'folder' in address)
    throw badRequest(
      '--to: s3://bucket/prefix needs bucket_endpoint, bucket_access_key and bucket_secret_key of a store that speaks S3',
    )
  return { address, prefix: path === '' ? '' : `${path}/` }
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof HttpError && error.status < 500)) throw error
}

function siteOf({ services, ports, ids, config, db }: Opened): () => Promise<Site> {
  const app = createApp({ services, ports, ids, config, version })
  const ask: Ask = async (path, init = {}) => app.fetch(new Request(`http://twin.invalid${path}`, init))
  const { sha256 } = ports.hashing
  // Without a secret nobody could be kept from guessing the configuration: each process reads everything then.
  const key = config().app_secret ?? randomUUID()
  return async () => {
    const { i18n_enabled, output_format: format } = config()
    const rows = i18n_enabled ? await db.findAll(tables.locales, { is_enabled: true }) : undefined
    const locales = rows?.map(({ code }) => code) ?? null
    return {
      ask,
      languages: { format, formats: formatNames, locales },
      service: sha256(`${key} ${version} ${sha256(JSON.stringify(config()))}`),
      async pageAt(slug) {
        const asked = pageRequest({ slug, format: 'native', audience: 'public', locale: '' })
        // A page that is gone or damaged by now is read again with the change that makes it another.
        const shown = await services.space.pages.page(asked).catch(unlessRefused)
        if (!shown) return {}
        const [, page = ''] = shown.tags.split(' ')
        return { page, isLinked: shown.isLinked === true }
      },
    }
  }
}

/** Writes what anybody can read of the site into a folder or a bucket, and keeps it current until it is stopped. */
export const twin: LocalCommand['run'] = async (terminal, options) => {
  const { to, once, config: path } = options
  const opened = await open(await siteOptions(terminal, path))
  const { db, services, ports, config } = opened
  try {
    const { address, prefix } = placeOf(to, config())
    await db.begin()
    const objects = new TwinObjects(await ports.storage.open(address), prefix)
    const written = new Twin(objects, Date.now)
    await written.open()
    const follower = new Follower({ db, services, twin: written, site: siteOf(opened) })
    await follower.follow()
    const count = written.entries.size
    show(terminal, options, { to, addresses: count }, `${count} addresses are in ${to}.`)
    if (once !== undefined) return 0
    if (options.json === undefined) say(terminal, 'It follows every change. Stop it with Ctrl-C.')
    const { stopped: signal } = terminal
    let isFailing = false
    while (!signal.aborted) {
      await sleep(isFailing ? retryMs : lookMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) break
      try {
        await follower.follow()
        isFailing = false
      } catch (error) {
        if (!isFailing) complain(terminal, `the twin could not be written, trying again: ${error}`)
        isFailing = true
      }
    }
    return 0
  } finally {
    await services.settle()
    await db.close()
  }
}
