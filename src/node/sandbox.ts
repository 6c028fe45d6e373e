import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { type ComputationRequest, type ComputationResponse, sandboxLimits } from '../computing/protocol.js'
import { unavailable } from '../errors.js'
import { ComputationError, type Sandbox } from '../ports.js'
import { Semaphore } from '../semaphore.js'
import { programOf } from './program.js'

const { timeMs, heapMiB, waiting, idleMs, startMs } = sandboxLimits

const ended = () => new ComputationError('memory', `needs more than ${heapMiB} MiB of memory`)
const late = () => new ComputationError('time', `takes longer than ${timeMs / 1000} seconds`)
const notStarted = () => unavailable('the service cannot start this work at the moment, try again')

class Computer {
  private readonly child: ChildProcess
  private readonly started: Promise<void>
  private settle: ((response: ComputationResponse | undefined) => void) | undefined
  isOver = false

  constructor() {
    const { file, flags } = programOf('src/computing/process')
    this.child = fork(file, [], {
      execArgv: 'bun' in process.versions ? [] : [`--max-old-space-size=${heapMiB}`, ...flags],
      env: {},
      // Not where a process that has no memory left would put its core.
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    this.child.on('message', response => this.settle?.(response as ComputationResponse))
    const end = () => {
      this.isOver = true
      this.settle?.(undefined)
    }
    this.child.on('exit', end).on('error', end)
    this.started = this.next(startMs, () => undefined).then(
      response => {
        if (response?.kind !== 'ready') throw notStarted()
      },
      () => Promise.reject(notStarted()),
    )
    this.started.catch(() => undefined)
  }

  async run(request: ComputationRequest): Promise<string> {
    this.hold(true)
    try {
      await this.started
      const response = await this.next(timeMs, () => this.child.send(request, () => undefined))
      if (response?.kind === 'done') return response.text
      if (response?.kind === 'failed') throw new ComputationError('refused', response.message)
      if (response?.kind === 'large') throw new ComputationError('size', 'has too large a result')
      throw ended()
    } finally {
      this.hold(false)
    }
  }

  private next(ms: number, begin: () => void): Promise<ComputationResponse | undefined> {
    if (this.isOver) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.settle = undefined
        this.kill()
        reject(late())
      }, ms)
      timer.unref()
      this.settle = response => {
        this.settle = undefined
        clearTimeout(timer)
        resolve(response)
      }
      begin()
    })
  }

  /** Only a running computation keeps the service running. */
  private hold(isHeld: boolean): void {
    const name = isHeld ? 'ref' : 'unref'
    this.child[name]()
    // In Bun, the channel is held with the process, and has no such function.
    const channel: Partial<ChildProcess['channel']> = this.child.channel
    channel?.[name]?.()
  }

  kill(): void {
    this.isOver = true
    this.child.kill('SIGKILL')
  }
}

/** Computations in processes of their own, because a thread that has no memory left ends the whole service (D-802). */
class ProcessSandbox implements Sandbox {
  private readonly idle: { computer: Computer; timer: NodeJS.Timeout }[] = []
  private readonly turns: Semaphore

  constructor(processes: number) {
    this.turns = new Semaphore(processes, {
      maxWaiting: waiting,
      error: () => unavailable('the service is busy, try again'),
    })
  }

  run(name: string, input: unknown): Promise<string> {
    return this.turns.run(async () => {
      const computer = this.takeIdle() ?? new Computer()
      try {
        return await computer.run({ name, input })
      } finally {
        if (!computer.isOver) this.keep(computer)
      }
    })
  }

  private takeIdle(): Computer | undefined {
    for (let kept = this.idle.pop(); kept; kept = this.idle.pop()) {
      clearTimeout(kept.timer)
      if (!kept.computer.isOver) return kept.computer
    }
    return undefined
  }

  private keep(computer: Computer): void {
    const timer = setTimeout(() => {
      this.idle.splice(
        this.idle.findIndex(kept => kept.computer === computer),
        1,
      )
      computer.kill()
    }, idleMs)
    timer.unref()
    this.idle.push({ computer, timer })
  }
}

/** One processor is left for the service itself, where there are two. */
export const sandbox: Sandbox = new ProcessSandbox(Math.min(2, Math.max(1, availableParallelism() - 1)))
