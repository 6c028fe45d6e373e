// Two editors, a reviewer and an administrator, each in a browser of their own, carry a page from draft by comments and
// review to publication and back, again and again, while connections, sessions, browsers and the service end at random
// moments. Whatever somebody has typed must be stored, or still be in their browser. Needs chromium.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { register } from 'tsx/esm/api'
import { instance } from './product.mjs'
import { folder, say, until } from './programs.mjs'
import { operations, places, prepare } from './story.mjs'

const kinds = ['network', 'session', 'crash', 'restart']
/** What the browser was given so shortly before it was killed may still be on its way to the disk. */
const onTheWayMs = 1000
const longestAwayMs = 2500
/** A call to a browser that was killed may never end. */
const longestActMs = 8000
const longestRecoveryMs = 45_000

/** The people, what happens to them, and what of their texts is gone. */
class Trial {
  /** What the field that is typed into had before. */
  earlier = ''
  cuts = new Map(kinds.map(kind => [kind, 0]))
  lost = []
  missing = []
  again = 0
  restored = 0
  silent = 0
  rounds = 0

  constructor(site, { call, id, people }, random) {
    Object.assign(this, { site, call, id, people, random, path: `/content/entry/${id}` })
  }

  get count() {
    return [...this.cuts.values()].reduce((sum, n) => sum + n, 0)
  }

  /** Ids of the fields by their names. */
  async fields() {
    const known = await this.call('GET', '/api/v1/fields')
    return new Map(known.map(({ field_id, label }) => [label.toLowerCase(), field_id]))
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)]
  }

  async cut(kind, person) {
    this.cuts.set(kind, this.cuts.get(kind) + 1)
    say(`cut ${this.count}: ${kind} of ${kind === 'restart' ? 'all' : person.name}`)
    if (kind === 'session') return person.loseSession()
    if (kind === 'crash') return this.crash(person)
    if (kind === 'network') {
      person.wire.cut()
      void sleep(this.random() * longestAwayMs).then(() => person.wire.mend())
      return undefined
    }
    await this.site.kill(this.pick(['SIGKILL', 'SIGTERM']))
    this.site.start()
    await this.site.ready()
    return undefined
  }

  async crash(person) {
    const at = performance.now()
    await person.kill()
    for (const [field, typed] of person.typed) {
      const text = person.textOf(field)
      const late = typed.filter(one => one.at > at - onTheWayMs).length
      person.crashed ??= new Map()
      person.crashed.set(field, { text, least: text.length - late })
    }
    await person.openBrowser()
    await person.open(this.path)
  }

  /** Brings somebody back to the page, with what they have typed. Texts that are nowhere are noted as lost. */
  async recover(person) {
    for (;;) {
      const state = { isOver: false }
      const recovery = this.recoverOnce(person).catch(error => {
        if (!state.isOver) throw error
      })
      const isDone = await Promise.race([recovery.then(() => true), sleep(longestRecoveryMs, false)])
      state.isOver = true
      if (isDone) return
      say(`the tab of ${person.name} does not answer`)
      this.silent++
      await person.renewTab()
    }
  }

  async recoverOnce(person) {
    if (person.path !== this.path) await person.open(this.path)
    else if (this.random() < 0.1) await person.open(this.path)
    await person.signIn(this.path)
    if (person.path !== this.path) await person.open(this.path)
    for (const field of Object.keys(places)) await this.recoverText(person, field)
    person.crashed = undefined
  }

  async recoverText(person, field) {
    const place = places[field]
    const isTyped = person.textOf(field) !== ''
    const offer = person.page.locator(place.form).locator('.offered')
    const isWhole = async () => (await place.read(person.page)) === person.textOf(field)
    if (!isTyped) {
      // It was stored, and the browser was cut before it heard so.
      const isOther = Object.keys(places).some(
        name => places[name].form === place.form && person.textOf(name) !== '',
      )
      if (isOther) return
      for (let left = await offer.count(); left > 0; left--)
        await offer.first().getByRole('button', { name: 'Discard' }).click()
      return
    }
    // Drafts are read when the page is shown, so that an offer may come a moment later.
    await until(
      '',
      async () => (await isWhole()) || (await offer.count()) > 0 || this.isStored(person, field),
      { ms: 4000 },
    ).catch(() => undefined)
    if (!(await isWhole()) && (await offer.count()) > 0) {
      this.restored++
      await offer.first().getByRole('button', { name: 'Restore' }).click()
      await until('', isWhole, { ms: 1500 }).catch(() => undefined)
    }
    if (await isWhole()) return
    if (await this.isStored(person, field)) {
      person.typed.delete(field)
      return
    }
    await this.note(person, field, await place.read(person.page))
  }

  isStored(person, field) {
    return places[field].isStored(this, person.textOf(field))
  }

  async note(person, field, found) {
    const typed = person.textOf(field)
    const crashed = person.crashed?.get(field)
    if (crashed && typed.startsWith(found) && found.length >= crashed.least) {
      this.missing.push(typed.length - found.length)
      person.typed.set(field, person.typed.get(field).slice(0, found.length))
      return
    }
    // The deletion of the earlier text is as young as what was typed after it.
    if (crashed?.least === 0 && found === this.earlier) {
      this.missing.push(typed.length)
      person.typed.delete(field)
      return
    }
    this.lost.push(`${person.name} typed “${typed}” into ${field}, found “${found}”`)
    say(`LOST: ${this.lost.at(-1)}; the bar says “${await person.page.locator('#saved').textContent()}”`)
    const box = places[field].locate(person.page)
    await box.fill(typed)
  }

  /** Chooses what happens during an operation, if anything. */
  plan(actor) {
    if (this.random() > 0.55 || this.count >= this.most) return undefined
    const kind = this.pick(kinds)
    const victim = this.random() < 0.65 ? actor : this.pick(Object.values(this.people))
    return { kind, victim, part: this.random(), delayMs: this.random() * 400 }
  }

  /** Deletes the text of a field, and remembers it. */
  async clear(field, person) {
    const { show, locate, read } = places[field]
    await show?.(person.page)
    const box = locate(person.page)
    this.earlier = await read(person.page)
    await until('', async () => {
      await box.fill('')
      return (await read(person.page)) === ''
    })
  }

  async typing({ field }, person, text, planned) {
    const place = places[field]
    await place.show?.(person.page)
    const isThen = planned ? Math.floor(planned.part * text.length) : -1
    let isCut = false
    const stop = async i => {
      if (i !== isThen) return false
      await this.cut(planned.kind, planned.victim)
      isCut = planned.kind === 'crash' && planned.victim === person
      return isCut
    }
    await person.type(field, place.locate(person.page), text, stop)
    if (!isCut) return
    await this.recover(person)
    const rest = text.slice(person.textOf(field).length)
    if (rest === text) await this.clear(field, person)
    await place.show?.(person.page)
    await person.type(field, place.locate(person.page), rest, () => false)
  }

  async acting(operation, person, planned) {
    for (let tries = 0; ; tries++) {
      if (await operation.isDone(this)) break
      if (tries === 25) throw new Error(`${person.name} cannot ${operation.what}: ${await this.seen(person)}`)
      if (tries > 0) this.again++
      if (tries > 0) await this.recover(person)
      if (await operation.isDone(this)) break
      const acted = Promise.race([operation.act(person.page).catch(() => undefined), sleep(longestActMs)])
      if (planned && tries === 0) {
        await sleep(planned.delayMs)
        await this.cut(planned.kind, planned.victim)
      }
      await acted
      await until('', () => operation.isDone(this), { ms: 3000, every: 100 }).catch(() => undefined)
    }
    for (const field of operation.saves ?? []) person.typed.delete(field)
  }

  async seen({ page }) {
    const saved = await page
      .locator('#saved')
      .textContent({ timeout: 1000 })
      .catch(() => '')
    const notes = await page
      .locator('.note')
      .allTextContents()
      .catch(() => [])
    return `“${saved}” ${notes.join(' | ')}`.slice(0, 600)
  }

  async round() {
    const words = `round ${++this.rounds}`
    this.words = words
    for (const operation of operations) {
      const person = this.people[operation.who]
      const planned = this.plan(person)
      say(`${person.name} ${operation.what ?? `types the ${operation.field}`}`)
      await this.recover(person)
      if (operation.field) {
        await this.clear(operation.field, person)
        await this.typing(operation, person, operation.text(words), planned)
      } else await this.acting(operation, person, planned)
    }
  }
}

/** Runs the trial. @param cuts how many; @param seed of what happens when; @param seconds until the last round begins */
export async function trial(judgement, { cuts = 200, seed = 1, seconds = 7200 }) {
  register()
  const { fractions } = await import('../../test/support/random.ts')
  const site = await instance('site', {
    ...{ db_url: join(folder, 'site.db'), environment: 'local', publish_mode: 'staged' },
    stop_delay_seconds: 1,
  })
  site.start()
  await site.ready()
  const one = new Trial(site, await prepare(site), fractions(seed))
  one.most = cuts
  for (const person of Object.values(one.people)) {
    await person.begin()
    await person.open(one.path)
  }
  say('four people have the page open')
  const end = performance.now() + seconds * 1000
  while (one.count < cuts && performance.now() < end) await one.round()
  await judge(judgement, one)
}

async function judge(judgement, one) {
  const { cuts, lost, missing, rounds, again, restored, silent } = one
  const add = judgement.add.bind(judgement)
  add('cuts', '', [...cuts].map(([kind, n]) => `${n} ${kind}`).join(', '))
  add('pages carried to the public and back', '', rounds)
  add('texts lost', '0', lost.length === 0 ? '0' : lost.join('; '), lost.length === 0)
  add('characters of the last second before a crash', '', missing.join(', ') || 'none missing')
  add('drafts restored', '', restored)
  add('actions done again', '', again)
  add('tabs that did not answer', '', silent)
  const comments = await one.call('GET', `/api/v1/comments?content_data_id=${one.id}&limit=1000`)
  const bodies = comments.map(({ body }) => body)
  const twice = bodies.length - new Set(bodies).size
  add('comments', `${rounds}`, new Set(bodies).size, new Set(bodies).size === rounds)
  add('comments twice', '', twice)
  const requests = await one.call('GET', `/api/v1/review-requests?content_data_id=${one.id}&limit=1000`)
  const of = state => requests.filter(({ status }) => status === state).length
  add('reviews sent back', `${rounds}`, of('returned'), of('returned') === rounds)
  add('reviews approved', `${rounds}`, of('approved'), of('approved') === rounds)
  add('errors in the log', '', one.site.messages(50))
}
