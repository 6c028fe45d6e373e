import { expect, it, onTestFinished } from 'vitest'
import { migratedDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'

it('no start makes an administrator whose password can be guessed, and the next one may', async () => {
  const { address, drop } = await migratedDatabase()
  onTestFinished(drop)
  const start = (password: string) =>
    startProduct(address, { env: { CMS_ADMIN_EMAIL: 'root@site.example', CMS_ADMIN_PASSWORD: password } })
  for (const [password, problem] of [
    ['short', 'must have at least 8 characters'],
    ['Password123', 'is one of the most common passwords'],
    ['root2024!', 'must not be made of the e-mail address, the username or the name'],
  ] as const)
    await expect(start(password)).rejects.toThrow(
      `the product ended with 1: slugline: CMS_ADMIN_PASSWORD: ${problem}\n`,
    )
  const { url, stop } = await start('a good one for once')
  const body = JSON.stringify({ email: 'root@site.example', password: 'a good one for once' })
  const headers = { 'Content-Type': 'application/json' }
  expect((await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body })).status).toBe(200)
  // Who is there stays there, whatever the environment says later.
  await stop()
  await start('password')
})
