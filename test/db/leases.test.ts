import { expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { HttpError } from '../../src/errors.js'
import { endLease, takeLease } from '../../src/services/operation/leases.js'
import { testApp } from '../support/app.js'

const { db } = await testApp()

it('gives a lease to one at a time, however many try', async () => {
  const until = '2999-01-01T00:00:00.000Z'
  const name = 'work'
  const holders = Array.from({ length: 8 }, (_, i) => `holder ${i}`)
  let [now, most, times] = [0, 0, 0]
  const compete = async (holder: string) => {
    for (let round = 0; round < 40; round++) {
      const taken = await db
        .write(systemActor, tx => takeLease(tx, { name, holder, until }))
        .catch(error => {
          if (error instanceof HttpError && [409, 503].includes(error.status)) return false
          throw error
        })
      if (!taken) continue
      times++
      most = Math.max(most, ++now)
      await new Promise(done => setTimeout(done, 1))
      now--
      await db.write(systemActor, tx => endLease(tx, { name, holder }))
    }
  }
  await Promise.all(holders.map(compete))
  expect(most).toBe(1)
  expect(times).toBeGreaterThan(10)
})

it('leaves a lease to whoever took it over', async () => {
  const write = (holder: string, until: string) =>
    db.write(systemActor, tx => takeLease(tx, { name: 'late', holder, until }))
  expect(await write('slow', '2000-01-01T00:00:00.000Z')).toBe(true)
  expect(await write('next', '2999-01-01T00:00:00.000Z')).toBe(true)
  await db.write(systemActor, tx => endLease(tx, { name: 'late', holder: 'slow' }))
  expect(await write('third', '2999-01-01T00:00:00.000Z')).toBe(false)
})
