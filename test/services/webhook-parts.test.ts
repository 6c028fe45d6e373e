import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { OriginLimits } from '../../src/services/webhooks/origin-limits.js'
import { askedWait, problemOf, signingSecrets } from '../../src/services/webhooks/request.js'
import { signature, standardKey, standardSignature } from '../../src/services/webhooks/signature.js'
import {
  abandon,
  columnsOf,
  fail,
  requeue,
  stateOf,
  succeed,
  waitAfter,
} from '../../src/services/webhooks/states.js'

const now = Date.UTC(2026, 10, 21, 12)
const at = (milliseconds: number) => new Date(now + milliseconds).toISOString()
const minute = 60_000
const delays = [minute, 5 * minute, 30 * minute]
const backoff = { maxAttempts: 3, delays, chance: 0 }
const pending = { status: 'pending', attempts: 0 } as const

describe('a delivery', () => {
  it('moves through its states', () => {
    expect(succeed(pending, now)).toEqual({ status: 'success', attempts: 1, completed_at: at(0) })
    const once = fail(pending, now, backoff)
    expect(once).toEqual({ status: 'retrying', attempts: 1, next_retry_at: at(minute) })
    if (once.status !== 'retrying') throw new Error('it has failed')
    const twice = fail(once, now, backoff)
    expect(twice).toEqual({ status: 'retrying', attempts: 2, next_retry_at: at(5 * minute) })
    if (twice.status !== 'retrying') throw new Error('it has failed')
    expect(succeed(twice, now)).toEqual({ status: 'success', attempts: 3, completed_at: at(0) })
    const thrice = fail(twice, now, backoff)
    expect(thrice).toEqual({ status: 'failed', attempts: 3, completed_at: at(0) })
    if (thrice.status !== 'failed') throw new Error('it has not failed')
    expect(requeue(thrice)).toEqual(pending)
    expect(abandon(twice, now)).toEqual({ status: 'failed', attempts: 2, completed_at: at(0) })
    expect(fail(pending, now, { ...backoff, maxAttempts: 1 }).status).toBe('failed')
  })

  it.each([
    [1, minute],
    [2, 5 * minute],
    [3, 30 * minute],
    [4, 30 * minute],
    [99, 30 * minute],
  ])('waits after attempt %i for %i ms', (attempt, wait) => {
    expect(waitAfter(attempt, backoff)).toBe(wait)
    expect(waitAfter(attempt, { ...backoff, chance: 1 })).toBe(Math.round(wait * 1.1))
  })

  it.each([
    [1000, minute],
    [2 * minute, 2 * minute],
    [3_600_000, 3_600_000],
    [1e12, 3_600_000],
  ])('waits longer when it is asked to, up to an hour: %i', (asked, wait) => {
    expect(waitAfter(1, { ...backoff, asked })).toBe(wait)
  })

  it('says in its row what its state is, and when to look at it', () => {
    for (const [state, due] of [
      [pending, at(0)],
      [{ status: 'retrying', attempts: 1, next_retry_at: at(minute) }, at(minute)],
      [{ status: 'success', attempts: 1, completed_at: at(0) }, null],
      [{ status: 'failed', attempts: 3, completed_at: at(0) }, null],
    ] as const) {
      const columns = columnsOf(state, now)
      expect([state.status, columns.due_at, columns.leased_by]).toEqual([state.status, due, null])
      const { status, attempts, next_retry_at = null, completed_at = null } = columns
      expect(stateOf({ status, attempts, next_retry_at, completed_at })).toEqual(state)
    }
  })
})

const answered = (status: number, retryAfter: string | null = null) =>
  ({ kind: 'answered', status, retryAfter, body: new Uint8Array() }) as const

it.each([
  [answered(429, '120'), 120_000],
  [answered(503, ' 7 '), 7000],
  [answered(503, new Date(now + 90_000).toUTCString()), 90_000],
  [answered(503, new Date(now - 90_000).toUTCString()), 0],
  [answered(503, 'soon'), undefined],
  [answered(503, '-5'), 0],
  [answered(503), undefined],
  [answered(500, '120'), undefined],
  [{ kind: 'refused' } as const, undefined],
])('hears Retry-After: %j', (posted, wait) => {
  const heard = askedWait(posted, now)
  // A date that a parser makes of "-5" is long over.
  expect(heard).toBe(wait)
})

it.each([
  [answered(200), undefined],
  [answered(299), undefined],
  [answered(302), 'the receiver responded with 302: redirects are not followed'],
  [answered(404), 'the receiver responded with 404'],
  [{ kind: 'broken', status: 200, reason: 'why' } as const, 'why'],
])('takes 2xx and nothing else: %j', (posted, problem) => {
  expect(problemOf(posted)).toBe(problem)
})

describe('signatures', () => {
  const body = new TextEncoder().encode('{"id":"ü 👋"}')
  it.each(['a secret of sixteen', 'ä secret 漢字', '0'.repeat(64)])(
    'of the document, with %s',
    async secret => {
      expect(await signature(secret, body)).toBe(createHmac('sha256', secret).update(body).digest('hex'))
    },
  )

  it.each([
    ['a generated secret, as it is', '0123456789abcdef'.repeat(4), undefined],
    ['a secret of its own making', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', undefined],
    [
      'any other text, as base64 of it',
      'a secret of sixteen',
      Buffer.from('a secret of sixteen').toString('base64'),
    ],
    ['one with its prefix', 'whsec_not base64!', Buffer.from('whsec_not base64!').toString('base64')],
  ])('of Standard Webhooks are taken by its verifier with %s', async (_, secret, given) => {
    const seconds = Math.floor(Date.now() / 1000)
    const header = await standardSignature(secret, { id: 'msg_1', seconds, body })
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': header,
    }
    const verifier = new Webhook(given ?? secret)
    expect(verifier.verify(Buffer.from(body), headers)).toEqual({ id: 'ü 👋' })
    expect(() => verifier.verify('{}', headers)).toThrow('No matching signature')
  })

  it('have a key of their own in each case', () => {
    expect(standardKey('whsec_AAEC')).toEqual(new Uint8Array([0, 1, 2]))
    expect(standardKey('AAEC')).toEqual(new Uint8Array([0, 1, 2]))
    expect(standardKey('AAE')).toEqual(new TextEncoder().encode('AAE'))
    expect(standardKey('whsec_')).toEqual(new TextEncoder().encode('whsec_'))
  })

  it('are made with the secret before a rotation too, until its time is over', () => {
    const webhook = { secret: 'new', previous_secret: 'old', previous_secret_until: at(1000) }
    const secrets = (more: object, when: number) =>
      signingSecrets({ ...webhook, ...more } as Parameters<typeof signingSecrets>[0], when)
    expect(secrets({}, now)).toEqual(['new', 'old'])
    expect(secrets({}, now + 1000)).toEqual(['new'])
    expect(secrets({ previous_secret: null, previous_secret_until: null }, now)).toEqual(['new'])
  })
})

describe('origins', () => {
  const url = (n: number) => `https://r${n}.example/hook`
  it('get half of the workers each, by origin', () => {
    const limits = new OriginLimits(4)
    const batch = limits.batch()
    expect([1, 1, 1, 2].map(n => batch.tryAcquire(url(n)))).toEqual([true, true, false, true])
    const release = limits.acquire('https://r1.example')
    expect([1, 1].map(() => limits.batch().tryAcquire('https://R1.example:443/other'))).toEqual([true, true])
    limits.acquire('https://r1.example')
    expect(limits.batch().tryAcquire(url(1))).toBe(false)
    release()
    expect(limits.batch().tryAcquire(url(1))).toBe(true)
  })

  it('work with one worker', () => {
    const batch = new OriginLimits(1).batch()
    expect([batch.tryAcquire(url(1)), batch.tryAcquire(url(1))]).toEqual([true, false])
  })
})
