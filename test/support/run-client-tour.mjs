import { tourOf } from './client-tour.mjs'

const { CLIENT, SITE } = process.env
process.stdout.write(JSON.stringify(await tourOf(await import(CLIENT), JSON.parse(SITE))))
