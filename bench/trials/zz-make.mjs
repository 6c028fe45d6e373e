import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { register } from 'tsx/esm/api'
register()
import { caller, instance, login, must } from './product.mjs'
import { folder, endAll } from './programs.mjs'
const { filled } = await import('./zz-twin.mjs')
const origin = await instance('origin', { db_url: join(folder, 'site.db'), client_site: 'https://www.example.com', i18n_enabled: true })
origin.start(); await origin.ready()
const signedIn = must(caller(origin.url, { Cookie: await login(origin.url) }))
const api = (m, p, b) => signedIn(m, `/api/v1${p}`, b)
const t = Date.now()
const site = await filled(api, Number(process.argv[2] ?? 1000))
console.log('filled', Date.now() - t, 'ms')
await origin.kill('SIGTERM')
cpSync(folder, process.argv[3], { recursive: true })
await endAll()
process.exit(0)
