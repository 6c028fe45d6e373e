import { publicUrl } from '../../slugline.mjs'

// Where browsers reach the service: for search and previews.
export default { url: publicUrl, api: `${publicUrl}/api/v1` }
