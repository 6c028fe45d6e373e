import { z } from 'zod'
import { allPermissions, roleResource } from '../resources/roles.js'
import type { PanelContext } from './context.js'
import { saved } from './pages.js'
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
    async more(view, { role_id }) {
      const held = new Set((await rolePermissions.ofRole(role_id)).map(row => row.permission_id))
      return <PermissionGrid view={view} roleId={role_id} all={await allPermissions(context)} held={held} />
    },
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
