import { hash } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { unavailable } from '../../src/errors.js'
import { nodeHashing } from '../../src/node/ports.js'
import { testApp } from '../support/app.js'

/** A hash that costs next to nothing to compare: its parameters are part of it. */
const cheap = await hash('right', { memoryCost: 8, timeCost: 1, parallelism: 1 })
const room = 4 + 64

describe('password hashing', () => {
  it('lets 64 wait and refuses the next with 503, whether it hashes or compares', async () => {
    const taken = Array.from({ length: room }, (_, i) =>
      nodeHashing.verifyPassword(cheap, i % 2 ? 'right' : 'wrong'),
    )
    const refused = {
      status: 503,
      code: 'unavailable',
      message: 'too many sign-ins at once, try again',
      headers: { 'Retry-After': '1' },
    }
    await expect(nodeHashing.verifyPassword(cheap, 'right')).rejects.toMatchObject(refused)
    await expect(nodeHashing.password('right')).rejects.toMatchObject(refused)
    expect(await Promise.all(taken)).toEqual(taken.map((_, i) => i % 2 === 1))
    expect(await nodeHashing.verifyPassword(cheap, 'right')).toBe(true)
  })

  it('has room again after what fails', async () => {
    const broken = Array.from({ length: room }, () => nodeHashing.verifyPassword('no hash', 'right'))
    expect(new Set(await Promise.all(broken))).toEqual(new Set([false]))
    expect(await nodeHashing.verifyPassword(cheap, 'right')).toBe(true)
  })
})

it('answers known and unknown users alike while too many wait, and alike afterwards', async () => {
  let full = true
  const compared: boolean[] = []
  const whenRoom = <T>(work: () => Promise<T>) =>
    full ? Promise.reject(unavailable('too many sign-ins at once, try again')) : work()
  const { call } = await testApp(
    {},
    {
      hashing: {
        ...nodeHashing,
        // The administrator's is made at the start, when nobody waits.
        password: password =>
          password === 'correct horse' ? Promise.resolve(cheap) : whenRoom(async () => cheap),
        verifyPassword: (stored, password) =>
          whenRoom(async () => {
            compared.push(stored === cheap)
            return nodeHashing.verifyPassword(stored, password)
          }),
      },
    },
  )
  const tries = async () => {
    const answers = []
    for (const email of ['admin@example.com', 'nobody@example.com', 'nobody@example.com']) {
      const body = { email, password: 'wrong' }
      const { status, body: said, headers } = await call('POST', '/api/v1/auth/login', { as: 'nobody', body })
      answers.push([status, said, headers.get('retry-after')])
    }
    return answers
  }
  expect(await tries()).toEqual(
    Array(3).fill([503, { error: 'too many sign-ins at once, try again', code: 'unavailable' }, '1']),
  )
  full = false
  expect(await tries()).toEqual(
    Array(3).fill([401, { error: 'wrong e-mail or password', code: 'wrong_credentials' }, null]),
  )
  expect(compared).toEqual([true, true, true])
})
