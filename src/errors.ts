export type Status = 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 429 | 500 | 502 | 503

/** A refusal that the caller may read. Anything else that is thrown leaves as one fixed sentence (7). */
export class Refusal extends Error {
  constructor(
    readonly status: Status,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

/** A configuration that nobody can start with; its message is one line for the operator. */
export class ConfigError extends Error {}

export const badRequest = (message: string) => new Refusal(400, message)
export const unauthorized = (message: string) => new Refusal(401, message)
export const forbidden = (message = 'forbidden') => new Refusal(403, message)
export const notFound = (message = 'not found') => new Refusal(404, message)
export const conflict = (message: string) => new Refusal(409, message)
export const changedMeanwhile = () => new Refusal(412, 'somebody else saved first: read the record again')
export const tooLarge = (message: string) => new Refusal(413, message)
export const unsupported = (message: string) => new Refusal(415, message)
/** @param wait milliseconds until another try is taken */
export const tooMany = (wait: number) =>
  new Refusal(429, 'too many requests, try again later', { 'Retry-After': String(Math.ceil(wait / 1000)) })
export const unavailable = (message: string, seconds = 1) =>
  new Refusal(503, message, { 'Retry-After': String(seconds) })
