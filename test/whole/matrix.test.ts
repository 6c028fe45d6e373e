import { expect, it } from 'vitest'
import { type Caller, testApp } from '../support/app.js'

const { app, call } = await testApp()

/**
 * Who may call what, written by hand from the product document (4, 5.6) and not from the code. `-` is refused with
 * 403; v viewer, e editor, k a key of an editor, a administrator, n nobody. Signing out comes last, for it works.
 */
const table = `
GET    /api/v1/health               n v e k a
GET    /api/v1/openapi.json         n v e k a
POST   /api/v1/auth/login           n v e k a
GET    /api/v1/auth/me              n v e k a
GET    /api/v1/routes               - v e k a
POST   /api/v1/routes               - - e k a
PUT    /api/v1/routes               - - e k a
DELETE /api/v1/routes               - - e k a
GET    /api/v1/datatypes            - - e k a
POST   /api/v1/datatypes            - - e k a
PUT    /api/v1/datatypes            - - e k a
DELETE /api/v1/datatypes            - - e k a
GET    /api/v1/fields               - - e k a
POST   /api/v1/fields               - - e k a
PUT    /api/v1/fields               - - e k a
DELETE /api/v1/fields               - - e k a
GET    /api/v1/field-types          - v e k a
POST   /api/v1/field-types          - - e k a
PUT    /api/v1/field-types          - - e k a
DELETE /api/v1/field-types          - - e k a
GET    /api/v1/content              - v e k a
POST   /api/v1/content              - - e k a
PUT    /api/v1/content              - - e k a
DELETE /api/v1/content              - - e k a
GET    /api/v1/content/tree/:route_id - v e k a
POST   /api/v1/content/move         - - e k a
POST   /api/v1/content/reorder      - - e k a
GET    /api/v1/content-fields       - v e k a
POST   /api/v1/content-fields       - - e k a
PUT    /api/v1/content-fields       - - e k a
DELETE /api/v1/content-fields       - - e k a
GET    /api/v1/page/*               - v e k a
GET    /api/v1/globals              - v e k a
POST   /api/v1/auth/logout          n v e k a
`
const letters: Record<string, Caller> = { n: 'nobody', v: 'viewer', e: 'editor', k: 'key', a: 'admin' }

const rows = table
  .trim()
  .split('\n')
  .map(line => {
    const [method = '', path = '', ...allowed] = line.split(/\s+/)
    return { method, path, allowed: allowed.map(letter => letters[letter]) }
  })

it('has a row for every declared endpoint, and no other', () => {
  const declared = app.declarations.map(({ method, path }) => `${method.toUpperCase()} /api/v1${path}`)
  expect(declared.toSorted()).toEqual(rows.map(({ method, path }) => `${method} ${path}`).toSorted())
})

it.each([
  '/api/v1//routes',
  '/api/v1/%72outes',
  '/api/v1/ROUTES',
  '/api/v1/routes;x',
  '/api/v1/x/../routes',
  '/API/v1/routes',
])('gives nobody anything at %s', async path => {
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']) {
    const answer = await call(method, path, {
      as: 'nobody',
      headers: { 'X-HTTP-Method-Override': 'GET' },
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: {} }),
    })
    expect([403, 404, 405]).toContain(answer.status)
  }
})

it.each(rows)('$method $path', async ({ method, path, allowed }) => {
  const concrete = path.replace(':route_id', '01ARZ3NDEKTSV4RRFFQ69G5FAV').replace('/*', '/nothing')
  for (const spelling of [concrete, `${concrete}/`])
    for (const as of Object.values(letters)) {
      const { status } = await call(method, spelling, { as, ...(method === 'GET' ? {} : { body: {} }) })
      expect([as, spelling, status === 403]).toEqual([as, spelling, !allowed.includes(as)])
    }
})
