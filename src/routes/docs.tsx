import { raw } from 'hono/html'
import { docsStyle } from './docs-style.js'
import type { Declaration } from './endpoints.js'
import { templateOf } from './openapi.js'

type Json = Record<string, unknown>

const Schema = ({ title, schema }: { title: string; schema: unknown }) => (
  <>
    <p>{title}</p>
    <pre>{JSON.stringify(schema, null, 2)}</pre>
  </>
)

const jsonOf = (part: unknown): unknown =>
  (part as { content?: { 'application/json'?: { schema?: unknown } } } | undefined)?.content?.[
    'application/json'
  ]?.schema

const Endpoint = ({ declaration, operation }: { declaration: Declaration; operation: Json }) => {
  const answers = operation.responses as Record<string, unknown>
  return (
    <details>
      <summary>
        <b>{declaration.method.toUpperCase()}</b> <code>/api/v1{declaration.path}</code>{' '}
        <span>
          {declaration.summary} — {declaration.access}
        </span>
      </summary>
      {(operation.parameters as unknown[]).length > 0 && (
        <Schema title="Parameters" schema={operation.parameters} />
      )}
      {operation.requestBody !== undefined && <Schema title="Body" schema={jsonOf(operation.requestBody)} />}
      {Object.entries(answers).map(([status, answer]) => (
        <Schema title={`Answer ${status}`} schema={jsonOf(answer) ?? answer} />
      ))}
    </details>
  )
}

/** The OpenAPI document as a page for people; it needs no script. */
export const DocsPage = ({
  declarations,
  document,
}: {
  declarations: readonly Declaration[]
  document: Json
}) => {
  const tags = [...new Set(declarations.map(({ tag }) => tag))]
  const paths = document.paths as Record<string, Record<string, Json>>
  const operation = ({ path, method }: Declaration): Json => paths[templateOf(path)]?.[method] ?? {}
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Slugline API</title>
        <style>{raw(docsStyle)}</style>
      </head>
      <body>
        <main>
          <h1>Slugline API</h1>
          <p>
            The same as a machine reads it: <a href="/api/v1/openapi.json">openapi.json</a>. A page of the
            public site is <code>GET /&lt;slug&gt;?format=…</code>, without the prefix and without signing in.
          </p>
          <nav>
            {tags.map(tag => (
              <a href={`#${tag}`}>{tag}</a>
            ))}
          </nav>
          {tags.map(tag => (
            <section>
              <h2 id={tag}>{tag}</h2>
              {declarations
                .filter(declaration => declaration.tag === tag)
                .map(declaration => (
                  <Endpoint declaration={declaration} operation={operation(declaration)} />
                ))}
            </section>
          ))}
        </main>
      </body>
    </html>
  )
}
