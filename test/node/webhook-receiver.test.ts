import { spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'

const secret = '0123456789abcdef'.repeat(4)
const child = spawn(process.execPath, ['examples/webhook-receiver/receiver.mjs'], {
  env: { WEBHOOK_SECRET: `${secret},the old one of sixteen`, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
afterAll(() => child.kill())
let output = ''
child.stdout.setEncoding('utf8').on('data', text => (output += text))
await once(child.stdout, 'data')
const url = `http://127.0.0.1:${/:(\d+)/.exec(output)?.[1]}/`

const event = () => JSON.stringify({ id: randomUUID(), event: 'content.updated', data: { text: 'ü' } })
const sign = (body: string, by = secret) => createHmac('sha256', by).update(body).digest('hex')
const post = async (body: string, more: Record<string, string> = {}) => {
  const headers = {
    'X-CMS-Signature': sign(body),
    ...more,
  }
  const answer = await fetch(url, { method: 'POST', headers, body })
  return `${answer.status} ${await answer.text()}`
}

it('takes a signed event once', async () => {
  const body = event()
  expect(await post(body)).toBe('200 taken')
  expect(await post(body)).toBe('200 known')
  expect(output.split('\n').filter(line => line === body)).toHaveLength(1)
})

it('takes what was signed with either of its secrets', async () => {
  const body = event()
  expect(await post(body, { 'X-CMS-Signature': sign(body, 'the old one of sixteen') })).toBe('200 taken')
})

it.each([
  ['another secret', () => ({ 'X-CMS-Signature': sign('{}', 'another') }), 401],
  ['the signature of another body', () => ({ 'X-CMS-Signature': sign('{}') }), 401],
  ['half a signature', (body: string) => ({ 'X-CMS-Signature': sign(body).slice(0, 32) }), 401],
  ['no signature', () => ({ 'X-CMS-Signature': '' }), 401],
])('refuses %s', async (_, more, status) => {
  const body = event()
  expect(await post(body, more(body))).toMatch(new RegExp(`^${status} `))
  expect(output).not.toContain(body)
})

it('refuses other methods', async () => {
  expect((await fetch(url)).status).toBe(405)
})

it('is the same file in the example site, which can be copied alone', () => {
  const [own, copied] = ['webhook-receiver', 'eleventy'].map(name =>
    readFileSync(`examples/${name}/receiver.mjs`, 'utf8'),
  )
  expect(copied).toBe(own)
})
