import { expect, it } from 'vitest'
import { authenticationBy } from '../../src/middleware/authenticate.js'
import { panelRouters } from '../../src/panel/index.js'
import { recordResponses } from '../../src/routes/crud-routes.js'
import { testApp } from '../support/app.js'
import { callersOf } from '../support/callers.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config, app_secret: 'a secret of sixteen characters and more' })
const { call, send, services, parts } = app
const { callerIn, callerWith } = callersOf(app)
const { ports, config } = parts

/**
 * Who may look at which page of the panel and do what there, written by hand as the table of endpoints is. Behind a `?`
 * is what the form says. `-` is refused; n nobody, v viewer, e editor, p somebody with just the permission that guards
 * it, a administrator.
 */
const table = `
GET  /files/:hash/:name  public  n v e p a
GET  /edit.js  public  n v e p a
GET  /sign-in  public  n v e p a
POST /sign-in  public  n v e p a
POST /sign-in/code  public  n v e p a
POST /sign-in/language  public  n v e p a
GET  /forgotten  public  n v e p a
POST /forgotten  public  n v e p a
GET  /preview  public  n v e p a
GET  /new-password  public  n v e p a
GET  /parts  signed-in  - v e p a
POST /new-password  public  n v e p a
POST /sign-out  public  n v e p a
GET  /  signed-in  - v e p a
GET  /find  signed-in  - v e p a
GET  /form-token  signed-in  - v e p a
GET  /find/results  signed-in  - v e p a
GET  /calendar  content:update  - - e p a
GET  /calendar.ics  public  n v e p a
POST /calendar/address  content:update  - - e p a
POST /calendar/address/revoke  content:update  - - e p a
GET  /content  content:update  - - e p a
GET  /content/new  content:create  - - e - a
GET  /content-slug  content:create  - - e - a
POST /content/new?title=x&slug=/x&datatype_id=01ARZ3NDEKTSV4RRFFQ69G5FAV  content:create  - - e - a
GET  /content/:route_id  content:update  - - e p a
POST /content/:route_id/start  content:create  - - e p a
POST /content-global  content:create  - - e p a
GET  /content/entry/:entry_id  content:update  - - e p a
POST /content/entry/:entry_id  content:update  - - e p a
POST /content/entry/:entry_id/add  content:create  - - e p a
POST /content/entry/:entry_id/move  content:update  - - e p a
POST /content/entry/:entry_id/place  content:update  - - e p a
POST /content/entry/:entry_id/duplicate  content:create  - - e p a
GET  /content/entry/:entry_id/delete  content:delete  - - e p a
POST /content/entry/:entry_id/delete  content:delete  - - e p a
POST /content/entry/:entry_id/unpublish  content:publish  - - - p a
POST /content/entry/:entry_id/undo  content:update  - - e p a
POST /content/entry/:entry_id/schedule  content:publish  - - - p a
POST /content-selection?what=move&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  content:update  - - e p a
POST /content-selection?what=delete&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  content:update  - - e - a
POST /content-selection?what=publish&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  content:update  - - - - a
POST /content-selection?what=unpublish&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  content:update  - - - - a
POST /content-work?what=publish&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  content:update  - - - - a
POST /content-work?what=duplicate&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  content:update  - - e - a
POST /content-work?what=move&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  content:update  - - e - a
POST /content-work?what=unpublish&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  content:update  - - - - a
POST /content-work?what=schedule&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  content:update  - - - - a
POST /content-work?what=delete&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  content:update  - - e - a
GET  /content-removal  content:delete  - - e p a
GET  /content/entry/:entry_id/starts  content:create  - - e p a
GET  /content/entry/:entry_id/versions  content:update  - - e p a
GET  /content/entry/:entry_id/compare  content:update  - - e p a
GET  /content/entry/:entry_id/changes  content:update  - - e p a
POST /content/entry/:entry_id/versions  content:update  - - e p a
POST /content/entry/:entry_id/versions/:version_id/restore  content:update  - - e p a
POST /content/entry/:entry_id/changes/drop  content:update  - - e p a
GET  /content/entry/:entry_id/page  content:update  - - e p a
GET  /content/entry/:entry_id/site  content:update  - - e p a
GET  /content/entry/:entry_id/preview-links  content:update  - - e p a
POST /content/entry/:entry_id/preview-links  content:update  - - e p a
POST /content/entry/:entry_id/preview-links/:preview_link_id/end  content:update  - - e p a
POST /content/entry/:entry_id/comments  content:update  - - e p a
POST /content/entry/:entry_id/comments/:comment_id  content:update  - - e p a
POST /content/entry/:entry_id/comments/:comment_id/resolve  content:update  - - e p a
POST /content/entry/:entry_id/comments/:comment_id/reopen  content:update  - - e p a
POST /content/entry/:entry_id/comments/:comment_id/delete  content:update  - - e p a
POST /content/entry/:entry_id/review  content:update  - - e p a
POST /content/entry/:entry_id/review/:review_request_id/approve  content:publish  - - - p a
POST /content/entry/:entry_id/review/:review_request_id/return  content:publish  - - - p a
POST /content/entry/:entry_id/review/:review_request_id/withdraw  content:update  - - e p a
POST /presence/:entry_id  content:update  - - e p a
POST /presence/:entry_id/leave  content:update  - - e p a
GET  /pick/entries  content:update  - - e p a
GET  /pick/pages  content:update  - - e p a
GET  /pick/media  media:read  - v e p a
GET  /pick/images  media:read  - v e p a
GET  /media/:record_id  media:read  - v e p a
POST /media/:record_id  media:update  - - e p a
GET  /media/:record_id/delete  media:delete  - - e p a
POST /media/:record_id/delete  media:delete  - - e p a
GET  /media  media:read  - v e p a
POST /media-upload  media:create  - - e p a
POST /media-file/:media_id  media:update  - - e p a
POST /media-work  media:update  - - e p a
GET  /media/:media_id/crop  media:update  - - e p a
POST /media/:media_id/crop  media:update  - - e p a
POST /media/:media_id/uncrop  media:update  - - e p a
GET  /media/:media_id/uncropped  media:update  - - e p a
POST /media-folders  media:create  - - e p a
POST /media-folders/:folder_id  media:update  - - e p a
GET  /media-folders/:folder_id/delete  media:delete  - - e p a
POST /media-folders/:folder_id/delete  media:delete  - - e p a
GET  /routes  routes:read  - v e p a
GET  /routes/new  routes:create  - - e p a
POST /routes/new  routes:create  - - e p a
GET  /routes/:record_id  routes:read  - v e p a
POST /routes/:record_id  routes:update  - - e p a
GET  /routes/:record_id/delete  routes:delete  - - e p a
POST /routes/:record_id/delete  routes:delete  - - e p a
GET  /datatypes  datatypes:read  - - e p a
GET  /datatypes/new  datatypes:create  - - e p a
POST /datatypes/new  datatypes:create  - - e p a
GET  /datatypes/:record_id  datatypes:read  - - e p a
POST /datatypes/:record_id  datatypes:update  - - e p a
GET  /datatypes/:record_id/delete  datatypes:delete  - - e p a
POST /datatypes/:record_id/delete  datatypes:delete  - - e p a
POST /datatypes/:record_id/fields  fields:create  - - e p a
POST /datatypes/:record_id/order  fields:update  - - e p a
GET  /fields  fields:read  - - e p a
GET  /fields/new  fields:create  - - e p a
POST /fields/new  fields:create  - - e p a
GET  /fields/:record_id  fields:read  - - e p a
POST /fields/:record_id  fields:update  - - e p a
GET  /fields/:record_id/delete  fields:delete  - - e p a
POST /fields/:record_id/delete  fields:delete  - - e p a
GET  /trash  content:update  - - e p a
POST /trash/restore?ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  content:delete  - - e p a
GET  /trash/:trash_id/delete  content:delete  - - e p a
POST /trash/:trash_id/delete  content:delete  - - e p a
GET  /redirects  routes:read  - v e p a
GET  /redirects/new  routes:create  - - e p a
POST /redirects/new  routes:create  - - e p a
GET  /redirects/:record_id  routes:read  - v e p a
POST /redirects/:record_id  routes:update  - - e p a
GET  /redirects/:record_id/delete  routes:delete  - - e p a
POST /redirects/:record_id/delete  routes:delete  - - e p a
GET  /locales  content:read  - v e p a
GET  /locales/new  content:admin  - - - p a
POST /locales/new  content:admin  - - - p a
GET  /locales/:record_id  content:read  - v e p a
POST /locales/:record_id  content:admin  - - - p a
GET  /locales/:record_id/delete  content:admin  - - - p a
POST /locales/:record_id/delete  content:admin  - - - p a
GET  /users  users:read  - - e p a
GET  /users/new  users:create  - - - p a
POST /users/new  users:create  - - - p a
GET  /users/:record_id  users:read  - - e p a
POST /users/:record_id  users:update  - - - p a
GET  /users/:record_id/delete  users:delete  - - - p a
POST /users/:user_id/second-factor/reset  users:update  - - - p a
POST /users/:record_id/delete  users:delete  - - - p a
POST /users/:user_id/password-link  users:update  - - - p a
GET  /roles  roles:read  - - - p a
GET  /roles/new  roles:create  - - - p a
POST /roles/new  roles:create  - - - p a
GET  /roles/:record_id  roles:read  - - - p a
POST /roles/:record_id  roles:update  - - - p a
GET  /roles/:record_id/delete  roles:delete  - - - p a
POST /roles/:record_id/delete  roles:delete  - - - p a
POST /roles/:role_id/second-factor  roles:update  - - - p a
POST /roles/:role_id/limits  roles:update  - - - p a
POST /roles/:role_id/publish  roles:create  - - - - a
POST /roles/:role_id/permissions  roles:create  - - - p a
GET  /tokens  tokens:read  - - - p a
GET  /tokens/new  tokens:create  - - - p a
POST /tokens/new  tokens:create  - - - p a
GET  /tokens/:record_id  tokens:read  - - - p a
POST /tokens/:record_id  tokens:update  - - - p a
GET  /tokens/:record_id/delete  tokens:delete  - - - p a
POST /tokens/:record_id/delete  tokens:delete  - - - p a
GET  /connect  tokens:create  - - - p a
POST /connect/approve  tokens:create  - - - p a
POST /connect/deny  tokens:create  - - - p a
GET  /webhooks  webhook:read  - - - p a
GET  /webhooks/new  webhook:create  - - - p a
POST /webhooks/new  webhook:create  - - - p a
GET  /webhooks/:record_id  webhook:read  - - - p a
POST /webhooks/:record_id  webhook:update  - - - p a
GET  /webhooks/:webhook_id/deliveries/:delivery_id  webhook:read  - - - p a
GET  /webhooks/:record_id/delete  webhook:delete  - - - p a
POST /webhooks/:record_id/delete  webhook:delete  - - - p a
POST /webhooks/:webhook_id/rotate  webhook:update  - - - p a
POST /webhooks/:webhook_id/test  webhook:update  - - - p a
POST /webhooks/:webhook_id/replay  webhook:update  - - - p a
POST /webhooks/:webhook_id/deliveries/:delivery_id/retry  webhook:update  - - - p a
GET  /audit  audit:read  - - - p a
GET  /audit/:audit_event_id  audit:read  - - - p a
GET  /backups  deploy:read  - - - p a
GET  /backups/:backup_id/archive  deploy:read  - - - - a
POST /backups  deploy:create  - - - p a
GET  /import  import:read  - - - p a
GET  /import/from/:system  import:create  - - - p a
POST /import/upload/:system  import:create  - - - p a
POST /import/address/:system  import:create  - - - p a
GET  /import/:import_id  import:read  - - - p a
POST /import/:import_id/start  import:update  - - - p a
POST /import/:import_id/cancel  import:update  - - - p a
POST /import/:import_id/delete  import:delete  - - - p a
GET  /settings  config:read  - - e p a
POST /settings  config:update  - - - p a
POST /views  signed-in  - v e p a
POST /views/:view_id  signed-in  - v e p a
POST /views/:view_id/delete  signed-in  - v e p a
GET  /profile  signed-in  - v e p a
POST /profile  signed-in  - v e p a
GET  /profile/second-factor  own-account  - v e p a
POST /profile/second-factor  own-account  - v e p a
POST /profile/second-factor/confirm  own-account  - v e p a
POST /profile/second-factor/change  signed-in  - v e p a
GET  /profile/passkeys  own-account  - v e p a
POST /profile/passkeys/:passkey_id  signed-in  - v e p a
POST /profile/passkeys/:passkey_id/delete  signed-in  - v e p a
GET  /profile/providers  signed-in  - v e p a
POST /profile/providers  signed-in  - v e p a
POST /profile/providers/:user_oauth_id/delete  signed-in  - v e p a
POST /profile/password  signed-in  - v e p a
POST /profile/keys  signed-in  - v e p a
POST /profile/theme  signed-in  - v e p a
POST /profile/language  signed-in  - v e p a
POST /profile/sessions/others/end  signed-in  - v e p a
POST /profile/sessions/:session_id/end  signed-in  - - - - a
POST /profile/keys/:ssh_key_id/delete  signed-in  - - - - a
GET  /space/find  signed-in  - v e p a
GET  /space/find/results  signed-in  - v e p a
GET  /space/content  admin_tree:update  - - e p a
GET  /space/content/new  admin_tree:create  - - e p a
GET  /space/content-slug  admin_tree:create  - - e p a
POST /space/content/new?title=x&slug=/x&datatype_id=01ARZ3NDEKTSV4RRFFQ69G5FAV  admin_tree:create  - - e p a
GET  /space/content/:route_id  admin_tree:update  - - e p a
POST /space/content/:route_id/start  admin_tree:create  - - e p a
POST /space/content-global  admin_tree:create  - - e p a
GET  /space/content/entry/:entry_id  admin_tree:update  - - e p a
POST /space/content/entry/:entry_id  admin_tree:update  - - e p a
POST /space/content/entry/:entry_id/add  admin_tree:create  - - e p a
POST /space/content/entry/:entry_id/move  admin_tree:update  - - e p a
POST /space/content/entry/:entry_id/place  admin_tree:update  - - e p a
POST /space/content/entry/:entry_id/undo  admin_tree:update  - - e p a
POST /space/content/entry/:entry_id/duplicate  admin_tree:create  - - e p a
GET  /space/content/entry/:entry_id/delete  admin_tree:delete  - - e p a
POST /space/content/entry/:entry_id/delete  admin_tree:delete  - - e p a
POST /space/content/entry/:entry_id/unpublish  admin_tree:update  - - e p a
POST /space/content/entry/:entry_id/schedule  admin_tree:update  - - e p a
POST /space/content-selection?what=move&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  admin_tree:update  - - e p a
POST /space/content-selection?what=delete&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  admin_tree:update  - - e - a
POST /space/content-selection?what=publish&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  admin_tree:update  - - e p a
POST /space/content-selection?what=unpublish&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  admin_tree:update  - - e p a
POST /space/content-work?what=publish&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  admin_tree:update  - - e p a
POST /space/content-work?what=duplicate&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  admin_tree:update  - - e - a
POST /space/content-work?what=move&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  admin_tree:update  - - e p a
POST /space/content-work?what=unpublish&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  admin_tree:update  - - e p a
POST /space/content-work?what=schedule&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  admin_tree:update  - - e p a
POST /space/content-work?what=delete&ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  admin_tree:update  - - e - a
GET  /space/trash  admin_tree:update  - - e p a
POST /space/trash/restore?ids=01ARZ3NDEKTSV4RRFFQ69G5FAV  admin_tree:delete  - - e p a
GET  /space/trash/:trash_id/delete  admin_tree:delete  - - e p a
POST /space/trash/:trash_id/delete  admin_tree:delete  - - e p a
GET  /space/content-removal  admin_tree:delete  - - e p a
GET  /space/content/entry/:entry_id/starts  admin_tree:create  - - e p a
GET  /space/content/entry/:entry_id/page  admin_tree:update  - - e p a
GET  /space/content/entry/:entry_id/versions  admin_tree:update  - - e p a
GET  /space/content/entry/:entry_id/compare  admin_tree:update  - - e p a
GET  /space/content/entry/:entry_id/changes  admin_tree:update  - - e p a
POST /space/content/entry/:entry_id/versions  admin_tree:update  - - e p a
POST /space/content/entry/:entry_id/versions/:version_id/restore  admin_tree:update  - - e p a
POST /space/content/entry/:entry_id/changes/drop  admin_tree:update  - - e p a
POST /space/presence/:entry_id  admin_tree:update  - - e p a
POST /space/presence/:entry_id/leave  admin_tree:update  - - e p a
GET  /space/pick/entries  admin_tree:update  - - e p a
GET  /space/pick/pages  admin_tree:update  - - e p a
GET  /space/pick/media  admin_tree:read  - - e p a
GET  /space/pick/images  admin_tree:read  - - e p a
GET  /space/media/:record_id  admin_tree:read  - - e p a
POST /space/media/:record_id  admin_tree:update  - - e p a
GET  /space/media/:record_id/delete  admin_tree:delete  - - e p a
POST /space/media/:record_id/delete  admin_tree:delete  - - e p a
GET  /space/media  admin_tree:read  - - e p a
POST /space/media-upload  admin_tree:create  - - e p a
POST /space/media-work  admin_tree:update  - - e p a
GET  /space/media/:media_id/crop  admin_tree:update  - - e p a
POST /space/media/:media_id/crop  admin_tree:update  - - e p a
POST /space/media/:media_id/uncrop  admin_tree:update  - - e p a
GET  /space/media/:media_id/uncropped  admin_tree:update  - - e p a
POST /space/media-file/:media_id  admin_tree:update  - - e p a
POST /space/media-folders  admin_tree:create  - - e p a
POST /space/media-folders/:folder_id  admin_tree:update  - - e p a
GET  /space/media-folders/:folder_id/delete  admin_tree:delete  - - e p a
POST /space/media-folders/:folder_id/delete  admin_tree:delete  - - e p a
GET  /space/routes  admin_tree:read  - - e p a
GET  /space/routes/new  admin_tree:create  - - e p a
POST /space/routes/new  admin_tree:create  - - e p a
GET  /space/routes/:record_id  admin_tree:read  - - e p a
POST /space/routes/:record_id  admin_tree:update  - - e p a
GET  /space/routes/:record_id/delete  admin_tree:delete  - - e p a
POST /space/routes/:record_id/delete  admin_tree:delete  - - e p a
GET  /space/datatypes  admin_tree:read  - - e p a
GET  /space/datatypes/new  admin_tree:create  - - e p a
POST /space/datatypes/new  admin_tree:create  - - e p a
GET  /space/datatypes/:record_id  admin_tree:read  - - e p a
POST /space/datatypes/:record_id  admin_tree:update  - - e p a
GET  /space/datatypes/:record_id/delete  admin_tree:delete  - - e p a
POST /space/datatypes/:record_id/delete  admin_tree:delete  - - e p a
POST /space/datatypes/:record_id/fields  admin_tree:create  - - e p a
POST /space/datatypes/:record_id/order  admin_tree:update  - - e p a
GET  /space/fields  admin_tree:read  - - e p a
GET  /space/fields/new  admin_tree:create  - - e p a
POST /space/fields/new  admin_tree:create  - - e p a
GET  /space/fields/:record_id  admin_tree:read  - - e p a
POST /space/fields/:record_id  admin_tree:update  - - e p a
GET  /space/fields/:record_id/delete  admin_tree:delete  - - e p a
POST /space/fields/:record_id/delete  admin_tree:delete  - - e p a
`
const rows = table
  .trim()
  .split('\n')
  .map(line => {
    const [method = '', path = '', permission = '', ...allowed] = line.split(/ +/)
    return { method, path, permission, allowed }
  })

const system = async (label: 'viewer' | 'editor' | 'admin') =>
  callerIn(await services.access.systemRole(label))
const callers = [
  ['v', () => system('viewer')],
  ['e', () => system('editor')],
  ['p', (permission: string) => callerWith(permission)],
  ['a', () => system('admin')],
] as const

const refused = ({ status }: { status: number }) => status === 403

/** A browser that nobody is signed in with has a token of its own for the forms that are for it. */
async function isRefusedForNobody(method: string, path: string, form: URLSearchParams): Promise<boolean> {
  const visitor = 'a visitor'
  const headers = { Cookie: `slugline_visitor=${encodeURIComponent(visitor)}` }
  form.set('form_token', ports.hashing.sha256(`form of the panel: ${visitor}`))
  const answer =
    method === 'GET'
      ? await call(method, path, { as: 'nobody', headers })
      : await send(method, `${path}?${form}`, {
          as: 'nobody',
          headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
          body: form.toString(),
        })
  const isSentAway =
    path !== '/admin/sign-out' && answer.headers.get('location')?.startsWith('/admin/sign-in')
  return refused(answer) || isSentAway === true
}

it('has a line for every page and action, and no other', () => {
  const routers = panelRouters({
    ...{ services, config, ...ports },
    authentication: authenticationBy(services, config),
    recordResponses: recordResponses(ports.hashing),
    exposition: ports.exposition(() => services.metrics.measure()),
    secure: false,
  })
  const declared = routers.flatMap(({ declarations }) =>
    declarations.map(({ method, path, access }) => `${method.toUpperCase()} ${path} ${access}`),
  )
  const listed = rows.map(({ method, path, permission }) => `${method} ${path.split('?')[0]} ${permission}`)
  expect(declared.toSorted()).toEqual([...new Set(listed)].toSorted())
})

it.each(rows)('$method $path', async ({ method, path, permission, allowed }) => {
  const [page = '', values] = path.split('?')
  const at = `/admin${page}`.replaceAll(/:\w+_id/g, '01ARZ3NDEKTSV4RRFFQ69G5FAV').replaceAll(/:\w+/g, 'x')
  const found = [(await isRefusedForNobody(method, at, new URLSearchParams(values))) ? '-' : 'n']
  for (const [letter, callerOf] of callers) {
    const caller = await callerOf(permission)
    const form = Object.fromEntries(new URLSearchParams(values))
    const answer = method === 'GET' ? await caller.call('GET', at) : await caller.post(at, form)
    found.push(refused(answer) ? '-' : letter)
  }
  expect(found).toEqual(allowed)
})
