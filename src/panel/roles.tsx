import { z } from 'zod'
import { notFound } from '../errors.js'
import {
  allPermissions,
  isEditorWithoutPublish,
  publishPermission,
  roleResource,
} from '../resources/roles.js'
import type { PanelContext } from './context.js'
import { saved } from './pages.js'
import { Act } from './parts.js'
import { resourcePages } from './resource.js'
import { PermissionGrid } from './role-grid.js'
import { panelActor } from './view.js'

const Chosen = z.object({ permission_id: z.array(z.string()) })

/** Sets of permissions. */
export function rolePages(context: PanelContext) {
  const { rolePermissions } = context.services
  const set = resourcePages(context, {
    ...roleResource(context),
    path: '/roles',
    async more(view, role) {
      const { role_id } = role
      const held = await rolePermissions.ofRole(role_id)
      const ids = new Set(held.map(row => row.permission_id))
      return (
        <>
          {isEditorWithoutPublish(role, held) && view.can('roles:create') && (
            <section aria-labelledby="publishing">
              <div class="head">
                <h2 id="publishing">Publishing</h2>
                <Act view={view} action={`/roles/${role_id}/publish`}>
                  Let editors publish
                </Act>
              </div>
              <p class="lead">
                Editors write drafts and change published pages. They cannot publish or unpublish.
              </p>
            </section>
          )}
          <PermissionGrid view={view} roleId={role_id} all={await allPermissions(context)} held={ids} />
        </>
      )
    },
  })
  set.act('/roles/:role_id/publish', 'roles:create', async c => {
    const role_id = c.req.param('role_id') ?? ''
    const permission = (await allPermissions(context)).find(({ label }) => label === publishPermission)
    if (!permission) throw notFound()
    await rolePermissions.grant(panelActor(c), { role_id, permission_id: permission.permission_id })
    return saved(`/roles/${role_id}`)
  })
  set.submit('/roles/:role_id/permissions', 'roles:create', Chosen, c => ({
    names: [],
    async save({ body }) {
      const id = c.req.param('role_id') ?? ''
      await rolePermissions.replace(panelActor(c), id, body.permission_id)
      return saved(`/roles/${id}`)
    },
  }))
  return set
}
