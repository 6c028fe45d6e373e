import { expect, it } from 'vitest'
import type { Log } from '../../src/ports.js'
import { background } from '../../src/services/operation/jobs.js'

function noted() {
  const lines: string[] = []
  const write = (fields: object, message: string) => void lines.push(`${message} ${Object.keys(fields)}`)
  const log: Log = { debug: write, info: write, warn: write, error: write }
  return { lines, log }
}

it('runs four jobs at a time, and those that are added meanwhile too', async () => {
  const { lines, log } = noted()
  const jobs = background(log)
  let [now, most, done] = [0, 0, 0]
  const job = async () => {
    most = Math.max(most, ++now)
    await new Promise(resolve => setImmediate(resolve))
    now--
    if (++done === 10) jobs.later('one more', job)
  }
  for (let i = 0; i < 10; i++) jobs.later('a job', job)
  await jobs.settle()
  expect([most, now, done, lines]).toEqual([4, 0, 11, []])
})

it('notes a job that fails and goes on', async () => {
  const { lines, log } = noted()
  const jobs = background(log)
  let done = false
  jobs.later('the first', async () => {
    throw new Error('no')
  })
  jobs.later('the second', async () => {
    done = true
  })
  await jobs.settle()
  expect([lines, done]).toEqual([['the first failed err'], true])
})

it('drops what comes when a thousand wait, and says so', async () => {
  const { lines, log } = noted()
  const jobs = background(log)
  let done = 0
  const count = async () => void done++
  const gates: (() => void)[] = []
  // Four hold every place until the queue is full.
  for (let i = 0; i < 4; i++) jobs.later('a gate', () => new Promise(resolve => void gates.push(resolve)))
  for (let i = 0; i < 1002; i++) jobs.later('a job', count)
  await new Promise(resolve => setImmediate(resolve))
  expect(lines).toEqual(Array(2).fill('too many jobs are waiting: one was dropped what'))
  expect(done).toBe(0)
})
