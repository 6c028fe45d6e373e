import { basename, dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config.js'
import { badRequest } from '../../errors.js'
import type { BucketAddress } from '../../ports.js'
import { open } from '../../server.js'
import { mediaAddress } from '../../services/media/storage.js'
import { type LocalCommand, show, WrongCall } from '../command.js'
import { withPort } from '../serve.js'
import { siteOptions } from '../site.js'
import { complain, say } from '../terminal.js'
import { Follower } from './follow.js'
import { TwinObjects } from './objects.js'
import { siteOf } from './site.js'
import { Twin } from './twin.js'

const [lookMs, retryMs] = [100, 2000]

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

/** Writes what anybody can read of the site into a folder or a bucket, and keeps it current until it is stopped. */
export const twin: LocalCommand['run'] = async (terminal, options) => {
  const { to, once, config: path, port } = options
  const site = await siteOptions(terminal, path)
  // URLs of media have it in a site without another address.
  const opened = await open({ ...site, config: withPort(site.config, port, terminal.variables) })
  const { db, services, ports, config } = opened
  try {
    const { address, prefix } = placeOf(to, config())
    await db.begin()
    const objects = new TwinObjects(await ports.storage.open(address), prefix)
    const written = new Twin(objects, Date.now)
    await written.open()
    const follower = new Follower({ db, services, twin: written, site: siteOf(opened) })
    do await follower.follow()
    while (follower.isBehind && !terminal.stopped.aborted)
    const count = written.entries.size
    show(terminal, options, { to, addresses: count }, `${count} addresses are in ${to}.`)
    if (once !== undefined) return 0
    if (options.json === undefined) say(terminal, 'It follows every change. Stop it with Ctrl-C.')
    const { stopped: signal } = terminal
    let isFailing = false
    while (!signal.aborted) {
      const ms = isFailing ? retryMs : follower.isBehind ? 0 : lookMs
      await sleep(ms, undefined, { signal }).catch(() => undefined)
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
