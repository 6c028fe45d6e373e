// The process that runs computations chosen by callers: see `Sandbox` in src/ports.ts. It runs one at a time and
// answers with a text. It needs no file, no socket and no environment, and may be killed at any moment.
import { Script } from 'node:vm'
import { evaluateGroq, readGroq } from './groq.js'
import { type ComputationRequest, type ComputationResponse, sandboxLimits } from './protocol.js'

const computations: Readonly<Record<string, (input: never) => string>> = {
  'groq.read': readGroq,
  'groq.evaluate': evaluateGroq,
}

let waiting: ComputationRequest | undefined
let response: ComputationResponse | undefined

function compute(): void {
  const { name = '', input } = waiting ?? {}
  try {
    const text = computations[name]?.(input as never)
    if (text === undefined) response = { kind: 'failed', message: `there is no computation ${name}` }
    else if (text.length > sandboxLimits.resultCharacters) response = { kind: 'large' }
    else response = { kind: 'done', text }
  } catch (error) {
    response = { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

// The waiting service kills this process in time. If the service is gone, the computation ends here.
Object.assign(globalThis, { compute })
const bounded = new Script('compute()')

process.on('message', (request: ComputationRequest) => {
  waiting = request
  response = undefined
  try {
    bounded.runInThisContext({ timeout: sandboxLimits.timeMs * 2 })
  } catch {
    process.exit(1)
  }
  if (response) process.send?.(response)
})
process.on('disconnect', () => process.exit())
// A terminal signals all processes of its group: this one ends with the service, after its requests.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.send?.({ kind: 'ready' } satisfies ComputationResponse)
