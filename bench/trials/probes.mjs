// What is watched beside the load: schedules, settings and permissions at all instances, the sign-in limit.
import { setTimeout as sleep } from 'node:timers/promises'
import { caller, must } from './product.mjs'

/** Settings and permissions must be at every instance after this long. */
const everywhereMs = 1000
const triesAtOnce = 30

/** Whether an instance has answered: one that was killed, or whose database is away, has not. */
const hasAnswered = ({ status }) => status !== 0 && status < 500

/** Plans publications over the whole time. @returns when each was public */
export async function watchPlans({ site, front, seconds }) {
  const began = Date.now() + 3000
  const api = caller(front, { Cookie: site.cookie })
  const last = began + seconds * 1000
  const plans = await Promise.all(
    site.plans.map(async ({ slug, id }, i) => {
      const at = began + (i * (seconds - 15) * 1000) / site.plans.length
      const body = { content_data_id: id, publish_at: new Date(at).toISOString() }
      const { status } = await api('POST', '/api/v1/content/schedule', body)
      const plan = { slug, id, at, isPlanned: status === 200, seen: undefined }
      await sleep(Math.max(0, at - 1000 - Date.now()))
      // The last ones may be late.
      while (plan.seen === undefined && Date.now() < last + 15_000) {
        const from = Date.now()
        const { status } = await caller(front)('GET', `${slug}?format=clean`)
        // It was public at some moment between the two.
        if (status === 200) Object.assign(plan, { seen: from, answered: Date.now() })
        else await sleep(50)
      }
      return plan
    }),
  )
  return plans
}

/** Asks one instance until it answers as expected, or the time is over. Without the database it cannot know a change. */
async function follow(ask, expected, into, isAway) {
  const from = performance.now()
  const began = Date.now()
  for (;;) {
    const asked = performance.now()
    const answer = await ask()
    if (answer.status === expected) {
      into.ms.push(asked - from)
      return
    }
    if (asked - from > everywhereMs) {
      if (hasAnswered(answer) && !isAway(began)) into.late++
      return
    }
    await sleep(20)
  }
}

/**
 * Changes a setting and a permission again and again through the balancer, and asks every instance.
 * @param windows when the database had no writer
 */
export async function watchSettings({ site, front, urls, isOver, windows }) {
  const found = { settings: { ms: [], late: 0 }, permissions: { ms: [], late: 0 } }
  const api = caller(front, { Cookie: site.cookie })
  const retried = async (...args) => {
    for (;;) {
      const [method, path, body] = args
      const key = method === 'POST' ? { 'Idempotency-Key': path } : {}
      const answer = await api(method, path, body, key)
      // 409: the process that had begun it was killed.
      if (hasAnswered(answer) && answer.status !== 409) return must(async () => answer)(...args)
      await sleep(200)
    }
  }
  const { role_id } = await retried('POST', '/api/v1/roles', { label: 'tester' })
  const permissions = await retried('GET', '/api/v1/permissions')
  const { permission_id } = permissions.find(({ label }) => label === 'users:read')
  const account = { email: 'tess@example.com', password: 'a long enough word 27' }
  await retried('POST', '/api/v1/users', { ...account, username: 'tess', name: 'Tess', role: role_id })
  const signIn = () =>
    caller(front)('POST', '/api/v1/auth/login', account, { 'X-Forwarded-For': '10.98.0.1' })
  let signedIn = await signIn()
  for (; !hasAnswered(signedIn); signedIn = await signIn()) await sleep(200)
  const Cookie = signedIn.headers.get('set-cookie').split(';')[0]
  const isAway = since => windows.some(({ from, to }) => from < Date.now() && to > since)
  const everywhere = (into, expected, path, headers = {}) =>
    Promise.all(
      urls.map(url => follow(() => caller(url, headers, 2000)('GET', path), expected, into, isAway)),
    )
  for (let isOn = false; !isOver(); isOn = !isOn) {
    const set = await api('PUT', '/api/v1/config', { robots_enabled: isOn })
    if (set.status === 200) await everywhere(found.settings, isOn ? 200 : 404, '/robots.txt')
    const given = await api('POST', '/api/v1/role-permissions', { role_id, permission_id })
    if (given.status === 201) {
      await everywhere(found.permissions, 200, '/api/v1/users', { Cookie })
      const path = `/api/v1/role-permissions/?q=${given.json.role_permission_id}`
      const taken = await api('DELETE', path)
      if (taken.status < 300 && taken.status > 0)
        await everywhere(found.permissions, 403, '/api/v1/users', { Cookie })
      else await takeAll(retried, role_id)
    } else await takeAll(retried, role_id)
    await sleep(1000)
  }
  return found
}

/** Takes what a role may have been given by a request without an answer. */
async function takeAll(retried, role_id) {
  for (const one of await retried('GET', '/api/v1/role-permissions'))
    if (one.role_id === role_id)
      await retried('DELETE', `/api/v1/role-permissions/?q=${one.role_permission_id}`).catch(() => undefined)
}

/** Tries wrong passwords from one address at all instances at once, every fifth of the time. */
export async function watchLimits({ urls, isOver, seconds }) {
  const found = { passed: [], tried: [] }
  for (let round = 0; !isOver(); round++) {
    const from = { 'X-Forwarded-For': `10.99.0.${round}` }
    const body = { email: 'nobody@example.com', password: 'wrong wrong wrong' }
    const answers = await Promise.all(
      Array.from({ length: triesAtOnce }, (_, i) =>
        caller(urls[i % urls.length])('POST', '/api/v1/auth/login', body, from),
      ),
    )
    found.tried.push(answers.filter(hasAnswered).length)
    found.passed.push(answers.filter(({ status }) => status === 401).length)
    await sleep(seconds * 200)
  }
  return found
}
