import { api } from '../../slugline.mjs'

export default {
  // Where browsers reach the service: previews are read by them.
  api: process.env.SLUGLINE_PUBLIC_URL ? `${process.env.SLUGLINE_PUBLIC_URL}/api/v1` : api,
}
