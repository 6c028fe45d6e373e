import type { Config } from './config.js'
import type { Database } from './db/database.js'
import { duration } from './durations.js'
import type { Log } from './ports.js'
import type { Services } from './services/index.js'
import { beatIntervalMs } from './services/operation/instances.js'

/** How often the service looks for content of older versions, and whether they have ended. */
const olderIntervalMs = 15_000
const planIntervalMs = 2000
/** Instances carry out a schedule one after the other within this time, so that the later ones find it done. */
const planSpreadMs = 100
const pendingIntervalMs = 15_000
const expiryIntervalMs = 3_600_000
const backupIntervalMs = 60_000
/** How often it is looked whether an import has lost its process. */
const importIntervalMs = 10_000
const sealIntervalMs = 3_600_000
/** When urgent work that failed without an outage is tried once more, such as after a broken connection. */
const retryMs = 250
/** How long a stop waits for deliveries: a little more than the timeout of an attempt. */
const deliveryTimeoutMs = 12_000

interface Task {
  readonly failure: string
  readonly intervalMs: number
  /** Runs it at the start too, for work that was due while no instance was alive. */
  readonly atStart?: boolean
  /** It is urgent: it runs as soon as the database answers again, and once more soon after it has failed. */
  readonly afterOutage?: boolean
  /** @param again runs it once more after that many milliseconds, besides the interval */
  work(again: (waitMs: number) => void): Promise<unknown>
}

interface Work {
  db: Database
  services: Services
  config: Config
}

function tasksOf({ db, services, config }: Work): Task[] {
  const beat = {
    failure: 'this instance could not report that it is running',
    intervalMs: beatIntervalMs,
    afterOutage: true,
    work: () => services.beat(),
  }
  // All others change something.
  if (db.isReadOnly) return [beat]
  return [
    beat,
    {
      failure: 'changes made by older versions could not be processed',
      intervalMs: olderIntervalMs,
      atStart: true,
      work: () => services.followOlder(),
    },
    {
      failure: 'deliveries could not be sent',
      intervalMs: duration(config.webhook_scan_interval),
      atStart: true,
      afterOutage: true,
      work: () => services.delivery.drain(),
    },
    {
      failure: 'schedules could not be carried out',
      intervalMs: planIntervalMs,
      atStart: true,
      afterOutage: true,
      async work(again) {
        const waits = [
          await services.space.publishing.runDue(planIntervalMs),
          await services.adminSpace.publishing.runDue(planIntervalMs),
        ].filter(ms => ms !== undefined)
        if (waits.length > 0) again(Math.min(...waits) + Math.random() * planSpreadMs)
      },
    },
    {
      failure: 'pending work could not be done',
      intervalMs: pendingIntervalMs,
      atStart: true,
      work: () => services.pendingWork.runDue(),
    },
    {
      failure: 'expired records could not be removed',
      intervalMs: expiryIntervalMs,
      atStart: true,
      work: () => services.removeExpired(),
    },
    {
      failure: 'a backup could not be made',
      intervalMs: backupIntervalMs,
      atStart: true,
      work: () => services.backups.runDue(),
    },
    {
      failure: 'an import could not be continued',
      intervalMs: importIntervalMs,
      atStart: true,
      work: () => services.importJobs.runDue(),
    },
    {
      failure: 'secrets of webhooks could not be encrypted',
      intervalMs: sealIntervalMs,
      atStart: true,
      work: () => services.sealSecrets(),
    },
  ]
}

/** Takes over settings that other instances have changed; while that runs, one more turn is due at most. */
function followSettings({ db, services }: { db: Database; services: Services }, log: Log): void {
  let [isRunning, isDue] = [false, false]
  const follow = async () => {
    if (isRunning) return
    isRunning = true
    while (isDue) {
      isDue = false
      await services.configuration
        .follow()
        .catch(error => log.warn({ err: error }, 'settings of other instances could not be read'))
    }
    isRunning = false
  }
  db.onExternalChange(() => {
    isDue = true
    void follow()
  })
}

/**
 * Does what no request asks for, until it is stopped.
 * @returns stops it: no task begins any more, and deliveries that are under way may end
 */
export function startBackgroundWork(work: Work, log: Log): { stop(): Promise<void> } {
  const { db, services } = work
  db.watch()
  followSettings({ db, services }, log)
  // Deliveries are sent as soon as they are due; the task finds retries, and what other instances left behind.
  db.onCommit(({ deliveries }) => {
    if (deliveries > 0) services.delivery.schedule()
  })
  const timers: NodeJS.Timeout[] = []
  let isStopped = false
  for (const { failure, intervalMs, atStart, afterOutage, work: task } of tasksOf(work)) {
    let soon: NodeJS.Timeout | undefined
    const again = (waitMs: number) => {
      clearTimeout(soon)
      soon = setTimeout(run, waitMs).unref()
    }
    let [isRunning, isRepeated] = [false, false]
    const run = () => {
      // One that waits for the database holds one connection, and not more with each turn.
      if (isStopped || isRunning) return
      isRunning = true
      void task(again)
        .then(() => {
          isRepeated = false
        })
        .catch(error => {
          log.warn({ err: error }, failure)
          isRepeated = !isRepeated && afterOutage === true && !db.outage.isOn
          if (isRepeated) again(retryMs)
        })
        .finally(() => {
          isRunning = false
        })
    }
    if (atStart) run()
    if (afterOutage) db.outage.onEnd(run)
    timers.push(setInterval(run, intervalMs).unref())
  }
  return {
    async stop() {
      isStopped = true
      for (const timer of timers) clearInterval(timer)
      await Promise.all([
        services.importJobs.stop(),
        services.backups.stop(),
        services.delivery.stop(deliveryTimeoutMs),
      ])
    },
  }
}
