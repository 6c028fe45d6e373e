import type { Config } from '../../config.js'
import type { Authentication } from '../../middleware/authenticate.js'
import type { Services } from '../../services/index.js'
import type { Records } from '../crud-routes.js'

/** What every part of the API is built from. */
export interface ApiKit {
  services: Services
  authentication: Authentication
  records: Records
  config: () => Config
}
