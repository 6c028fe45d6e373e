import { expect, it } from 'vitest'
import { type Caller, testApp } from '../support/app.js'

const { app, call } = await testApp()

/**
 * Who may call what, written by hand from the product document (4, 5.6) and not from the code. `-` is refused with
 * 403; v viewer, e editor, k a key of an editor, a administrator, n nobody. Signing out comes last, for it works.
 */
const table = `
GET    /api/v1/health               n v e k a
GET    /api/v1/health/live          n v e k a
GET    /api/v1/health/pages         n v e k a
GET    /api/v1/health/ready         n v e k a
GET    /api/v1/admin/backups        - - - - a
GET    /api/v1/admin/backups/:backup_id - - - - a
POST   /api/v1/admin/backups        - - - - a
GET    /api/v1/import               - - - - a
GET    /api/v1/import/:import_id - - - - a
GET    /api/v1/import/:import_id/report - - - - a
POST   /api/v1/import/:import_id/start - - - - a
POST   /api/v1/import/:import_id/cancel - - - - a
DELETE /api/v1/import               - - - - a
DELETE /api/v1/import/:import_id - - - - a
POST   /api/v1/import/wordpress - - - - a
POST   /api/v1/import/wordpress/address - - - - a
POST   /api/v1/import/contentful - - - - a
POST   /api/v1/import/contentful/address - - - - a
POST   /api/v1/import/sanity - - - - a
POST   /api/v1/import/sanity/address - - - - a
POST   /api/v1/import/strapi - - - - a
POST   /api/v1/import/strapi/address - - - - a
POST   /api/v1/import/markdown - - - - a
POST   /api/v1/import/markdown/address - - - - a
POST   /api/v1/import/ghost - - - - a
POST   /api/v1/import/ghost/address - - - - a
POST   /api/v1/import/csv - - - - a
POST   /api/v1/import/csv/address - - - - a
GET    /api/v1/metrics              - - - - a
GET    /api/v1/instances            - - - - a
GET    /api/v1/openapi.json         n v e k a
POST   /api/v1/auth/login           n v e k a
GET    /api/v1/auth/me              n v e k a
GET    /api/v1/auth/oauth/providers n v e k a
GET    /api/v1/auth/oauth/login     n v e k a
GET    /api/v1/auth/oauth/login/:provider n v e k a
GET    /api/v1/auth/oauth/callback  n v e k a
GET    /api/v1/auth/oauth/callback/:provider n v e k a
GET    /api/v1/auth/oauth/links     - v e k a
POST   /api/v1/auth/oauth/links     - v e k a
DELETE /api/v1/auth/oauth/links/:user_oauth_id - v e k a
POST   /api/v1/auth/register        n v e k a
GET    /api/v1/auth/second-factor   - v e k a
POST   /api/v1/auth/second-factor   - v e k a
POST   /api/v1/auth/second-factor/confirm - v e k a
POST   /api/v1/auth/second-factor/recovery-codes - v e k a
POST   /api/v1/auth/second-factor/disable - v e k a
POST   /api/v1/auth/passkeys/login/options n v e k a
POST   /api/v1/auth/passkeys/login  n v e k a
GET    /api/v1/auth/passkeys        - v e k a
POST   /api/v1/auth/passkeys        - v e k a
POST   /api/v1/auth/passkeys/options - v e k a
PUT    /api/v1/auth/passkeys/:passkey_id - v e k a
DELETE /api/v1/auth/passkeys/:passkey_id - v e k a
POST   /api/v1/auth/reset           - v e k a
POST   /api/v1/auth/request-password-reset n v e k a
POST   /api/v1/auth/confirm-password-reset n v e k a
POST   /api/v1/auth/device         n v e k a
POST   /api/v1/auth/device/state   n v e k a
GET    /api/v1/users                - - e k a
GET    /api/v1/users/:user_id - - e k a
POST   /api/v1/users                - - - - a
PUT    /api/v1/users                - v e k a
PUT    /api/v1/users/:user_id - - - - a
DELETE /api/v1/users                - - - - a
DELETE /api/v1/users/:user_id - - - - a
GET    /api/v1/users/full           - v e k a
DELETE /api/v1/users/second-factor - - - - a
POST   /api/v1/users/reassign-delete - - - - a
POST   /api/v1/users/password-link - - - - a
GET    /api/v1/sessions             - - e k a
GET    /api/v1/sessions/:session_id - - e k a
DELETE /api/v1/sessions             - v e k a
DELETE /api/v1/sessions/:session_id - - - - a
GET    /api/v1/users/sessions       - v e k a
GET    /api/v1/ssh-keys             - v e k a
POST   /api/v1/ssh-keys             - v e k a
DELETE /api/v1/ssh-keys/:ssh_key_id - - - - a
GET    /api/v1/roles                - - - - a
GET    /api/v1/roles/:role_id - - - - a
POST   /api/v1/roles                - - - - a
PUT    /api/v1/roles                - - - - a
PUT    /api/v1/roles/:role_id - - - - a
DELETE /api/v1/roles                - - - - a
DELETE /api/v1/roles/:role_id - - - - a
GET    /api/v1/permissions          - - - - a
GET    /api/v1/permissions/:permission_id - - - - a
POST   /api/v1/permissions          - - - - a
PUT    /api/v1/permissions          - - - - a
PUT    /api/v1/permissions/:permission_id - - - - a
DELETE /api/v1/permissions          - - - - a
DELETE /api/v1/permissions/:permission_id - - - - a
GET    /api/v1/role-permissions     - - - - a
GET    /api/v1/role-permissions/:role_permission_id - - - - a
POST   /api/v1/role-permissions     - - - - a
DELETE /api/v1/role-permissions     - - - - a
DELETE /api/v1/role-permissions/:role_permission_id - - - - a
GET    /api/v1/role-permissions/role - - - - a
GET    /api/v1/tokens               - - - - a
GET    /api/v1/tokens/:token_id - - - - a
POST   /api/v1/tokens               - - - - a
PUT    /api/v1/tokens               - - - - a
PUT    /api/v1/tokens/:token_id - - - - a
DELETE /api/v1/tokens               - - - - a
DELETE /api/v1/tokens/:token_id - - - - a
GET    /api/v1/config               - - e k a
PUT    /api/v1/config               - - - - a
GET    /api/v1/config/meta          - - e k a
GET    /api/v1/routes               - v e k a
GET    /api/v1/routes/:route_id - v e k a
POST   /api/v1/routes               - - e k a
PUT    /api/v1/routes               - - e k a
PUT    /api/v1/routes/:route_id - - e k a
DELETE /api/v1/routes               - - e k a
DELETE /api/v1/routes/:route_id - - e k a
GET    /api/v1/datatypes            - - e k a
GET    /api/v1/datatypes/:datatype_id - - e k a
POST   /api/v1/datatypes            - - e k a
PUT    /api/v1/datatypes            - - e k a
PUT    /api/v1/datatypes/:datatype_id - - e k a
DELETE /api/v1/datatypes            - - e k a
DELETE /api/v1/datatypes/:datatype_id - - e k a
GET    /api/v1/fields               - - e k a
GET    /api/v1/fields/:field_id - - e k a
POST   /api/v1/fields               - - e k a
PUT    /api/v1/fields               - - e k a
PUT    /api/v1/fields/:field_id - - e k a
DELETE /api/v1/fields               - - e k a
DELETE /api/v1/fields/:field_id - - e k a
GET    /api/v1/fields/check         - - e k a
GET    /api/v1/field-types          - v e k a
GET    /api/v1/field-types/:field_type_id - v e k a
PUT    /api/v1/field-types          - - e k a
PUT    /api/v1/field-types/:field_type_id - - e k a
DELETE /api/v1/field-types          - - e k a
DELETE /api/v1/field-types/:field_type_id - - e k a
GET    /api/v1/content              - v e k a
GET    /api/v1/content/:content_data_id - v e k a
POST   /api/v1/content              - - e k a
POST   /api/v1/pages                - - e k a
POST   /api/v1/admin/pages          - - e k a
PUT    /api/v1/content              - - e k a
PUT    /api/v1/content/:content_data_id - - e k a
DELETE /api/v1/content              - - e k a
DELETE /api/v1/content/:content_data_id - - e k a
GET    /api/v1/content/tree/:route_id - - e k a
POST   /api/v1/content/move         - - e k a
GET    /api/v1/content/preview-links - - e k a
GET    /api/v1/content/preview-links/:preview_link_id - - e k a
POST   /api/v1/content/preview-links - - e k a
DELETE /api/v1/content/preview-links - - e k a
DELETE /api/v1/content/preview-links/:preview_link_id - - e k a
GET    /api/v1/comments - - e k a
GET    /api/v1/comments/:comment_id - - e k a
POST   /api/v1/comments - - e k a
PUT    /api/v1/comments - - e k a
PUT    /api/v1/comments/:comment_id - - e k a
DELETE /api/v1/comments - - e k a
DELETE /api/v1/comments/:comment_id - - e k a
GET    /api/v1/review-requests - - e k a
GET    /api/v1/review-requests/:review_request_id - - e k a
POST   /api/v1/review-requests - - e k a
POST   /api/v1/review-requests/approve - - - - a
POST   /api/v1/review-requests/return - - - - a
POST   /api/v1/review-requests/withdraw - - e k a
GET    /api/v1/preview              n v e k a
GET    /api/v1/preview/events       n v e k a
GET    /api/v1/events               - v e k a
POST   /api/v1/content/reorder      - - e k a
GET    /api/v1/content-fields       - v e k a
GET    /api/v1/content-fields/:content_field_id - v e k a
POST   /api/v1/content-fields       - - e k a
PUT    /api/v1/content-fields       - - e k a
PUT    /api/v1/content-fields/:content_field_id - - e k a
DELETE /api/v1/content-fields       - - e k a
DELETE /api/v1/content-fields/:content_field_id - - e k a
GET    /api/v1/media - v e k a
GET    /api/v1/media/:media_id - v e k a
POST   /api/v1/media/upload - - e k a
POST   /api/v1/media/move - - e k a
GET    /api/v1/media/health - - - - a
DELETE /api/v1/media/cleanup - - - - a
PUT    /api/v1/media - - e k a
PUT    /api/v1/media/:media_id - - e k a
DELETE /api/v1/media - - e k a
DELETE /api/v1/media/:media_id - - e k a
GET    /api/v1/media/:media_id/references - v e k a
GET    /api/v1/media/:media_id/download - v e k a
PUT    /api/v1/media/:media_id/file - - e k a
PUT    /api/v1/media/:media_id/crop - - e k a
DELETE /api/v1/media/:media_id/crop - - e k a
POST   /api/v1/media/:media_id/regenerate - - e k a
GET    /api/v1/media-folders/tree - v e k a
GET    /api/v1/media-folders - v e k a
GET    /api/v1/media-folders/:folder_id - v e k a
POST   /api/v1/media-folders - - e k a
PUT    /api/v1/media-folders - - e k a
PUT    /api/v1/media-folders/:folder_id - - e k a
DELETE /api/v1/media-folders - - e k a
DELETE /api/v1/media-folders/:folder_id - - e k a
GET    /api/v1/admin/media - - e k a
GET    /api/v1/admin/media/:media_id - - e k a
POST   /api/v1/admin/media/upload - - e k a
POST   /api/v1/admin/media/move - - e k a
GET    /api/v1/admin/media/health - - - - a
DELETE /api/v1/admin/media/cleanup - - - - a
PUT    /api/v1/admin/media - - e k a
PUT    /api/v1/admin/media/:media_id - - e k a
DELETE /api/v1/admin/media - - e k a
DELETE /api/v1/admin/media/:media_id - - e k a
GET    /api/v1/admin/media/:media_id/references - - e k a
GET    /api/v1/admin/media/:media_id/download - - e k a
PUT    /api/v1/admin/media/:media_id/file - - e k a
PUT    /api/v1/admin/media/:media_id/crop - - e k a
DELETE /api/v1/admin/media/:media_id/crop - - e k a
POST   /api/v1/admin/media/:media_id/regenerate - - e k a
GET    /api/v1/admin/media-folders/tree - - e k a
GET    /api/v1/admin/media-folders - - e k a
GET    /api/v1/admin/media-folders/:folder_id - - e k a
POST   /api/v1/admin/media-folders - - e k a
PUT    /api/v1/admin/media-folders - - e k a
PUT    /api/v1/admin/media-folders/:folder_id - - e k a
DELETE /api/v1/admin/media-folders - - e k a
DELETE /api/v1/admin/media-folders/:folder_id - - e k a
GET    /api/v1/media-dimensions - v e k a
GET    /api/v1/media-dimensions/:media_dimension_id - v e k a
POST   /api/v1/media-dimensions - - - - a
PUT    /api/v1/media-dimensions - - - - a
PUT    /api/v1/media-dimensions/:media_dimension_id - - - - a
DELETE /api/v1/media-dimensions - - - - a
DELETE /api/v1/media-dimensions/:media_dimension_id - - - - a
GET    /api/v1/page/*               - v e k a
GET    /api/v1/globals              - v e k a
GET    /api/v1/globals/:datatype_name - v e k a
DELETE /api/v1/users/sessions       - v e k a
GET    /api/v1/admin/routes - - e k a
GET    /api/v1/admin/routes/:route_id - - e k a
POST   /api/v1/admin/routes - - e k a
PUT    /api/v1/admin/routes - - e k a
PUT    /api/v1/admin/routes/:route_id - - e k a
DELETE /api/v1/admin/routes - - e k a
DELETE /api/v1/admin/routes/:route_id - - e k a
GET    /api/v1/admin/datatypes - - e k a
GET    /api/v1/admin/datatypes/:datatype_id - - e k a
POST   /api/v1/admin/datatypes - - e k a
PUT    /api/v1/admin/datatypes - - e k a
PUT    /api/v1/admin/datatypes/:datatype_id - - e k a
DELETE /api/v1/admin/datatypes - - e k a
DELETE /api/v1/admin/datatypes/:datatype_id - - e k a
GET    /api/v1/admin/fields - - e k a
GET    /api/v1/admin/fields/:field_id - - e k a
POST   /api/v1/admin/fields - - e k a
PUT    /api/v1/admin/fields - - e k a
PUT    /api/v1/admin/fields/:field_id - - e k a
DELETE /api/v1/admin/fields - - e k a
DELETE /api/v1/admin/fields/:field_id - - e k a
GET    /api/v1/admin/fields/check - - e k a
GET    /api/v1/admin/content - - e k a
GET    /api/v1/admin/content/:content_data_id - - e k a
POST   /api/v1/admin/content - - e k a
PUT    /api/v1/admin/content - - e k a
PUT    /api/v1/admin/content/:content_data_id - - e k a
DELETE /api/v1/admin/content - - e k a
DELETE /api/v1/admin/content/:content_data_id - - e k a
GET    /api/v1/admin/content-fields - - e k a
GET    /api/v1/admin/content-fields/:content_field_id - - e k a
POST   /api/v1/admin/content-fields - - e k a
PUT    /api/v1/admin/content-fields - - e k a
PUT    /api/v1/admin/content-fields/:content_field_id - - e k a
DELETE /api/v1/admin/content-fields - - e k a
DELETE /api/v1/admin/content-fields/:content_field_id - - e k a
GET    /api/v1/admin/field-types - v e k a
GET    /api/v1/admin/field-types/:field_type_id - v e k a
PUT    /api/v1/admin/field-types - - e k a
PUT    /api/v1/admin/field-types/:field_type_id - - e k a
DELETE /api/v1/admin/field-types - - e k a
DELETE /api/v1/admin/field-types/:field_type_id - - e k a
GET    /api/v1/admin/content/tree/:route_id - - e k a
POST   /api/v1/admin/content/move - - e k a
POST   /api/v1/admin/content/reorder - - e k a
GET    /api/v1/admin/tree/* - - e k a
GET    /api/v1/audit-events - - - - a
GET    /api/v1/audit-events/:audit_event_id - - - - a
GET    /api/v1/types.ts             - - e k a
GET    /api/v1/query/:datatype_name - v e k a
GET    /api/v1/query/:datatype_name/:entry - v e k a
GET    /api/v1/search - v e k a
GET    /api/v1/locales - v e k a
GET    /api/v1/locales/:locale_id - v e k a
POST   /api/v1/locales - - - - a
PUT    /api/v1/locales - - - - a
PUT    /api/v1/locales/:locale_id - - - - a
DELETE /api/v1/locales - - - - a
DELETE /api/v1/locales/:locale_id - - - - a
GET    /api/v1/model - - e k a
PUT    /api/v1/model - - e k a
GET    /api/v1/routes/published n v e k a
GET    /api/v1/redirects - v e k a
GET    /api/v1/redirects/:redirect_id - v e k a
POST   /api/v1/redirects - - e k a
PUT    /api/v1/redirects - - e k a
PUT    /api/v1/redirects/:redirect_id - - e k a
DELETE /api/v1/redirects - - e k a
DELETE /api/v1/redirects/:redirect_id - - e k a
GET    /api/v1/content/versions - - e k a
GET    /api/v1/content/versions/:content_version_id - - e k a
POST   /api/v1/content/versions - - e k a
DELETE /api/v1/content/versions - - e k a
DELETE /api/v1/content/versions/:content_version_id - - e k a
GET    /api/v1/content/versions/difference - - e k a
POST   /api/v1/content/restore - - e k a
GET    /api/v1/content/changes - - e k a
GET    /api/v1/content/check - - e k a
POST   /api/v1/content/changes/drop - - e k a
POST   /api/v1/content/publish - - - - a
POST   /api/v1/content/unpublish - - - - a
POST   /api/v1/content/schedule - - - - a
GET    /api/v1/trash - - e k a
GET    /api/v1/trash/:trash_id - - e k a
DELETE /api/v1/trash - - e k a
DELETE /api/v1/trash/:trash_id - - e k a
POST   /api/v1/trash/restore - - e k a
GET    /api/v1/admin/trash - - e k a
GET    /api/v1/admin/trash/:trash_id - - e k a
DELETE /api/v1/admin/trash - - e k a
DELETE /api/v1/admin/trash/:trash_id - - e k a
POST   /api/v1/admin/trash/restore - - e k a
GET    /api/v1/admin/content/versions - - e k a
GET    /api/v1/admin/content/versions/:content_version_id - - e k a
POST   /api/v1/admin/content/versions - - e k a
DELETE /api/v1/admin/content/versions - - e k a
DELETE /api/v1/admin/content/versions/:content_version_id - - e k a
GET    /api/v1/admin/content/versions/difference - - e k a
POST   /api/v1/admin/content/restore - - e k a
GET    /api/v1/admin/content/changes - - e k a
GET    /api/v1/admin/content/check - - e k a
POST   /api/v1/admin/content/changes/drop - - e k a
POST   /api/v1/admin/content/publish - - e k a
POST   /api/v1/admin/content/unpublish - - e k a
POST   /api/v1/admin/content/schedule - - e k a
POST   /api/v1/content/duplicate - - e k a
POST   /api/v1/content/heal - - - - a
POST   /api/v1/admin/content/duplicate - - e k a
POST   /api/v1/admin/content/heal - - - - a
GET    /api/v1/admin/webhooks - - - - a
POST   /api/v1/admin/webhooks - - - - a
GET    /api/v1/admin/webhooks/:webhook_id - - - - a
PUT    /api/v1/admin/webhooks/:webhook_id - - - - a
DELETE /api/v1/admin/webhooks/:webhook_id - - - - a
POST   /api/v1/admin/webhooks/:webhook_id/rotate-secret - - - - a
POST   /api/v1/admin/webhooks/:webhook_id/test - - - - a
GET    /api/v1/admin/webhooks/:webhook_id/deliveries - - - - a
POST   /api/v1/admin/webhooks/deliveries/:delivery_id/retry - - - - a
POST   /api/v1/admin/webhooks/:webhook_id/replay - - - - a
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
  const concrete = path.replace(/:\w+/, '01ARZ3NDEKTSV4RRFFQ69G5FAV').replace('/*', '/nothing')
  for (const spelling of [concrete, `${concrete}/`])
    for (const as of Object.values(letters)) {
      const { status } = await call(method, spelling, { as, ...(method === 'GET' ? {} : { body: {} }) })
      expect([as, spelling, status === 403]).toEqual([as, spelling, !allowed.includes(as)])
    }
})
