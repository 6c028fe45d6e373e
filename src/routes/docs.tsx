import { raw } from 'hono/html'
import { type Json, Members, objectOf, Parameters, resolved, TypeOf } from './docs-parts.js'
import { docsScript } from './docs-script.js'
import { docsStyle } from './docs-style.js'

interface Operation {
  /** The start of the URL in a shell, before the path. */
  prefix: string
  method: string
  path: string
  operation: Json
}

const contentOf = (part: unknown, type = 'application/json'): Json =>
  objectOf(objectOf(objectOf(part).content)[type])
const upload = 'multipart/form-data'

/** In single quotes of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A line for a shell in which `API` and `KEY` are set. */
function curlLine({ prefix, method, path, operation }: Operation): string {
  const parameters = (operation.parameters ?? []) as Json[]
  const exampleOf = (name: string) => {
    const { schema } = parameters.find(one => one.name === name) ?? {}
    return String((objectOf(schema).examples as unknown[] | undefined)?.[0] ?? name)
  }
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(name))
  const wanted = parameters.filter(one => one.in === 'query' && (one.required === true || one.name === 'q'))
  const query = wanted.map(({ name }) => `${name}=${exampleOf(String(name))}`).join('&')
  const { example } = contentOf(operation.requestBody)
  const isUpload = 'schema' in contentOf(operation.requestBody, upload)
  const isPublic = Array.isArray(operation.security) && operation.security.length === 0
  return [
    'curl',
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    `"${prefix}${address}${query === '' ? '' : `?${query}`}"`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...(isUpload ? ['-F file=@picture.jpg'] : []),
    ...(example === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example))}`]),
  ].join(' ')
}

const Answers = ({ document, responses }: { document: Json; responses: Json }) => (
  <table>
    <caption>Answers</caption>
    <tbody>
      {Object.entries(responses).map(([status, given]) => {
        const answer = resolved(document, given)
        const { schema } = contentOf(answer)
        return (
          <tr>
            <td>
              <code>{status}</code>
            </td>
            <td>{schema === undefined ? '' : <TypeOf schema={schema} />}</td>
            <td>
              {String(answer.description ?? '')}{' '}
              <span class="note">{Object.keys(objectOf(answer.headers)).join(', ')}</span>
            </td>
          </tr>
        )
      })}
    </tbody>
  </table>
)

const Endpoint = ({ document, one }: { document: Json; one: Operation }) => {
  const { method, path, operation } = one
  const responses = objectOf(operation.responses)
  const [success] = Object.values(responses)
  const body = contentOf(operation.requestBody)
  const form = contentOf(operation.requestBody, upload)
  const shown = contentOf(resolved(document, success)).example
  const name = String(operation.operationId)
  const words = [method, path, name, operation.summary, operation['x-access'], operation.tags]
  return (
    <details id={name} data-words={words.join(' ').toLowerCase()}>
      <summary>
        <b>{method.toUpperCase()}</b> <code>{path}</code> <span>{String(operation.summary)}</span>
      </summary>
      <div>
        <p>
          {String(operation.description)} <a href={`#${name}`}>{name}</a>
        </p>
        <Parameters parameters={(operation.parameters ?? []) as Json[]} />
        <Members title="Body" schema={resolved(document, body.schema ?? form.schema)} />
        <Answers document={document} responses={responses} />
        <pre>{curlLine(one)}</pre>
        {shown !== undefined && <pre>{JSON.stringify(shown, null, 2)}</pre>}
      </div>
    </details>
  )
}

const operationsOf = (document: Json): Operation[] =>
  Object.entries(objectOf(document.paths)).flatMap(([path, item]) => {
    // Public pages have no prefix.
    const prefix = 'servers' in objectOf(item) ? `$\{API%/api/v1}` : '$API'
    return Object.entries(objectOf(item)).flatMap(([method, operation]) =>
      objectOf(operation).operationId === undefined
        ? []
        : [{ prefix, method, path, operation: objectOf(operation) }],
    )
  })

/** The schemas that have names. */
const Records = ({ schemas }: { schemas: Json }) => (
  <section>
    <h2 id="records">Records</h2>
    {Object.entries(schemas).map(([name, schema]) => (
      <details
        id={`record-${name}`}
        data-words={`record ${name} ${Object.keys(objectOf(objectOf(schema).properties)).join(' ')}`.toLowerCase()}
      >
        <summary>
          <code>{name}</code>
        </summary>
        <div>
          <Members title="Members" schema={objectOf(schema)} />
        </div>
      </details>
    ))}
  </section>
)

/** The meaning of each error status. */
const Failures = ({ document }: { document: Json }) => {
  const components = objectOf(document.components)
  const statuses = new Map<string, string>()
  for (const { operation } of operationsOf(document))
    for (const [status, answer] of Object.entries(objectOf(operation.responses)))
      if (Number(status) >= 400) statuses.set(status, String(resolved(document, answer).description))
  return (
    <section>
      <h2 id="errors">Errors</h2>
      <div data-words="errors status code">
        <Members title="Every refusal" schema={objectOf(objectOf(components.schemas).Error)} />
        <table>
          <tbody>
            {[...statuses].toSorted().map(([status, meaning]) => (
              <tr>
                <td>
                  <code>{status}</code>
                </td>
                <td>{meaning}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const Introduction = ({ cookie }: { cookie: string }) => (
  <>
    <h1>Slugline API</h1>
    <p>
      The same for machines: <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1), from which
      openapi-typescript, @hey-api/openapi-ts and orval make typed clients. The curl lines below need two
      variables:
    </p>
    <pre>{'export API=http://localhost:8080/api/v1 KEY=slk_…'}</pre>
    <p>
      Browsers sign in by <a href="#login">POST /auth/login</a> and send the cookie <code>{cookie}</code>, and
      programs send an API key, which <a href="#createToken">POST /tokens</a> makes, as{' '}
      <code>Authorization: Bearer</code>. <code>/routes/&lt;route_id&gt;</code> and{' '}
      <code>/routes/?q=&lt;route_id&gt;</code> are the same.
    </p>
  </>
)

/** The OpenAPI document as a page for people. Without scripts it lacks the search and nothing else. */
export const DocsPage = ({ document }: { document: Json }) => {
  const operations = operationsOf(document)
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags as string[]))]
  const components = objectOf(document.components)
  const cookie = String(objectOf(objectOf(components.securitySchemes).cookie).name)
  const idOf = (tag: string) => tag.replaceAll(' ', '-')
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
          <Introduction cookie={cookie} />
          <p>
            <input
              type="search"
              hidden
              placeholder="Search: a path, a name, a permission ( / )"
              aria-label="Search"
            />{' '}
            <output />
          </p>
          <nav>
            <a href="#errors">errors</a> <a href="#records">records</a>{' '}
            {tags.map(tag => (
              <a href={`#tag-${idOf(tag)}`}>{tag}</a>
            ))}
          </nav>
          <Failures document={document} />
          {tags.map(tag => (
            <section>
              <h2 id={`tag-${idOf(tag)}`}>{tag}</h2>
              {operations
                .filter(({ operation }) => (operation.tags as string[]).includes(tag))
                .map(one => (
                  <Endpoint document={document} one={one} />
                ))}
            </section>
          ))}
          <Records schemas={objectOf(components.schemas)} />
        </main>
        <script>{raw(docsScript)}</script>
      </body>
    </html>
  )
}
