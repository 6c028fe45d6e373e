import { raw } from 'hono/html'
import { type Json, Members, objectOf, Parameters, resolved, Text, TypeOf } from './docs-parts.js'
import { docsScript } from './docs-script.js'
import { docsStyle } from './docs-style.js'

interface Operation {
  method: string
  path: string
  operation: Json
}

const contentOf = (part: unknown, type = 'application/json'): Json =>
  objectOf(objectOf(objectOf(part).content)[type])
const upload = 'multipart/form-data'

const isError = (status: string) => Number(status) >= 400

const Answers = ({ document, responses }: { document: Json; responses: Json }) => {
  const statuses = Object.keys(responses)
  return (
    <table>
      <caption>Responses</caption>
      <tbody>
        {statuses
          .filter(status => !isError(status))
          .map(status => {
            const answer = resolved(document, responses[status])
            const { schema } = contentOf(answer)
            return (
              <tr>
                <td>
                  <code>{status}</code>
                </td>
                <td>{schema === undefined ? '' : <TypeOf schema={schema} />}</td>
                <td>
                  <Text of={String(answer.description ?? '')} />{' '}
                  <span class="note">{Object.keys(objectOf(answer.headers)).join(', ')}</span>
                </td>
              </tr>
            )
          })}
        <tr>
          <td>Errors</td>
          <td colspan={2}>
            {statuses.filter(isError).map(status => (
              <>
                <a href={`#error-${status}`}>{status}</a>{' '}
              </>
            ))}
          </td>
        </tr>
      </tbody>
    </table>
  )
}

const Example = ({ operation, answer }: { operation: Json; answer: Json }) => {
  const [{ source } = { source: '' }] = operation['x-codeSamples'] as { source: string }[]
  const { example } = Object.values(objectOf(answer.content)).map(objectOf)[0] ?? {}
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return (
    <div class="example">
      <p>Request</p>
      <pre>{source}</pre>
      <p>Response {example === undefined ? String(answer.description) : ''}</p>
      {example !== undefined && <pre>{text}</pre>}
    </div>
  )
}

const Endpoint = ({ document, one }: { document: Json; one: Operation }) => {
  const { method, path, operation } = one
  const responses = objectOf(operation.responses)
  const [success] = Object.values(responses)
  const body = contentOf(operation.requestBody)
  const form = contentOf(operation.requestBody, upload)
  const name = String(operation.operationId)
  const words = [method, path, name, operation.summary, operation['x-access'], operation.tags]
  return (
    <details id={name} data-words={words.join(' ').toLowerCase()}>
      <summary>
        <b class={method}>{method.toUpperCase()}</b> <code>{path}</code>{' '}
        <span>{String(operation.summary)}</span>
      </summary>
      <div class="columns">
        <div>
          <p>
            <Text of={String(operation.description)} /> <a href={`#${name}`}>{name}</a>
          </p>
          <Parameters parameters={(operation.parameters ?? []) as Json[]} />
          <Members title="Body" schema={resolved(document, body.schema ?? form.schema)} />
          <Answers document={document} responses={responses} />
        </div>
        <Example operation={operation} answer={resolved(document, success)} />
      </div>
    </details>
  )
}

const operationsOf = (document: Json): Operation[] =>
  Object.entries(objectOf(document.paths)).flatMap(([path, item]) =>
    Object.entries(objectOf(item)).flatMap(([method, operation]) =>
      objectOf(operation).operationId === undefined ? [] : [{ method, path, operation: objectOf(operation) }],
    ),
  )

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

const Failures = ({ document }: { document: Json }) => {
  const components = objectOf(document.components)
  const statuses = new Map<string, string>()
  for (const { operation } of operationsOf(document))
    for (const [status, answer] of Object.entries(objectOf(operation.responses)))
      if (isError(status)) statuses.set(status, String(resolved(document, answer).description))
  return (
    <section>
      <h2 id="errors">Errors</h2>
      <div data-words="errors status code">
        <Members title="Every error" schema={objectOf(objectOf(components.schemas).Error)} />
        <table>
          <tbody>
            {[...statuses].toSorted().map(([status, meaning]) => (
              <tr id={`error-${status}`}>
                <td>
                  <code>{status}</code>
                </td>
                <td>
                  <Text of={meaning} />
                </td>
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
      <a href="/api/v1/openapi.json">openapi.json</a> is the same reference for programs (OpenAPI 3.1).
      openapi-typescript, @hey-api/openapi-ts and orval generate typed clients from it. The curl examples need
      two variables:
    </p>
    <pre>{'export API=http://localhost:8080/api/v1 KEY=slk_…'}</pre>
    <p>
      Browsers sign in with <a href="#login">POST /auth/login</a> and send the cookie <code>{cookie}</code>.
      Programs create an API key with <a href="#createToken">POST /tokens</a> and send it as{' '}
      <code>Authorization: Bearer</code>. <code>/routes/&lt;route_id&gt;</code> and{' '}
      <code>/routes/?q=&lt;route_id&gt;</code> are the same endpoint.
    </p>
  </>
)

interface Group {
  name: string
  tags: readonly string[]
}

const idOf = (tag: string) => `tag-${tag.replaceAll(' ', '-')}`

const Sidebar = ({ groups }: { groups: readonly Group[] }) => (
  <nav aria-label="Reference">
    <p>
      <input
        type="search"
        hidden
        placeholder="Search ( / )"
        aria-label="Search by path, name or permission"
      />{' '}
      <output />
    </p>
    {groups.map(({ name, tags }) => (
      <>
        <a href={`#group-${name}`}>{name}</a>
        <ul>
          {tags.map(tag => (
            <li>
              <a href={`#${idOf(tag)}`}>{tag}</a>
            </li>
          ))}
        </ul>
      </>
    ))}
    <a href="#records">Records</a> <a href="#errors">Errors</a>
  </nav>
)

const Tag = ({ document, tag }: { document: Json; tag: string }) => {
  const { description } = (document.tags as Json[]).find(({ name }) => name === tag) ?? {}
  return (
    <section>
      <h3 id={idOf(tag)}>{tag}</h3>
      <p>{String(description ?? '')}</p>
      {operationsOf(document)
        .filter(({ operation }) => (operation.tags as string[]).includes(tag))
        .map(one => (
          <Endpoint document={document} one={one} />
        ))}
    </section>
  )
}

/** The OpenAPI document as a page for people. Without scripts it lacks only the search. */
export const DocsPage = ({ document }: { document: Json }) => {
  const groups = document['x-tagGroups'] as Group[]
  const components = objectOf(document.components)
  const cookie = String(objectOf(objectOf(components.securitySchemes).cookie).name)
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Slugline API</title>
        <style>{raw(docsStyle)}</style>
      </head>
      <body>
        <Sidebar groups={groups} />
        <main>
          <Introduction cookie={cookie} />
          {groups.map(({ name, tags }) => (
            <section>
              <h2 id={`group-${name}`}>{name}</h2>
              {tags.map(tag => (
                <Tag document={document} tag={tag} />
              ))}
            </section>
          ))}
          <Records schemas={objectOf(components.schemas)} />
          <Failures document={document} />
        </main>
        <script>{raw(docsScript)}</script>
      </body>
    </html>
  )
}
