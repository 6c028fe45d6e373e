import { t } from '../../texts/terminal.js'
import type { Area } from '../screen/grid.js'
import { bold, dim, plain, red } from '../screen/style.js'
import type { View } from '../screen/view.js'
import type { Session } from '../session.js'
import { type Surface, type Vitals, VitalsReader } from '../vitals.js'
import { sinceWord } from './words.js'

const everyMs = 1000
const bars = '▁▂▃▄▅▆▇█'

const surfaceWords: Readonly<Record<string, string>> = { site: t('Site'), api: t('API'), panel: t('Panel') }

export interface LiveState {
  readonly vitals: Vitals | undefined
  readonly now: number
}

export const liveStart: LiveState = { vitals: undefined, now: 0 }

/** Returns a function that reads the numbers for the next frame. */
export function liveReader(session: Session): () => Promise<LiveState> {
  const { site, services, can } = session
  const now = () => site.clock.now()
  const reader = new VitalsReader({ services, actor: session.actor, can, now, config: site.config })
  return async () => ({ vitals: await reader.read(), now: now() })
}

function drawBars(
  area: Area,
  { x, y, width }: { x: number; y: number; width: number },
  values: readonly number[],
) {
  const shown = values.slice(-width)
  const most = Math.max(1, ...shown)
  const text = shown
    .map(value => (value === 0 ? ' ' : (bars[Math.min(7, Math.floor((value / most) * 8))] ?? ' ')))
    .join('')
  area.put(x + width - shown.length, y, text, plain, shown.length)
}

const rate = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)))

const spanWord = (seconds: number): string => {
  if (seconds < 60) return `${Math.floor(seconds)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`
}

const sizeWord = (bytes: number): string =>
  bytes < 2 ** 30 ? `${Math.floor(bytes / 2 ** 20)} MiB` : `${(bytes / 2 ** 30).toFixed(1)} GiB`

function drawSurfaces(area: Area, surfaces: readonly Surface[]): number {
  area.put(1, 0, t('Requests'), bold)
  area.put(12, 0, t('a second'), dim, 8)
  area.put(22, 0, 'p95', dim)
  area.put(32, 0, t('in all'), dim)
  const width = Math.max(0, area.width - 44)
  for (const [i, { name, perSecond, p95, total }] of surfaces.entries()) {
    const y = 1 + i
    area.put(2, y, surfaceWords[name] ?? name)
    area.put(12, y, rate(perSecond.at(-1) ?? 0))
    area.put(22, y, p95 === undefined ? '–' : Number.isFinite(p95) ? `≤ ${p95} ms` : '> 10 s')
    area.put(32, y, total.toLocaleString('en'))
    drawBars(area, { x: 43, y, width }, perSecond)
  }
  return surfaces.length + 1
}

function factsOf({ statements, cached, deliveries, queueSeconds, backupSeconds, freeBytes }: Vitals) {
  const sent = deliveries?.get('success') ?? 0
  const failed = deliveries?.get('failed') ?? 0
  const isBehind = queueSeconds !== undefined && queueSeconds >= 1
  const facts: { word: string; text: string; isBad?: boolean }[] = []
  if (statements)
    facts.push({
      word: t('Statements'),
      text: t('{read} reads, {written} writes per second', {
        read: rate(statements.read),
        written: rate(statements.write),
      }),
    })
  if (cached !== undefined)
    facts.push({ word: t('Cache'), text: t('{n} % of pages from memory', { n: Math.floor(cached * 100) }) })
  if (deliveries)
    facts.push({
      word: t('Deliveries'),
      text: isBehind
        ? t('{sent} sent, {failed} failed, oldest pending for {time}', {
            sent,
            failed,
            time: spanWord(queueSeconds),
          })
        : t('{sent} sent, {failed} failed', { sent, failed }),
      isBad: failed > 0,
    })
  if (freeBytes !== undefined)
    facts.push({
      word: t('Disk'),
      text: t('{size} free', { size: sizeWord(freeBytes) }),
      isBad: freeBytes < 2 ** 30,
    })
  if (deliveries)
    facts.push({
      word: t('Backup'),
      text: backupSeconds === undefined ? t('none yet') : t('{time} ago', { time: spanWord(backupSeconds) }),
      isBad: backupSeconds === undefined,
    })
  return facts
}

interface Block {
  readonly title: string
  readonly rows: readonly (readonly [text: string, hint: string])[]
  readonly empty: string
}

const roleWords: Readonly<Record<string, string>> = { instance: '' }

/** The running instances: where each is, its version, and how long it runs. */
function instancesOf(instances: NonNullable<Vitals['instances']>, now: number): Block {
  return {
    title: t('Instances'),
    empty: t('No running instances.'),
    rows: instances.map(({ host, pid, version, role, started_at }) => [
      [`${host} · ${pid}`, version, roleWords[role] ?? role].filter(Boolean).join(' · '),
      sinceWord(started_at, now),
    ]),
  }
}

function blocksOf({ here, planned, changes, instances }: Vitals, now: number): Block[] {
  const blocks: Block[] = []
  if (changes)
    blocks.push({
      title: t('Last changes'),
      empty: t('No changes yet.'),
      rows: changes.map(({ subject, verb, who, at }) => [
        t('{subject}: {verb} by {who}', { subject: subject.words, verb, who }),
        sinceWord(at, now),
      ]),
    })
  if (planned)
    blocks.push({
      title: t('Scheduled'),
      empty: t('Nothing is scheduled.'),
      rows: planned.map(({ title, at, publishes }) => [
        publishes ? t('Publish {title}', { title }) : t('Unpublish {title}', { title }),
        sinceWord(at, now),
      ]),
    })
  if (here)
    blocks.push({
      title: t('Active users'),
      empty: t('Nobody was active in the last 5 minutes.'),
      rows: here.map(({ name, at }) => [name, sinceWord(at, now)]),
    })
  if (instances) blocks.push(instancesOf(instances, now))
  return blocks
}

function drawBlock(area: Area, { title, rows, empty }: Block, most: number): number {
  area.put(1, 0, title, bold)
  if (rows.length === 0) area.put(2, 1, empty, dim)
  for (const [i, [text, hint]] of rows.slice(0, most).entries()) {
    area.put(2, 1 + i, text, plain, area.width - 14)
    area.put(area.width - 11, 1 + i, hint, dim, 11)
  }
  return 1 + Math.max(1, Math.min(most, rows.length))
}

/** Draws what happens in the service, as far as the user may see it. */
export function drawLive(area: Area, { vitals, now }: LiveState): void {
  if (!vitals) return void area.put(1, 0, t('Reading…'), dim)
  let y = vitals.surfaces.length > 0 ? drawSurfaces(area, vitals.surfaces) + 1 : 0
  for (const { word, text, isBad } of factsOf(vitals)) {
    area.put(1, y, word, bold)
    area.put(12, y++, text, isBad ? red | bold : plain)
  }
  if (y > 0) y++
  const blocks = blocksOf(vitals, now)
  if (blocks.length === 0 && y === 0) area.put(1, 0, t('Your role has no permission to see activity.'), dim)
  for (const [i, block] of blocks.entries()) {
    const room = area.height - y - (blocks.length - i - 1) * 3
    if (room < 2) break
    const most = Math.max(1, Math.min(room - 1, i === 0 ? 6 : 4))
    y += drawBlock(area.part(0, y, area.width, Math.max(0, area.height - y)), block, most) + 1
  }
}

/** Live figures of the service, one frame a second. */
export function liveScreen(session: Session): View<LiveState> {
  const read = liveReader(session)
  return {
    title: () => t('Live'),
    start: liveStart,
    everyMs,
    shown: shell =>
      shell.work('signed-in', async () => {
        const state = await read()
        return () => state
      }),
    update: state => state,
    draw: drawLive,
    hints: () => [
      { key: 'g', does: t('go to') },
      { key: 'q', does: t('back') },
    ],
  }
}
