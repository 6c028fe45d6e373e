import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sandbox } from '../../src/node/sandbox.js'
import { ComputationError } from '../../src/ports.js'

const evaluate = (query: string, params: object = {}) =>
  sandbox.run('groq.read', { query, params }).then(read =>
    sandbox.run('groq.evaluate', {
      ...{ tree: JSON.parse(read).tree, params, lists: {}, documents: [] },
      ...{ now: '2026-01-01T00:00:00.000Z', dataset: 'x' },
    }),
  )
const processes = () =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean)
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    error => (error instanceof ComputationError ? error.reason : error),
  )

it('runs computations one after the other in one process', async () => {
  expect(await evaluate('1 + 1')).toBe('=2')
  const [first] = processes()
  for (let i = 0; i < 20; i++) expect(await evaluate(`${i} * 2`)).toBe(`=${i * 2}`)
  expect(processes()).toContain(first)
})

it('gives the environment of the service to no computation', async () => {
  process.env.SANDBOX_SECRET = 'a secret'
  await evaluate('1')
  const environments = processes().flatMap(pid => {
    try {
      return [readFileSync(`/proc/${pid}/environ`, 'utf8')]
    } catch {
      // A process of an earlier test has ended meanwhile.
      return []
    }
  })
  delete process.env.SANDBOX_SECRET
  expect(environments.length).toBeGreaterThan(0)
  for (const environment of environments) expect(environment).not.toContain('SANDBOX_SECRET')
})

it('ends what takes too long, too much memory, or gives too much, and starts anew', async () => {
  const text = 'x'.repeat(1000)
  const capitals = `{"a": $s}${'{"a": upper(a + a)}'.repeat(38)}`
  const stars = { m: 'a'.repeat(1000), p: `${'*a'.repeat(200)}b` }
  const lists = `{"a": [1, 2, 3]}${'{"a": [...a, ...a]}'.repeat(38)}`
  const parts = `[{},{},{}]{"a": $s, "b": $s, "c": $s}`
  let turns = 0
  const timer = setInterval(() => turns++, 5)
  expect(await reasonOf(evaluate('$m match $p', stars))).toBe('time')
  clearInterval(timer)
  // This process went on meanwhile.
  expect(turns).toBeGreaterThan(20)
  expect(['memory', 'time']).toContain(await reasonOf(evaluate(lists)))
  expect(['memory', 'time', 'refused']).toContain(await reasonOf(evaluate(capitals, { s: text })))
  // A busy machine may not come to the size of it within the time.
  expect(['size', 'time']).toContain(await reasonOf(evaluate(parts, { s: 'x'.repeat(2 ** 20) })))
  expect(await reasonOf(sandbox.run('nothing', {}))).toBe('refused')
  expect(await evaluate('1 + 1')).toBe('=2')
})

it('lets 16 wait, and refuses the next ones', async () => {
  const all = await Promise.all(Array.from({ length: 30 }, () => reasonOf(evaluate('1'))))
  const refused = all.filter(one => one !== 'answered')
  expect(refused.length).toBeGreaterThanOrEqual(10)
  for (const error of refused) expect(error).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
})
