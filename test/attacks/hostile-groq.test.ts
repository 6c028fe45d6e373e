import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callerOf, healthOf, made } from '../support/calls.js'
import { migratedDatabase } from '../support/database.js'
import { amount } from '../support/effort.js'
import { type Product, startProduct } from '../support/process.js'

/** Queries that a stranger sends to hold up or end the service, at the started product. */

const ending: (() => unknown)[] = []
let product: Product

beforeAll(async () => {
  const { address, drop } = await migratedDatabase()
  ending.push(drop)
  const config = { page_cache_bytes: 0 }
  product = await startProduct(address, { config, until: end => ending.unshift(end) })
  const call = await callerOf(product)
  const { datatype_id } = await made(
    call('POST', '/datatypes', { label: 'Post', type: '_global', visibility: 'public' }),
  )
  for (const [label, field_type] of [
    ['Title', 'text'],
    ['Data', 'json'],
  ])
    await made(call('POST', '/fields', { parent_id: datatype_id, label, field_type }))
  const data = JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ _ref: `${i}` })))
  for (let i = 0; i < 12; i++)
    await made(
      call('POST', '/content', { datatype_id, status: 'published', fields: { title: `Post ${i}`, data } }),
    )
}, 120_000)
afterAll(async () => {
  for (const end of ending) await end()
})

async function ask(query: string, params: object = {}, method: 'GET' | 'POST' = 'POST') {
  const at = `${product.url}/compat/sanity/v1/data/query/production`
  const search = new URLSearchParams({ query })
  for (const [name, value] of Object.entries(params)) search.set(`$${name}`, JSON.stringify(value))
  const answer = await fetch(method === 'GET' ? `${at}?${search}` : at, {
    method,
    ...(method === 'GET' ? {} : { body: JSON.stringify({ query, params }) }),
    headers: { 'Content-Type': 'application/json' },
    signal: AbortSignal.timeout(60_000),
  })
  const text = await answer.text()
  const told = answer.status === 200 ? '' : JSON.stringify(JSON.parse(text))
  return { status: answer.status, told, length: text.length, retryAfter: answer.headers.get('retry-after') }
}

/** What others are answered while something is computed. */
async function besides<T>(work: Promise<T>): Promise<{ result: T; healths: number }> {
  let isOver = false
  const watched = work.finally(() => {
    isOver = true
  })
  let healths = 0
  do {
    expect(await healthOf(product)).toBe(200)
    healths++
  } while (!isOver)
  return { result: await watched, healths }
}

/** The most memory that the service itself has ever had, in MiB. */
const peakMemory = () =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${product.pid}/status`, 'utf8'))?.[1]) / 1024

const numbers = Array.from({ length: 12_000 }, (_, i) => i % 1000)
const things = numbers.map(() => ({}))
const members = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, 1]))
const words = 'a '.repeat(14_000)
const doubled = (step: string, times = 38) => `{"a": $s}${step.repeat(times)}`
const long = { s: 'x'.repeat(1000) }
const nested = (open: string, inner: string, close: string, times: number) =>
  open.repeat(times) + inner + close.repeat(times)

/** Each with what it is answered: too much of something, or a query that nobody can read. */
const tooMuch =
  /the query (?:takes longer|needs more|gives too large)|Invalid string length|Maximum call stack/
const unreadable = /Syntax error|nested too deeply|too many parts|longer than|Maximum call stack/
const hostile: [name: string, told: RegExp | 'any', query: string, params?: object, method?: 'GET'][] = [
  [
    'members of an object for each of a list',
    'any',
    'count($l[]{...$o})',
    { l: numbers.slice(0, 4000), o: members },
  ],
  ['objects in objects', tooMuch, doubled('{"a": @, "b": @}'), long],
  ['a text twice as long at each step', tooMuch, doubled('{"a": a + a}'), long],
  ['a text twice as long at each step, in capitals', tooMuch, doubled('{"a": upper(a + a)}'), long],
  ['a list twice as long at each step', tooMuch, `{"a": [1, 2, 3]}${'{"a": [...a, ...a]}'.repeat(38)}`],
  ['lists put together', tooMuch, `{"a": [1, 2, 3]}${'{"a": a + a}'.repeat(38)}`],
  ['words of a text among words of another', 'any', '$m match $p', { m: words, p: words }],
  ['a pattern with many stars', tooMuch, '$m match $p', { m: 'a'.repeat(1000), p: `${'*a'.repeat(200)}b` }],
  ['an order of many values', 'any', 'count($l | order(@) | order(@) | order(@))', { l: numbers }],
  ['an order of values that were made', tooMuch, 'count(($t[]{"x": $t}.x[]) | order(@))', { t: things }],
  [
    'references in large documents',
    'any',
    '*[_type == "post" && references($t[]{"x": "6"}.x)]',
    { t: things },
  ],
  ['a text in single characters', 'any', 'count(string::split($m, ""))', { m: words }],
  [
    'a text longer than the longest',
    tooMuch,
    'length(array::join($t[]{"x": $m}.x, $m))',
    { t: things.slice(0, 6000), m: words },
  ],
  ['all pairs of a list', tooMuch, 'count($l[count($l[count($l[@ > 0]) > 0]) > 0])', { l: numbers }],
  ['all pairs of a list, shown', tooMuch, '$t[]{"a": $t[]{"b": $t}}', { t: things.slice(0, 2000) }],
  ['a result of many parts', tooMuch, '$t[]{"a": $t}', { t: things }],
  ['brackets that are read twice each', /Syntax error|the query takes longer/, 'a.b['.repeat(60)],
  ['the same in an address', /Syntax error|the query takes longer/, 'a.b['.repeat(900), {}, 'GET'],
  ['round brackets', unreadable, nested('(', '1', ')', 3000)],
  ['lists in lists', unreadable, nested('[', '1', ']', 3000)],
  ['objects in objects, written', unreadable, nested('{"a":', '1', '}', 3000)],
  ['negations', unreadable, nested('!', 'true', '', 20_000)],
  ['brackets without an end', unreadable, '['.repeat(40_000)],
  ['a long sum', unreadable, `1${'+1'.repeat(20_000)}`],
  ['a long path', unreadable, `a${'.a'.repeat(20_000)}`],
  ['an object with many members', unreadable, `{${'"a":1,'.repeat(7000)}}`],
  ['scopes further out', unreadable, '^.'.repeat(20_000)],
  ['a text without an end', unreadable, '"'.padEnd(40_000, 'a')],
  ['blanks', unreadable, '*[_type == "post"]'.padEnd(55_000)],
  [
    'functions that call each other twice',
    /takes longer|needs more|too many parts/,
    `fn f::f0($x) = $x{"v": _id}; ${Array.from({ length: 30 }, (_, i) => `fn f::f${i + 1}($x) = $x{"a": f::f${i}(@), "b": f::f${i}(@)}; `).join('')}f::f30({"_id": 1})`,
  ],
  ['powers', 'any', '2 ** 2 ** 2 ** 2 ** 99999'],
  ['references round and round', 'any', `*[_type == "post"]{"x": data[]->{"y": @}}`],
  [
    'queries in queries',
    'any',
    '*[_type == "post"]{"a": *[_type == "post" && title != ^.title]{"b": *[_type == "post" && title == ^.title][0]}}',
  ],
  [
    'all documents, whole, for each of them',
    'any',
    '*[_type == "post"]{"a": *[_type == "post"]{"b": *[_type == "post"]}}',
  ],
  [
    'much in an address',
    'any',
    `*[_type == "post"]{${Array.from({ length: 250 }, (_, i) => `"a${i}": data[]._ref`).join()}}`,
    {},
    'GET',
  ],
  [
    'members of strange names',
    'any',
    '{"__proto__": {"hasOwnProperty": 1}, "constructor": {...$o}}',
    { o: { hasOwnProperty: 1, toString: 2, next: 3 } },
  ],
  ['a parameter of a strange name', 'any', '$hasOwnProperty', { hasOwnProperty: 1 }],
]

it.each(hostile.slice(0, amount(24, hostile.length)))(
  'answers others while it refuses: %s',
  async (_, told, query, params, method) => {
    const { result, healths } = await besides(ask(query, params, method))
    const isAnswered = result.status === 200 && told === 'any'
    if (!isAnswered)
      expect(result).toMatchObject({
        status: 400,
        told: told === 'any' ? expect.any(String) : expect.stringMatching(told),
      })
    expect(result.length).toBeLessThan(17_000_000)
    expect(healths).toBeGreaterThan(0)
  },
)

type Write = (a: string, b: string) => string
const operators = '== != < <= > >= in match && || + - * / % **'.split(' ')
/** Functions by the number of their operands, those that are refused by name among them. */
const functions: readonly [operands: number, names: string][] = [
  [0, 'identity now dateTime::now releases::all sanity::dataset sanity::projectId'],
  [1, 'coalesce count dateTime defined length lower path references round string upper anywhere'],
  [1, 'array::compact array::unique math::avg math::max math::min math::sum pt::text'],
  [1, 'sanity::versionOf sanity::partOfRelease string::lower string::upper text::query'],
  [2, 'array::intersects array::join string::split string::startsWith round coalesce references'],
  [2, 'geo::contains geo::distance geo::intersects geo::latLng documents::get user::attributes'],
]
const pairs: readonly [string, string, object][] = [
  ['$l', '$k', { l: numbers.slice(0, 6000), k: numbers.slice(0, 6000).map(n => -n - 1) }],
  ['$m', '$n', { m: words.slice(0, 14_000).repeat(2), n: 'b '.repeat(14_000) }],
  ['$o', '$l', { o: members, l: numbers.slice(0, 5000) }],
  ['$t[]{"x": $m}.x', '$m', { t: things.slice(0, 6000), m: words.slice(0, 20_000) }],
  ['*[_type == "post"]', '*[_type == "post"].data[]._ref', {}],
]
const expressions: readonly [name: string, write: Write][] = [
  ...operators.map((name): [string, Write] => [name, (a, b) => `${a} ${name} ${b}`]),
  ...functions.flatMap(([operands, names]) =>
    names
      .split(' ')
      .map((name): [string, Write] => [
        `${name}() of ${operands}`,
        (...given) => `${name}(${given.slice(0, operands).join()})`,
      ]),
  ),
  ['order', (a, b) => `count((${a}) | order(@, ${b}))`],
  ['score', (a, b) => `count((${a}) | score(@ match ${b}, boost(@ == ${b}, 2)))`],
  ['select', (a, b) => `select(${a} == ${b} => ${a}, ${b})`],
  ['filter', (a, b) => `count((${a})[@ in ${b}])`],
  ['spread', (a, b) => `[...${a}, ...${b}, {...${a}, ...${b}}]`],
  ['slice', a => `(${a})[-5..1000000000]`],
  ['range', (a, b) => `1 in ${a}..${b}`],
  ['reference', (a, b) => `[(${a})->, (${b})[]->]`],
]

/** How many of the pairs each expression is tried with, others each time. */
const tried = amount(1, pairs.length)

it.each(expressions.map(([name, write], i) => [name, write, i] as const))(
  'answers or refuses %s with the largest operands that fit',
  async (_, write, first) => {
    for (const [a, b, params] of [...pairs, ...pairs].slice(first % pairs.length).slice(0, tried)) {
      const query = write(a, b)
      const { status, told } = await ask(query, params)
      expect([query, status === 200 || status === 400, told]).toEqual([query, true, told])
    }
    expect(await healthOf(product)).toBe(200)
  },
)

it('lets a bounded number of queries wait, and asks the next ones to come back', async () => {
  const slow = () => ask('count($l[count($k[@ > 0]) > 0])', { l: numbers.slice(0, 10), k: numbers })
  const { result, healths } = await besides(Promise.all(Array.from({ length: 40 }, slow)))
  const refused = result.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThanOrEqual(10)
  for (const { retryAfter } of refused) expect(retryAfter).toBe('1')
  for (const { status } of result) expect([200, 400, 503]).toContain(status)
  expect(healths).toBeGreaterThan(3)
  expect((await ask('1 + 1')).status).toBe(200)
}, 120_000)

it('keeps the memory of the service, and the service', async () => {
  expect(peakMemory()).toBeLessThan(400)
  expect(await healthOf(product)).toBe(200)
  expect(product.output()).not.toMatch(/internal server error|heap out of memory/i)
})

it('leaves no computation behind when the service is killed', async () => {
  void ask('$m match $p', { m: 'a'.repeat(1000), p: `${'*a'.repeat(200)}b` }).catch(() => undefined)
  const children = () =>
    readFileSync(`/proc/${product.pid}/task/${product.pid}/children`, 'utf8').split(' ').filter(Boolean)
  await expect.poll(() => children().length).toBeGreaterThan(0)
  const computing = children()
  await product.kill9()
  const isThere = (pid: string) => existsSync(`/proc/${pid}`)
  await expect.poll(() => computing.filter(isThere), { timeout: 180_000 }).toEqual([])
})
