import { defineConfig } from 'astro/config'
import { cms } from './src/cms.mjs'

/** Old addresses lead to the current ones. They need a key that may read routes; without one there are none. */
async function redirects() {
  if (!process.env.SLUGLINE_KEY) return {}
  const { data, error } = await cms.redirects()
  if (error) throw error
  return Object.fromEntries(data.map(({ slug, target, status }) => [slug, { destination: target, status }]))
}

export default defineConfig({ redirects: await redirects() })
