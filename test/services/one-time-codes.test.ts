import { expect, it } from 'vitest'
import {
  newRecoveryCodes,
  newSecret,
  readCode,
  setUpAddress,
  stepOf,
} from '../../src/services/accounts/one-time-codes.js'

/** `12345678901234567890`, the secret of RFC 6238, appendix B. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

it.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('accepts the codes of RFC 6238 for SHA-1, by their last six digits: at %i', async (seconds, code) => {
  const step = Math.floor(seconds / 30)
  expect(await stepOf(secret, code, seconds * 1000)).toBe(step)
  // One step of drift, and no more.
  for (const [drift, found] of [
    ...(seconds < 60 ? [] : ([[-2, undefined]] as const)),
    [-1, step],
    [1, step],
    [2, undefined],
  ] as const)
    expect([drift, await stepOf(secret, code, (seconds + 30 * drift) * 1000)]).toEqual([drift, found])
})

it('finds no step for anything else', async () => {
  for (const code of ['287083', '000000', '999999'])
    expect([code, await stepOf(secret, code, 1_111_111_109_000)]).toEqual([code, undefined])
})

it('reads codes as people type them', () => {
  expect(readCode(' 287 082 ')).toEqual({ digits: '287082' })
  expect(readCode('MFZW-K3TA-OB2G-C5DJ')).toEqual({ recovery: 'mfzwk3taob2gc5dj' })
  for (const typed of [
    '',
    '28708',
    '2870822',
    '２８７０８２',
    'mfzw-k3ta-ob2g-c5d',
    'mfzw-k3ta-ob2g-c5d1',
    'x'.repeat(64),
  ])
    expect([typed, readCode(typed)]).toEqual([typed, undefined])
})

it('makes a secret of 160 bits, its address, and recovery codes of 80 bits', async () => {
  let n = 0
  const random = { bytes: (length: number) => new Uint8Array(length).map(() => n++) }
  const made = await newSecret(random)
  expect(made).toBe('AAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQT')
  expect(await setUpAddress(made, 'Ada: & Co', 'ada@example.com')).toBe(
    `otpauth://totp/${encodeURIComponent('Ada & Co')}:ada%40example.com?secret=${made}&issuer=${encodeURIComponent('Ada & Co')}`,
  )
  const codes = await newRecoveryCodes(random, 10)
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
})
