// Two workers against one on SQLite: public pages in memory, pages by a key, and writes, in turns; then changes that are
// asked at the other worker at once. Needs wrk, with a load generator for each worker. Two workers and two generators need
// four cores. With fewer they take them from each other: then reads are judged by the processor time of an answer. With
// --share 40 each worker gets 40 % of a core and no more (cgroups of version 1, as root), so that two cores are enough.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { at } from './judgement.mjs'
import { prepare } from './load.mjs'
import { caller, instance } from './product.mjs'
import { folder, freePort, say, until } from './programs.mjs'

const run = promisify(execFile)
const [pageGoal, keyGoal, writeGoal] = [1.7, 1.6, 1]

const childrenOf = pid => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)

/** Lets a process use as much of a core as this share says. The kernel gives time in slices of 5 ms. */
function limitTo(share, pid) {
  const group = `/sys/fs/cgroup/cpu/slugline-trial-${pid}`
  mkdirSync(group, { recursive: true })
  const quota = 10_000
  writeFileSync(join(group, 'cpu.cfs_period_us'), `${Math.round(quota / share)}`)
  writeFileSync(join(group, 'cpu.cfs_quota_us'), `${quota}`)
  writeFileSync(join(group, 'cgroup.procs'), `${pid}`)
  return group
}

/** Starts the product with as many workers, and waits until all of them serve. */
async function service(name, workers, share) {
  const metrics_port = await freePort()
  const one = await instance(name, { db_url: join(folder, `${name}.db`), workers, metrics_port })
  one.start()
  await one.ready()
  const count = async () => {
    const answer = await fetch(`http://127.0.0.1:${metrics_port}/metrics`).catch(() => undefined)
    return /^slugline_processes (\d+)/m.exec((await answer?.text()) ?? '')?.[1]
  }
  await until(`${workers} workers`, async () => Number(await count()) === workers)
  const site = await prepare(one.url, { pages: 16 })
  const each = workers === 1 ? [one.pid] : childrenOf(one.pid)
  if (share && each.length !== workers) throw new Error(`${each.length} processes serve`)
  return { ...one, site, groups: share ? each.map(pid => limitTo(share, pid)) : [] }
}

/** Returns requests a second of a generator for each worker. */
async function rate(url, headers, generators, seconds) {
  const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const rates = await Promise.all(
    Array.from({ length: generators }, async () => {
      const { stdout } = await run('wrk', ['-t1', '-c16', `-d${seconds}s`, ...flags, url])
      if (/Non-2xx/.test(stdout)) throw new Error(`answers other than 200: ${stdout}`)
      return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
    }),
  )
  return rates.reduce((sum, one) => sum + one, 0)
}

/** Returns the processor time in ticks that a process and its children have used. */
function ticks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return childrenOf(pid).reduce((sum, child) => sum + ticks(child), Number(fields[11]) + Number(fields[12]))
}

/** Returns acknowledged changes a second of eight writers. */
async function writes({ url, site }, seconds) {
  const api = caller(url, { Cookie: site.cookie })
  const end = performance.now() + seconds * 1000
  let done = 0
  await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      for (let i = 0; performance.now() < end; i++) {
        const fields = { head: `w${n}-${i}` }
        const { status } = await api('PUT', `/api/v1/content/?q=${site.pages[n].id}`, { fields })
        if (status !== 200) throw new Error(`a write gave ${status}`)
        done++
      }
    }),
  )
  return done / seconds
}

/** Asks on a connection of its own, which either worker may accept. */
const ask = url =>
  new Promise((done, fail) => {
    get(url, { agent: false }, async response => {
      let text = ''
      for await (const piece of response) text += piece
      done(JSON.parse(text).head)
    }).once('error', fail)
  })

/** Makes changes one after the other. @returns how many requests after them, by whichever worker, were not right */
async function changesAtOnce({ url, site }, changes) {
  const api = caller(url, { Cookie: site.cookie, Connection: 'close' })
  let wrong = 0
  for (let i = 1; i <= changes; i++) {
    const page = site.pages[i % site.pages.length]
    const { status } = await api('PUT', `/api/v1/content/?q=${page.id}`, { fields: { head: `x${i}` } })
    if (status !== 200) throw new Error(`a change gave ${status}`)
    // The workers take turns: one of two is another than that of the change.
    const heads = await Promise.all([0, 1].map(() => ask(url + page.slug)))
    wrong += heads.filter(head => head !== `x${i}`).length
  }
  return wrong
}

/** Returns the median of some turns, the least and the most. */
const inTurns = ratios =>
  `${at(ratios, 0.5).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}, ${ratios.length} turns)`

export async function trial(judgement, { seconds = 4, share }) {
  const part = share && share / 100
  const [one, two] = [await service('one', 1, part), await service('two', 2, part)]
  const turns = 9
  const [page, key] = ['/p1?format=clean', '/api/v1/page/p1?format=clean']
  const headers = ({ site }) => ({ Authorization: `Bearer ${site.key}` })
  const cases = [
    ['public pages', pageGoal, (to, n, s) => rate(to.url + page, {}, n, s), true],
    ['pages by a key', keyGoal, (to, n, s) => rate(to.url + key, headers(to), n, s), true],
    ['writes', writeGoal, (to, _, s) => writes(to, s), false],
  ]
  for (const [name, goal, measure, isRead] of cases) {
    // The compiler needs several seconds for the hot paths.
    for (const to of [one, two]) await measure(to, 2, part ? 15 : 4)
    const [ratios, costs] = [[], []]
    for (let turn = 0; turn < turns; turn++) {
      const order = turn % 2 === 0 ? [one, two] : [two, one]
      const [rates, cost] = [new Map(), new Map()]
      for (const to of order) {
        const before = ticks(to.pid)
        rates.set(to, await measure(to, to === two ? 2 : 1, seconds))
        cost.set(to, (ticks(to.pid) - before) / rates.get(to))
      }
      ratios.push(rates.get(two) / rates.get(one))
      // Reads need nothing of each other, so that two workers with the same cost answer twice as many. Changes wait.
      costs.push(((isRead ? 2 : 1) * cost.get(one)) / cost.get(two))
      say(`  ${name}: ${rates.get(one).toFixed(0)} and ${rates.get(two).toFixed(0)} a second`)
      await sleep(200)
    }
    const isShared = isRead && !share && availableParallelism() < 4
    judgement.add(
      `${name}, two workers to one`,
      isShared ? '' : `${goal}`,
      inTurns(ratios),
      isShared ? undefined : at(ratios, 0.5) >= goal,
    )
    judgement.add(
      `${name}, by processor time of an answer`,
      isRead ? `${goal}` : '',
      inTurns(costs),
      isRead ? at(costs, 0.5) >= goal : undefined,
    )
  }
  const changes = 1000
  const wrong = await changesAtOnce(two, changes)
  judgement.add(
    `answers after ${changes} changes that are not right`,
    '0',
    `${wrong} of ${2 * changes}`,
    wrong === 0,
  )
  for (const to of [one, two]) await to.kill('SIGTERM')
  for (const group of [...one.groups, ...two.groups]) rmdirSync(group)
}
