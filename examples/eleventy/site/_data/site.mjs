import { api } from '../../slugline.mjs'

// Where browsers reach the service: for search and previews.
const url = process.env.SLUGLINE_PUBLIC_URL ?? api.replace(/\/api\/v1$/, '')

export default { url, api: `${url}/api/v1` }
