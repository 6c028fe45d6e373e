import type { Log } from '../ports.js'
import { errorAnswer } from './errors.js'

type Answer = Response | Promise<Response>

/** Answers what no surface could, as where its own part of the program is not there. */
export function answeringFailures<Rest extends unknown[]>(
  handle: (request: Request, ...rest: Rest) => Answer,
  log: Log,
): (request: Request, ...rest: Rest) => Answer {
  return (request, ...rest) => {
    const failed = (error: unknown) => {
      const { method, url } = request
      return errorAnswer(log, error, { method, path: new URL(url).pathname }, { 'Cache-Control': 'no-store' })
    }
    try {
      const answer = handle(request, ...rest)
      return answer instanceof Promise ? answer.catch(failed) : answer
    } catch (error) {
      return failed(error)
    }
  }
}
