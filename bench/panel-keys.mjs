// Measures the work of a browser for one key in a deep tree of 2,401 entries, of which about 400 are drawn, and in a text
// of 6,000 words: the time of the page's main thread for script, styles, layout and painting, as the browser counts it, in
// processor time and not by the clock.
import { existsSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { chromium } from 'playwright-core'
import { tables } from '../dist/src/db/tables.js'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(path => existsSync(path))
/** Levels of the path to the open entry, and siblings on each. */
const [levels, siblings] = [12, 200]

/** Creates a tree that is too large to be drawn whole. @returns its deepest entry */
async function deepTree(db, author_id) {
  const actor = { userId: author_id, surface: 'cli', requestId: '', ipAddress: '', userAgent: 'bench' }
  return db.write(actor, async tx => {
    const [datatype] = await tx.findAll(tables.datatypes, {}, { limit: 1 })
    const [field] = await tx.findAll(tables.fields, { parent_id: datatype.datatype_id }, { limit: 1 })
    const root_id = tx.newId()
    const common = { datatype_id: datatype.datatype_id, root_id, status: 'published', author_id }
    const route = await tx.insert(tables.routes, { slug: '/deep', title: 'Deep', author_id })
    await tx.createTree(tables.contentTrees, root_id)
    const rows = [{ ...common, content_data_id: root_id, route_id: route.route_id }]
    let parent_id = root_id
    for (let level = 0; level < levels; level++) {
      const children = Array.from({ length: siblings }, (_, i) => ({
        ...common,
        content_data_id: tx.newId(),
        parent_id,
        sort_order: i * 1024,
      }))
      rows.push(...children)
      parent_id = children[0].content_data_id
    }
    await tx.insertAll(tables.contentData, rows)
    const values = rows.map(({ content_data_id }, i) => ({
      content_data_id,
      field_id: field.field_id,
      field_value: `Heading ${i}`,
      route_id: route.route_id,
      author_id,
    }))
    await tx.insertAll(tables.contentFields, values)
    return parent_id
  })
}

const [paragraphs, wordsOfEach] = [300, 20]

/** Creates an entry with a long text. @returns its id */
async function longText(url, { name, value }) {
  const made = async (path, body) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { Cookie: `${name}=${value}`, 'Content-Type': 'application/json', Origin: url },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const { datatype_id } = await made('/datatypes', { label: 'Essay', type: '_global' })
  await made('/fields', { parent_id: datatype_id, label: 'Body', name: 'body', field_type: 'richtext' })
  const words = Array.from({ length: wordsOfEach }, (_, i) => ['bicycle', 'wheels', 'and', 'brakes'][i % 4])
  const body = Array.from({ length: paragraphs }, () => `<p>${words.join(' ')}</p>`).join('\n')
  return (await made('/content', { datatype_id, fields: { body } })).content_data_id
}

const metrics = ['TaskDuration', 'ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration']

/** Measures the main thread for each key, in milliseconds. */
async function timesOf(page, session, keys) {
  const read = async () => {
    // After two frames everything that a key has caused is drawn.
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))
    const { metrics: found } = await session.send('Performance.getMetrics')
    return Object.fromEntries(found.map(({ name, value }) => [name, value * 1000]))
  }
  const idle = []
  for (let i = 0; i < 20; i++) {
    const before = await read()
    const after = await read()
    idle.push(after.TaskDuration - before.TaskDuration)
  }
  const [asking] = [idle.toSorted((a, b) => a - b)[10]]
  const times = []
  for (const key of keys) {
    const before = await read()
    await page.keyboard.press(key)
    const after = await read()
    const spent = Object.fromEntries(metrics.map(name => [name, after[name] - before[name]]))
    times.push({ key, all: Math.max(0, spent.TaskDuration - asking), ...spent })
  }
  return times
}

const many = (key, count) => Array.from({ length: count }, () => key)

/** Prints the cost of keys in the tree. @returns whether all were below the goal */
export async function measureKeys({ app, db, user_id, cookie, say, goalMs }) {
  if (!executablePath) {
    say('\nno browser to measure keys with')
    return true
  }
  const deepest = await deepTree(db, user_id)
  const server = await new Promise(resolve => {
    const started = serve(
      { fetch: request => app.fetch(request, { address: '127.0.0.1' }), port: 0, hostname: '127.0.0.1' },
      () => resolve(started),
    )
  })
  const url = `http://127.0.0.1:${server.address().port}`
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    await context.addCookies([{ ...cookie, url }])
    const page = await context.newPage()
    await page.goto(`${url}/admin/content/entry/${deepest}`)
    const rows = await page.locator('[role=treeitem]').count()
    const session = await context.newCDPSession(page)
    // Processor time, which a busy machine hardly increases.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.locator('[role=treeitem]').first().focus()
    say(`\nkeys in a tree of ${rows} rows, milliseconds of the browser's main thread`)
    let isUnder = true
    /** @param counted which of the keys are measured; all if it is not given */
    const measure = async (name, keys, counted) => {
      const times = (await timesOf(page, session, keys)).filter(({ key }) => !counted || key === counted)
      const at = (part, of) => {
        const sorted = times.map(time => time[of]).toSorted((a, b) => a - b)
        return sorted[Math.floor(part * (sorted.length - 1))].toFixed(1).padStart(6)
      }
      if (Number(at(0.95, 'all')) > goalMs) isUnder = false
      say(
        `  ${name.padEnd(20)} p50 ${at(0.5, 'all')} p95 ${at(0.95, 'all')}; script ${at(0.5, 'ScriptDuration')}, styles ${at(0.5, 'RecalcStyleDuration')}, layout ${at(0.5, 'LayoutDuration')}`,
      )
    }
    const closeAndOpen = ['Home', ...Array.from({ length: 20 }, () => ['ArrowLeft', 'ArrowRight']).flat()]
    for (const [name, keys, counted] of [
      ['down and up', [...many('ArrowDown', 60), ...many('ArrowUp', 60)]],
      ['to the end and back', ['End', 'Home', 'End', 'Home', 'End', 'Home', 'End', 'Home', 'End', 'Home']],
      ['a letter', many('h', 20)],
      ['out and in', ['End', ...many('ArrowLeft', 5), ...many('ArrowDown', 5)]],
      ['close all', closeAndOpen, 'ArrowLeft'],
      ['open all', closeAndOpen, 'ArrowRight'],
      ['select several', [...many('Shift+ArrowDown', 20), 'Escape']],
    ])
      await measure(name, keys, counted)
    await page.goto(`${url}/admin/content/entry/${await longText(url, cookie)}`)
    // The text area has this role until the editor is loaded.
    const text = page.locator('.rich-text')
    await text.click()
    say(`\nkeys in a text of ${paragraphs * wordsOfEach} words`)
    for (const [name, to] of [
      ['at the end', 'Control+End'],
      ['at the beginning', 'Control+Home'],
    ]) {
      await page.keyboard.press(to)
      await measure(`letters, ${name}`, [...many('a', 30), ...many('Backspace', 10)])
      await measure(`lines, ${name}`, [...many('Enter', 10), ...many('Backspace', 10)])
    }
    return isUnder
  } finally {
    await browser.close()
    server.close()
  }
}
