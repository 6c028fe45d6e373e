// The tour in a runtime of workers, which have modules and bindings, but no files and no variables.
import * as client from '../../packages/client/index.js'
import { tourOf } from './client-tour.mjs'

export default {
  fetch: async (_, { SITE }) => Response.json(await tourOf(client, JSON.parse(SITE))),
}
