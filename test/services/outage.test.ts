import { expect, it, vi } from 'vitest'
import { Outage } from '../../src/db/outage.js'
import { DatabaseAwayError, notFound } from '../../src/errors.js'
import type { Log } from '../../src/ports.js'

function outage() {
  const lines: string[] = []
  const write = (_: object, message: string) => void lines.push(message)
  const log: Log = { debug: write, info: write, warn: write, error: write }
  return { self: new Outage(log), lines }
}
const never = new Promise<never>(() => undefined)
const answers = async () => 1
const refuses = async () => {
  throw new Error('refused')
}

it('begins when a question fails twice, and ends with the next answer', async () => {
  const { self, lines } = outage()
  const ended = vi.fn()
  self.onEnd(ended)
  // One connection is broken; the next is not.
  let asked = 0
  expect(await self.ask(() => (asked++ === 0 ? refuses() : answers()))).toBe(true)
  expect([self.isOn, asked, lines]).toEqual([false, 2, []])
  expect(await self.ask(refuses)).toBe(false)
  expect(self.isOn).toBe(true)
  await self.ask(refuses)
  expect(lines).toHaveLength(1)
  expect(await self.ask(answers)).toBe(true)
  expect([self.isOn, lines.length, ended.mock.calls.length]).toEqual([false, 2, 1])
})

it('begins when a question has no answer for a second, and puts no other meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const { self } = outage()
    void self.ask(() => never)
    const second = vi.fn(answers)
    await self.ask(second)
    expect(self.isOn).toBe(false)
    vi.advanceTimersByTime(1001)
    await self.ask(second)
    expect([self.isOn, second.mock.calls.length]).toEqual([true, 0])
  } finally {
    vi.useRealTimers()
  }
})

it('gives what was last known, at once and to those who wait already', async () => {
  const { self } = outage()
  const read = vi.fn(async () => 'read')
  expect(await self.outlived(read, () => 'known')).toBe('read')
  const waiting = self.outlived(
    () => never,
    () => 'known',
  )
  await self.ask(refuses)
  expect(await waiting).toBe('known')
  expect(await self.outlived(read, () => 'known')).toBe('known')
  expect(read).toHaveBeenCalledTimes(1)
})

it('refuses at once what is not known while the database refuses', async () => {
  const { self } = outage()
  await self.ask(refuses)
  const read = vi.fn(async () => 'read')
  await expect(self.outlived(read, () => undefined)).rejects.toBeInstanceOf(DatabaseAwayError)
  expect(read).not.toHaveBeenCalled()
})

it('gives what was last known for a read that fails before the outage is known, and for no other failure', async () => {
  const { self } = outage()
  const fails = (error: Error) => async () => {
    throw error
  }
  expect(await self.outlived(fails(new DatabaseAwayError()), () => 'known')).toBe('known')
  await expect(self.outlived(fails(new DatabaseAwayError()), () => undefined)).rejects.toThrow('respond')
  await expect(self.outlived(fails(notFound()), () => 'known')).rejects.toThrow('not found')
})
