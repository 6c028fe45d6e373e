// Three instances on one database under mixed load: one is killed every ten seconds, the database's writer twice, two
// clocks are minutes off, and all instances are upgraded one after the other in the middle.
import { setTimeout as sleep } from 'node:timers/promises'
import { spread } from './judgement.mjs'
import { load, lostOf, prepare } from './load.mjs'
import { watchLimits, watchPlans, watchSettings } from './probes.mjs'
import { caller, cli, instance, receiver, store } from './product.mjs'
import { say, siteBalancer, until } from './programs.mjs'

const killEveryMs = 10_000
/** The second and third instance's clocks. */
const clocks = [0, 300, -300]

/** A start fails while the database has no writer. */
const mostStarts = 60

/** Keeps an instance running: it is started again whenever it ends, as a service manager does. */
function keeper(one, killed) {
  const self = { one, isUp: false, isAway: false, script: undefined, stopped: false, pages: [] }
  // Memory has what was read once: a balancer sends requests as soon as an instance is ready.
  self.warm = () => Promise.all(self.pages.map(({ slug }) => caller(one.url)('GET', `${slug}?format=clean`)))
  self.start = async () => {
    self.isUp = false
    for (let tries = 0; !self.stopped; tries++) {
      if (tries === mostStarts) throw new Error(`${one.name} does not start`)
      one.start(self.script)
      const began = performance.now()
      const isReady = await one.ready(60_000).then(
        () => true,
        error => {
          say(`${one.name} starts again: ${error.message.trim().split('\n').at(-1).slice(0, 200)}`)
          return false
        },
      )
      if (isReady) {
        killed.push(performance.now() - began)
        await self.warm()
        self.isUp = true
        return
      }
      await one.kill()
      await sleep(1000)
    }
  }
  return self
}

async function killInstances(keepers, { isOver, kills }) {
  while (!isOver()) {
    await sleep(killEveryMs)
    // Without another that runs, the site is down by the trial's own doing.
    const victim = () => keepers.toSorted((a, b) => a.kills - b.kills).find(one => one.isUp && !one.isAway)
    while (!isOver() && keepers.filter(one => one.isUp).length < 2) await sleep(200)
    const one = victim()
    if (isOver() || !one) continue
    one.kills++
    one.isUp = false
    kills.push(performance.now())
    await one.one.kill('SIGKILL')
    void one.start()
  }
}

/** Stops each in turn and starts the new version when the others are ready. */
async function upgrade(keepers) {
  for (const self of keepers) {
    await until('the others run', () => keepers.every(one => one.isUp || one === self), { ms: 180_000 })
    self.isAway = true
    self.isUp = false
    const code = await self.one.kill('SIGTERM')
    say(`${self.one.name} is stopped (${code}) and upgraded`)
    self.script = cli
    await self.start()
    self.isAway = false
  }
}

/** Kills the database's writer, and waits until a change is acknowledged again. @returns how long that took */
async function failOver(database, figures, windows) {
  const from = Date.now()
  const window = { from, to: Number.POSITIVE_INFINITY }
  windows.push(window)
  await database.killWriter()
  const began = performance.now()
  await until('a change is acknowledged', () => figures.writtenAt > began, { ms: 180_000 })
  window.to = Date.now()
  say(`changes again after ${window.to - from} ms`)
}

/** Runs the trial on a database that is there. */
export async function severalInstances(judgement, { database, name, seconds = 120, previous }) {
  const hook = await receiver()
  const config = {
    ...{ ...database.config, ...(await store()), stop_delay_seconds: 6 },
    ...{ environment: 'local', webhook_enabled: true, webhook_allow_http: true, webhook_timeout: 3 },
    ...{ webhook_max_retries: 30, webhook_retry_delays: ['1s'], webhook_scan_interval: '2s' },
  }
  const first = previous ? `${previous}/dist/cli.js` : cli
  const startMs = []
  const keepers = []
  for (const [i, aheadSeconds] of clocks.entries()) {
    const one = await instance(`one${i}`, config, { aheadSeconds })
    keepers.push(Object.assign(keeper(one, startMs), { script: first, kills: 0 }))
  }
  await Promise.all(keepers.map(one => one.start()))
  const urls = keepers.map(({ one }) => one.url)
  const front = await siteBalancer(keepers.map(({ one }) => one.port))
  await until(
    'the balancer serves',
    async () => (await caller(front)('GET', '/api/v1/health')).status === 200,
  )
  const site = await prepare(urls[0], { plans: Math.ceil(seconds / 4), hook })
  for (const self of keepers) {
    self.pages = site.still
    await self.warm()
  }
  say('three instances under load')

  const end = performance.now() + seconds * 1000
  // A busy machine needs longer for what is planned.
  let isDone = false
  const isOver = () => isDone && performance.now() > end
  const { figures, ended } = load(front, site, { isOver, urls })
  const [kills, windows] = [[], []]
  const watched = { site, front, urls, isOver, seconds, windows }
  const [plans, settings, limits] = [watchPlans(watched), watchSettings(watched), watchLimits(watched)]
  const killing = killInstances(keepers, { isOver, kills })
  await sleep(seconds * 150)
  await failOver(database, figures, windows)
  await sleep(Math.max(0, end - performance.now() - seconds * 600))
  await upgrade(keepers)
  await until('the cluster is whole', database.isComplete, { ms: 180_000 })
  await sleep(Math.max(0, end - performance.now() - seconds * 250))
  await failOver(database, figures, windows)
  isDone = true
  await Promise.all([ended, killing])
  await until('all run', () => keepers.every(one => one.isUp), { ms: 180_000 })
  const found = { figures, kills, windows, startMs, name, previous, database, urls, hook, keepers }
  await judge(judgement, { ...found, plans: await plans, settings: await settings, limits: await limits })
  for (const one of keepers) one.stopped = true
}

const acknowledged = /^(write 200|create 201|upload 201|publish 200|unpublish 200)/

async function judge(judgement, found) {
  const { figures, kills, windows, startMs, name, previous, urls } = found
  const { answers, wrong, samples, stale } = figures
  const add = judgement.add.bind(judgement)
  add('instances killed', '', `${kills.length}, ready again ${spread(startMs)}`)
  const ended = found.keepers.filter(({ one }) => one.isOver).map(({ one }) => one.name)
  add('instances that ended by themselves', '0', ended.join(', ') || '0', ended.length === 0)
  add(`${name} killed`, '2', windows.length, windows.length === 2)
  const away = windows.map(({ from, to }) => to - from)
  add('changes again after', '', away.map(ms => `${(ms / 1000).toFixed(1)} s`).join(', '))
  add('upgrade in the middle', '', previous ? `from ${previous}` : 'a restart of the same version')
  add('acknowledged changes', '', answers.total(acknowledged))
  const lost = await lostOf(urls, figures)
  add('of these lost', '0', lost.size === 0 ? '0' : lost, lost.size === 0)
  add('wrong answers', '0', wrong.size === 0 ? '0' : wrong, wrong.size === 0)
  add('older than a change', 'under 1 s', spread(stale), Math.max(0, ...stale) < 1000)
  add('older than a change, with an Age that says so', '', spread(figures.aged))
  const fivehundred = answers.total(/ 500 /)
  add('500', '0', fivehundred, fivehundred === 0)
  const pages = [answers.total(/^unchanged page 200/), answers.total(/^unchanged page/)]
  const lasting = `${figures.lasting} with an Age`
  add('unchanged pages answered', 'all', `${pages[0]} of ${pages[1]}, ${lasting}`, pages[0] === pages[1])
  // A page that was changed and that no instance has read since cannot be built while the database is away.
  add('changing pages answered', '', `${answers.total(/^page 200/)} of ${answers.total(/^page \d/)}`)
  await judgeDeliveries(judgement, found)
  await judgePlans(judgement, found)
  for (const [what, { ms, late }] of Object.entries(found.settings))
    add(`${what} not everywhere after 1 s`, '0', `${late}; everywhere after ${spread(ms)}`, late === 0)
  const { passed, tried } = found.limits
  add(
    'wrong sign-ins of 30 that pass',
    '10',
    passed.join(', '),
    tried.every((n, i) => passed[i] <= 10 && (n < 30 || passed[i] === 10)),
  )
  for (const { one } of found.keepers) add(`errors in the log of ${one.name}`, '', one.messages(50))
  add('answers', '', answers)
  for (const sample of samples.slice(0, 20)) say(sample)
}

/** An instance that was killed this long after a delivery came had no time to write so, in milliseconds. */
const justSentMs = 1000

async function judgeDeliveries(judgement, { database, hook, kills, windows }) {
  const open = "select count(*) from webhook_deliveries where status not in ('success', 'failed')"
  const areDone = async () => Number((await database.rowsOf(open))[0][0]) === 0
  await until('deliveries end', areDone, { ms: 90_000, every: 500 }).catch(error => say(error.message))
  const stored = await database.rowsOf('select delivery_id, attempts from webhook_deliveries')
  const missing = stored.filter(([id]) => !hook.came.has(id)).length
  judgement.add('deliveries that never came', '0', `${missing} of ${stored.length}`, missing === 0)
  const repeated = stored.filter(([id]) => hook.came.get(id)?.length > 1)
  // The sender was killed between sending and writing so, which it can only while there is a database.
  const origin = Date.now() - performance.now()
  const writableAt = ([id]) => {
    const at = hook.came.get(id)[0]
    const away = windows.find(({ from, to }) => at > from - origin - justSentMs && at < to - origin)
    return (away ? away.to - origin : at) + justSentMs
  }
  const wasKilled = row => kills.some(at => at > hook.came.get(row[0])[0] && at < writableAt(row))
  // The sender had no answer in time: the receiver is a process on the same machine.
  const retried = repeated.filter(([, attempts]) => Number(attempts) > 1).length
  const killed = repeated.filter(wasKilled).length
  const percent = (100 * repeated.length) / stored.length
  const why = `${killed} of a killed sender, ${retried} after an answer that was late`
  const found = `${repeated.length}, ${percent.toFixed(2)} %: ${why}`
  judgement.add('deliveries twice', 'under 1 %', found, percent < 1)
  for (const [id, attempts] of repeated) {
    const [first, ...more] = hook.came.get(id)
    const kill = Math.min(...kills.map(at => at - first).filter(ms => ms > 0))
    say(
      `${id} ${attempts} attempts, again after ${more.map(at => (at - first).toFixed(0))}, kill after ${kill.toFixed(0)} ms`,
    )
  }
  judgement.add('deliveries with a wrong signature', '0', hook.unsigned, hook.unsigned === 0)
}

async function judgePlans(judgement, { plans, windows, database }) {
  // What is due while the database is away can be done only when it is back.
  const lateOf = ({ at, seen }) => {
    const away = windows.find(({ from, to }) => at > from - 2000 && at < to)
    return seen - (away ? away.to : at)
  }
  const due = plans.filter(({ isPlanned }) => isPlanned)
  const seen = due.filter(one => one.seen !== undefined)
  const late = seen.map(lateOf)
  const clock = time => new Date(time).toISOString().slice(11, 23)
  for (const [i, { slug, at, seen: from }] of seen.entries())
    if (late[i] > 2500) say(`${slug} was due at ${clock(at)}, public at ${clock(from)}`)
  for (const { from, to } of windows) say(`no changes from ${clock(from)} to ${clock(to)}`)
  const early = seen.flatMap(({ at, answered }) => (answered < at ? [(at - answered).toFixed(1)] : []))
  judgement.add('plans carried out', `${due.length}`, seen.length, seen.length === due.length)
  const versions = await database.rowsOf('select content_data_id, "trigger" from content_versions')
  const times = due.map(({ id }) => versions.filter(row => row[0] === id && row[1] === 'schedule').length)
  const others = times.filter(n => n !== 1)
  judgement.add('plans not once', '0', `${others.length} ${others}`, others.length === 0)
  const ahead = early.length > 0 ? `${early.length}: by ${early.join(', ')} ms` : '0'
  judgement.add('plans public before their time', '0', ahead, early.length === 0)
  // Half a second until the last instance shows it.
  judgement.add('plans public after', 'under 2.5 s', spread(late), Math.max(0, ...late) < 2500)
}
