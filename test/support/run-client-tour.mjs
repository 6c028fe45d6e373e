import { tour } from './client-tour.mjs'

const { CLIENT, SITE } = process.env
const { key, ...site } = JSON.parse(SITE)
const save = () =>
  fetch(`${site.url}/api/v1/content?q=${site.draft}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ fields: { price: Date.now() } }),
  })
process.stdout.write(JSON.stringify(await tour(await import(CLIENT), { ...site, key, save })))
