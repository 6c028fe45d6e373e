import { expect, it } from 'vitest'
import { progressLine, progressText, stepOfArchive } from '../../src/cli/progress.js'

it.each([
  [
    { doing: 'restore', of: 'records', done: 0, total: 100 },
    0,
    'restore: 0 of 100 records [                    ]',
  ],
  [
    { doing: 'restore', of: 'records', done: 5000, total: 20_001 },
    10_000,
    'restore: 5,000 of 20,001 records [####                ] 500/s, 31 s left',
  ],
  [
    { doing: 'restore', of: 'records', done: 20_001, total: 20_001 },
    40_000,
    'restore: 20,001 of 20,001 records [####################] 500/s',
  ],
  [{ doing: 'backup', of: 'records', done: 30, total: undefined }, 6000, 'backup: 30 records 5.0/s'],
  [
    { doing: 'backup', of: 'records', done: 10, total: 100, isAbout: true },
    100_000,
    'backup: 10 of about 100 records [##                  ] 0.1/s, 15 min left',
  ],
  // More than the last time.
  [
    { doing: 'backup', of: 'records', done: 200, total: 100, isAbout: true },
    1000,
    'backup: 200 records 200/s',
  ],
])('T21: one line says how far, how fast and how long: %j after %i ms', (step, ms, text) => {
  expect(progressText(step, ms)).toBe(text)
})

it('T21: the line changes in place, a new phase begins a new one, and a pipe gets none', () => {
  let [at, out] = [0, '']
  const io = {
    isInteractive: true,
    writeError(text: string) {
      out += text
    },
  }
  const line = progressLine(io, () => at)
  line.draw(stepOfArchive('verify', { records: 10, recordsInAll: 20, media: 0, mediaInAll: 2 }))
  at = 50
  line.draw(stepOfArchive('verify', { records: 15, recordsInAll: 20, media: 0, mediaInAll: 2 }))
  at = 1050
  line.draw(stepOfArchive('verify', { records: 20, recordsInAll: 20, media: 0, mediaInAll: 2 }))
  line.draw(stepOfArchive('verify', { records: 20, recordsInAll: 20, media: 1, mediaInAll: 2 }))
  line.end()
  line.end()
  expect(out.split('\n').map(row => row.split('\r').filter(Boolean))).toEqual([
    [
      'verify: 10 of 20 records [##########          ]',
      'verify: 20 of 20 records [####################] 19/s',
    ],
    ['verify of media: 1 of 2 files [##########          ]'],
    [],
  ])
  out = ''
  const piped = progressLine({ ...io, isInteractive: false }, () => at)
  piped.draw({ doing: 'restore', of: 'records', done: 1, total: 2 })
  piped.end()
  expect(out).toBe('')
})
