import { expect, it, onTestFinished, vi } from 'vitest'
import { LineOutput, type Sink } from '../../src/node/log.js'

/** A sink whose every answer is the test's. */
function sinkOfTest() {
  const texts: string[] = []
  let done: Parameters<Sink>[1] | undefined
  return {
    texts,
    sink: ((bytes, answer) => {
      texts.push(bytes.toString())
      done = answer
    }) as Sink,
    take: (count = Number.POSITIVE_INFINITY) => done?.(null, count),
    fail: (code: string) => done?.(Object.assign(new Error(code), { code }), 0),
  }
}

const output = (sink: Sink) =>
  new LineOutput({ sink, maxBytes: 100, batchBytes: 20, droppedLine: count => `dropped ${count}\n` })

function withTimers(): void {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

it('writes lines in their order, together, and what is little after a second', () => {
  withTimers()
  const { sink, texts, take } = sinkOfTest()
  const log = output(sink)
  log.write('one\n')
  log.write('two\n')
  expect(texts).toEqual([])
  vi.advanceTimersByTime(1000)
  expect(texts).toEqual(['one\ntwo\n'])
  log.write('three\n')
  take()
  vi.advanceTimersByTime(1000)
  expect(texts).toEqual(['one\ntwo\n', 'three\n'])
})

it('goes on where the sink took only a part', () => {
  withTimers()
  const { sink, texts, take } = sinkOfTest()
  output(sink).write('0123456789 0123456789\n')
  vi.advanceTimersByTime(1000)
  take(15)
  expect(texts).toEqual(['0123456789 0123456789\n', '456789\n'])
})

it('holds no more than its bound while nobody takes lines, and then says how many it dropped', () => {
  withTimers()
  const { sink, texts, take } = sinkOfTest()
  const log = output(sink)
  for (let i = 0; i < 1000; i++) log.write(`line ${i % 10}...\n`)
  vi.advanceTimersByTime(60_000)
  expect(texts).toHaveLength(1)
  take()
  vi.advanceTimersByTime(1000)
  take()
  const lines = texts.join('').split('\n').slice(0, -1)
  const dropped = lines.filter(line => line.startsWith('dropped'))
  expect(dropped).toEqual([`dropped ${1000 - (lines.length - 1)}`])
  expect(texts.join('').length).toBeLessThan(300)
})

it('tries again when the sink says that it is not ready', () => {
  withTimers()
  const { sink, texts, fail, take } = sinkOfTest()
  output(sink).write('one\n')
  vi.advanceTimersByTime(1000)
  fail('EAGAIN')
  expect(texts).toEqual(['one\n'])
  vi.advanceTimersByTime(1000)
  expect(texts).toEqual(['one\n', 'one\n'])
  take()
  vi.advanceTimersByTime(5000)
  expect(texts).toHaveLength(2)
})

it('counts what a full device did not take, and reports it when there is room', () => {
  withTimers()
  const { sink, texts, fail } = sinkOfTest()
  const log = output(sink)
  log.write('one\n')
  vi.advanceTimersByTime(1000)
  fail('ENOSPC')
  log.write('two\n')
  vi.advanceTimersByTime(2000)
  expect(texts).toEqual(['one\n', 'dropped 1\ntwo\n'])
})

it('writes nothing more when the reader has gone, and keeps nothing', async () => {
  withTimers()
  const { sink, texts, fail } = sinkOfTest()
  const log = output(sink)
  log.write('one\n')
  vi.advanceTimersByTime(1000)
  const flushed = log.flush(5000)
  fail('EPIPE')
  await flushed
  log.write('two\n')
  vi.advanceTimersByTime(60_000)
  await log.flush(5000)
  expect(texts).toEqual(['one\n'])
})

it('flushes at once, and waits for a sink no longer than it is told', async () => {
  withTimers()
  const { sink, texts, take } = sinkOfTest()
  const log = output(sink)
  log.write('one\n')
  const first = log.flush(1000)
  expect(texts).toEqual(['one\n'])
  take()
  await first
  log.write('two\n')
  let ended = false
  const second = log.flush(1000).then(() => {
    ended = true
  })
  await vi.advanceTimersByTimeAsync(999)
  expect(ended).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await second
  expect(texts).toEqual(['one\n', 'two\n'])
})
