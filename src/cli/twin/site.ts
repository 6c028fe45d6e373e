import { randomUUID } from 'node:crypto'
import { createApp } from '../../app.js'
import { shownTrees } from '../../db/queries/links.js'
import { tables } from '../../db/tables.js'
import { HttpError } from '../../errors.js'
import { version } from '../../node/version.js'
import type { Opened } from '../../server.js'
import { formatNames } from '../../services/delivery/formats/index.js'
import { pageRequest } from '../../services/delivery/page-request.js'
import type { Ask } from './capture.js'
import type { Site } from './twin.js'

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof HttpError && error.status < 500)) throw error
}

/** Returns how to ask the site of an open database, as anybody, under its configuration at that time. */
export function siteOf({ services, ports, ids, config, db }: Opened): () => Promise<Site> {
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
      moment: () => db.externalChangesNow(),
      service: sha256(`${key} ${version} ${sha256(JSON.stringify(config()))}`),
      async pageAt(slug) {
        const asked = pageRequest({ slug, format: 'native', audience: 'public', locale: '' })
        // A page that is gone or damaged by now is read again with the change that makes it another.
        const shown = await services.space.pages.page(asked).catch(unlessRefused)
        if (!shown) return {}
        const [, page = ''] = shown.tags.split(' ')
        if (!shown.isLinked) return { page }
        const trees = await db.queryIn(shownTrees(tables), [page])
        return { page, shows: trees.filter(tree => tree !== page).sort() }
      },
    }
  }
}
