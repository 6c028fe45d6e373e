import type { Clock, Log } from '../ports.js'
import type { RequestInfo } from './context.js'

const pathOf = (url: string): string | undefined => url.slice(url.indexOf('/', 8)).split('?', 1)[0]

/** True for responses with an error status. */
export const isRefusal = ({ status }: Response): boolean => status >= 400

/** Writes a line for a request as soon as it is answered. */
export const requestLog =
  ({ log, clock }: { log: Log; clock: Clock }) =>
  async (
    request: Request,
    info: RequestInfo,
    answer: () => Promise<Response>,
    isLogged: (answered: Response) => boolean = () => true,
  ): Promise<Response> => {
    const from = clock.now()
    const answered = await answer()
    if (!isLogged(answered)) return answered
    log.info(
      {
        request_id: info.requestId,
        method: request.method,
        path: pathOf(request.url),
        status: answered.status,
        ms: clock.now() - from,
        user_id: info.identity?.userId,
        address: info.address,
      },
      'request',
    )
    return answered
  }
