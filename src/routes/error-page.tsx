import type { Failure } from '../middleware/errors.js'

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dd{margin:0;font-family:ui-monospace,monospace}`

const titles: Readonly<Record<number, string>> = {
  401: 'Please sign in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'This is not possible now',
  412: 'Somebody else saved first',
  413: 'Too large',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available right now',
}

/** A failure for people; it needs no script. */
export const ErrorPage = ({
  failure,
  requestId,
  nonce,
}: {
  failure: Failure
  requestId: string
  nonce: string
}) => {
  const title = titles[failure.status] ?? 'This did not work'
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <style nonce={nonce}>{style}</style>
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          <p role="alert">{failure.error}</p>
          <dl>
            <dt>Code</dt>
            <dd>{failure.code}</dd>
            <dt>Request</dt>
            <dd>{requestId}</dd>
          </dl>
        </main>
      </body>
    </html>
  )
}
