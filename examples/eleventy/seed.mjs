// Makes the content model of the example site and some content, with an API key or the password of an administrator.
//
//   SLUGLINE_KEY=slk_… node seed.mjs 20             twenty posts
//   CMS_ADMIN_PASSWORD=… node seed.mjs 20           the same, as admin@example.com (CMS_ADMIN_EMAIL)
import { deflateSync } from 'node:zlib'

const { SLUGLINE_URL: url = 'http://localhost:8080' } = process.env
const api = `${url}/api/v1`
const count = Number(process.argv[2] ?? 20)
const {
  SLUGLINE_KEY: key,
  CMS_ADMIN_PASSWORD: password,
  CMS_ADMIN_EMAIL: email = 'admin@example.com',
} = process.env
if (!key && !password)
  throw new Error('Set SLUGLINE_KEY to an API key, or CMS_ADMIN_PASSWORD to the password.')

const advice = 'Set SLUGLINE_URL to the address that the service showed when it started.'

async function send(path, request) {
  const answer = await fetch(api + path, request).catch(error => {
    throw new Error(`${url} does not answer (${error.cause?.code}). ${advice}`)
  })
  // Another program may be at the usual address.
  if (answer.status === 401 || !/\bjson\b/.test(answer.headers.get('content-type')))
    throw new Error(`${url} is not this service, or it has another password: ${answer.status}. ${advice}`)
  return answer
}

/** Signs in. @returns the header that says who calls */
async function signedIn() {
  const answer = await send('/auth/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  if (!answer.ok) throw new Error(`sign-in: ${answer.status} ${await answer.text()}`)
  return {
    Cookie: answer.headers
      .getSetCookie()
      .map(one => one.split(';')[0])
      .join('; '),
  }
}
const headers = key ? { Authorization: `Bearer ${key}` } : await signedIn()

async function call(method, path, body) {
  const json = body && !(body instanceof FormData)
  const answer = await send(path, {
    method,
    headers: json ? { ...headers, 'Content-Type': 'application/json' } : headers,
    body: json ? JSON.stringify(body) : body,
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
const post = (path, body) => call('POST', path, body)

/** A datatype with its fields: `[label, type, more]`. */
async function datatype(label, type, fields) {
  const { datatype_id } = await post('/datatypes', { label, type, visibility: 'public' })
  for (const [label, field_type, more = {}] of fields)
    await post('/fields', { parent_id: datatype_id, label, field_type, ...more })
  return datatype_id
}

/** A page in both languages. */
async function page(datatype_id, { de, ...given }) {
  const { slug, title, fields } = de
  const both = { translations: { de: { slug, title } }, locales: { de: { fields } } }
  const { entry } = await post('/pages', { datatype_id, status: 'published', ...given, ...both })
  return entry.content_data_id
}

const crcTable = Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
  return c >>> 0
})

/** A part of a PNG: length, name, data, checksum. */
function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data])
  let crc = 0xffffffff
  for (const byte of body) crc = (crcTable[(crc ^ byte) & 0xff] ^ (crc >>> 8)) >>> 0
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length)
  body.copy(out, 4)
  out.writeUInt32BE((crc ^ 0xffffffff) >>> 0, body.length + 4)
  return out
}

/** The colors of a picture: of the sky, of the horizon, and of the nearest hills. */
const lights = [
  [
    [72, 118, 186],
    [250, 224, 190],
    [24, 60, 52],
  ],
  [
    [36, 30, 78],
    [240, 130, 90],
    [22, 18, 40],
  ],
  [
    [120, 170, 200],
    [236, 240, 228],
    [44, 78, 92],
  ],
]
const between = (a, b, part) => a.map((one, i) => Math.round(one + (b[i] - one) * Math.min(1, part)))

/** A picture of hills, as PNG. */
function hills(width, height, n) {
  const [sky, horizon, nearest] = lights[n % lights.length]
  const rows = [0, 1, 2, 3].map(row =>
    Array.from({ length: width }, (_, x) => {
      const wave = Math.sin(x / (190 - 30 * row) + n + 2 * row) + Math.sin(x / 67 + row) / 3
      return height * (0.45 + 0.14 * row + 0.05 * wave)
    }),
  )
  const colors = rows.map((_, row) => between(horizon, nearest, (row + 1) / rows.length))
  const lines = Array.from({ length: height }, (_, y) => {
    const above = between(sky, horizon, y / height / 0.6)
    const line = Buffer.alloc(1 + width * 3)
    for (let x = 0; x < width; x++) {
      let row = 0
      while (row < rows.length && rows[row][x] <= y) row++
      const [red, green, blue] = row > 0 ? colors[row - 1] : above
      line[1 + x * 3] = red
      line[2 + x * 3] = green
      line[3 + x * 3] = blue
    }
    return line
  })
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const mark = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  const data = deflateSync(Buffer.concat(lines))
  return Buffer.concat([mark, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

async function upload(n) {
  const form = new FormData()
  form.set('file', new Blob([hills(1400, 900, n)], { type: 'image/png' }), `hills-${n}.png`)
  form.set('alt_text', `Hills "${n}"`)
  return (await post('/media/upload', form)).media_id
}

const taken = (await call('GET', '/datatypes')).filter(({ label }) => ['Tag', 'Post', 'Menu'].includes(label))
if (taken.length > 0) throw new Error(`${url} has such content already: begin with an empty one. ${advice}`)

const words = { translatable: true }
if (!(await call('GET', '/locales')).some(({ code }) => code === 'de'))
  await post('/locales', { code: 'de', label: 'Deutsch' })
const tagType = await datatype('Tag', 'content', [['Name', 'text', words]])
const postType = await datatype('Post', 'content', [
  ['Teaser', 'textarea', words],
  ['Body', 'richtext', words],
  ['Date', 'date'],
  ['Picture', 'media'],
  ['Tags', 'relation', { data: { cardinality: 'many', target: 'tag' } }],
])
const menuType = await datatype('Menu', '_global', [['Name', 'text']])
const itemType = await datatype('Menu item', 'content', [
  ['Label', 'text', words],
  ['Target', 'relation'],
])

const tags = []
for (const [name, german] of [
  ['Cities', 'Städte'],
  ['Rivers', 'Flüsse'],
  ['Roads & rails', 'Wege & Gleise'],
]) {
  const path = name.toLowerCase().replaceAll(/[^a-z]+/g, '-')
  const de = { slug: `/de/themen/${path}`, title: german, fields: { name: german } }
  tags.push(await page(tagType, { slug: `/tags/${path}`, title: name, fields: { name }, de }))
}

const pictures = []
for (let n = 1; n <= Math.min(3, count); n++) pictures.push(await upload(n))
for (let n = 1; n <= count; n++) {
  const day = new Date(Date.UTC(2026, 0, 1) + n * 86_400_000).toISOString().slice(0, 10)
  const of = n % 5 === 0 ? [] : [tags[n % 3], ...(n % 2 ? [] : [tags[(n + 1) % 3]])]
  await page(postType, {
    slug: `/posts/post-${n}`,
    title: `Post ${n} <of many>`,
    fields: {
      teaser: `What ${n} is about`,
      body: `<p>The <strong>text</strong> of ${n}</p>`,
      date: day,
      picture: n % 4 === 0 ? null : pictures[n % pictures.length],
      tags: of,
    },
    de: {
      slug: `/de/beitraege/beitrag-${n}`,
      title: `Beitrag ${n} <von vielen>`,
      fields: { teaser: `Worum es in ${n} geht`, body: `<p>Der <strong>Text</strong> von ${n}</p>` },
    },
  })
}

await post('/content', {
  datatype_id: menuType,
  status: 'published',
  fields: { name: 'main' },
  children: [
    ['Start', 'Anfang'],
    ['On cities', 'Über Städte', tags[0]],
    ['On rivers', 'Über Flüsse', tags[1]],
  ].map(([label, german, target]) => ({
    datatype_id: itemType,
    fields: target ? { label, target } : { label },
    locales: { de: { fields: { label: german } } },
  })),
})
process.stdout.write(`${count} posts in two languages\n`)
