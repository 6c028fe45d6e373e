import type { Io } from './command.js'

const drawIntervalMs = 100
const barWidth = 20
/** Before that much time a rate says nothing. */
const leastMs = 1000

/** How far work has come. */
export interface Step {
  /** The work, such as `restore`; a new one begins a new line. */
  readonly doing: string
  readonly of: string
  readonly done: number
  readonly total?: number | undefined
  /** Whether the total is only expected. */
  readonly isAbout?: boolean
}

function restWords(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.ceil(seconds))} s`
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}

const number = (value: number): string => value.toLocaleString('en')

/** Returns one line, such as `restore: 1,150 of 20,001 records [#    ] 230/s, 82 s left`. */
export function progressText({ doing, of, done, total, isAbout = false }: Step, elapsedMs: number): string {
  const perSecond = elapsedMs < leastMs ? 0 : done / (elapsedMs / 1000)
  const rate =
    perSecond > 0 ? `${perSecond < 10 ? perSecond.toFixed(1) : number(Math.round(perSecond))}/s` : ''
  if (!total || done > total) return [`${doing}: ${number(done)} ${of}`, rate].filter(Boolean).join(' ')
  const full = Math.floor((done / total) * barWidth)
  const bar = `[${'#'.repeat(full).padEnd(barWidth)}]`
  const rest = perSecond > 0 && done < total ? `${restWords((total - done) / perSecond)} left` : ''
  const times = [rate, rest].filter(Boolean).join(', ')
  return `${doing}: ${number(done)} of ${isAbout ? 'about ' : ''}${number(total)} ${of} ${bar} ${times}`.trimEnd()
}

/** Shows progress in one line that changes in place, if standard error is a terminal. */
export function progressLine(
  io: Pick<Io, 'writeError' | 'isInteractive'>,
  now: () => number = () => performance.now(),
) {
  let [doing, beganAt, drawnAt, width] = ['', 0, Number.NEGATIVE_INFINITY, 0]
  const end = () => {
    if (width > 0) io.writeError('\n')
    ;[doing, width, drawnAt] = ['', 0, Number.NEGATIVE_INFINITY]
  }
  return {
    draw(step: Step): void {
      if (!io.isInteractive) return
      if (step.doing !== doing) {
        end()
        ;[doing, beganAt] = [step.doing, now()]
      }
      const isLast = step.done === step.total
      if (!isLast && now() - drawnAt < drawIntervalMs) return
      drawnAt = now()
      const text = progressText(step, drawnAt - beganAt)
      io.writeError(`\r${text.padEnd(width)}`)
      width = text.length
    },
    end,
  }
}

interface ArchiveProgress {
  readonly records: number
  readonly recordsInAll?: number | undefined
  readonly media: number
  readonly mediaInAll: number | undefined
}

/** Returns the step of work on a backup, which has rows first and then media. */
export const stepOfArchive = (
  doing: string,
  { records, recordsInAll, media, mediaInAll }: ArchiveProgress,
): Step =>
  media > 0
    ? { doing: `${doing} of media`, of: 'files', done: media, total: mediaInAll }
    : { doing, of: 'records', done: records, total: recordsInAll }
