import { expect, it } from 'vitest'
import { type Caller, type TestApp, testApp } from '../support/app.js'
import { type Step, stagedSteps, steps } from './identity-steps.js'

const live = await testApp({ webhook_enabled: true, i18n_enabled: true })
const staged = await testApp({ webhook_enabled: true, publish_mode: 'staged', readers_see_drafts: false })

/** Ids and times are replaced by the order of their first appearance. */
function masker() {
  const seen = new Map<string, string>()
  const nth = (kind: string) => (found: string) => {
    const known =
      seen.get(found) ??
      `<${kind} ${[...seen.values()].filter(name => name.startsWith(`<${kind} `)).length + 1}>`
    seen.set(found, known)
    return known
  }
  return (text: string): string =>
    text
      .replaceAll(/"(?:etag|ETag)":"[^"]*"/g, '"etag":"<etag>"')
      .replaceAll(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, nth('id'))
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g, '<time>')
      .replaceAll(/\b\d{15}\b/g, nth('number'))
}

/** Puts what earlier answers gave into `$name`. */
const fill = (text: string, found: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\$(\w+)/g, (whole, name: string) => found.get(name) ?? whole)

const shownHeaders = ['allow', 'cache-control', 'content-type', 'location', 'retry-after', 'x-total-count']

/** What `Cache-Control` says of every answer of the API: test/api/cache-headers.test.ts. */
const usual: readonly string[] = ['no-store', 'private, no-cache']

/** Every answer, audit event and delivery that the steps leave. */
async function transcript(app: TestApp, steps: readonly Step[]): Promise<string> {
  await app.subscribe()
  const mask = masker()
  const found = new Map<string, string>(Object.entries(app.users))
  const lines: string[] = []
  for (const [i, step] of steps.entries()) {
    app.clock.advance(1000)
    const { as = 'admin', call, body, headers, keep } = step satisfies Step
    const [method = '', path = ''] = call.split(' ')
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await app.call(method, fill(path, found), {
      as: as as Caller,
      ...(text === undefined ? {} : { body: fill(text, found) }),
      ...(headers ? { headers } : {}),
    })
    for (const [name, member] of Object.entries(keep ?? {})) found.set(name, String(answer.body?.[member]))
    const shown = shownHeaders
      .map(name => answer.headers.get(name))
      .filter(value => value !== null && !usual.includes(value))
    lines.push(mask(`${i + 1}. ${as} ${call} -> ${answer.status} [${shown.join('; ')}]\n${answer.text}`))
  }
  const audits = (await app.audits()).map(({ request_id, ...event }) => mask(JSON.stringify(event)))
  const deliveries = (await app.deliveries()).map(delivery => mask(JSON.stringify(delivery)))
  return `${[...lines, '# audit events', ...audits, '# deliveries', ...deliveries].join('\n')}\n`
}

it('answers the same on every engine, byte for byte', async () => {
  expect(steps.length).toBeGreaterThanOrEqual(150)
  await expect(await transcript(live, steps)).toMatchFileSnapshot('./identity.golden.txt')
})

it('and where changes wait for the next publish', async () => {
  await expect(await transcript(staged, stagedSteps)).toMatchFileSnapshot('./identity-staged.golden.txt')
})
