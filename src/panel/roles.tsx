import { z } from 'zod'
import { notFound } from '../errors.js'
import { type Ctx, idParam } from '../middleware/context.js'
import {
  allPermissions,
  isAdmins,
  isEditorWithoutPublish,
  publishPermission,
  roleResource,
} from '../resources/roles.js'
import { RoleUpdate } from '../services/accounts/roles.js'
import type { PanelContext } from './context.js'
import { Page } from './layout.js'
import { type Draft, saved } from './pages.js'
import { Act } from './parts.js'
import { markOf, unlessChanged } from './record-mark.js'
import { resourcePages } from './resource.js'
import { PermissionGrid } from './role-grid.js'
import { LimitsOf, limitPages } from './role-limits.js'
import { panelActor, type View } from './view.js'

const idIn = (c: Ctx): string => idParam(c, 'role_id')

const Factor = RoleUpdate.pick({ second_factor: true })
const Chosen = z.object({ permission_id: z.array(z.string()) })

/** Roles, which are sets of permissions. */
export function rolePages(context: PanelContext) {
  const { access, roles, rolePermissions } = context.services
  const grid = async (view: View, roleId: string, draft?: Draft) => {
    const held = (await rolePermissions.ofRole(roleId)).map(({ permission_id }) => permission_id).sort()
    return (
      <PermissionGrid
        view={view}
        roleId={roleId}
        all={await allPermissions(context)}
        held={new Set(held)}
        draft={draft}
        seen={markOf(context, held)}
      />
    )
  }
  const set = resourcePages(context, {
    ...roleResource(context),
    path: '/roles',
    async more(view, role, c) {
      const { role_id } = role
      const mayChange = view.can('roles:update') && (await access.isAdministrator(panelActor(c)))
      const held = await rolePermissions.ofRole(role_id)
      return (
        <>
          {isEditorWithoutPublish(role, held) && view.can('roles:create') && (
            <section aria-labelledby="publishing">
              <div class="head">
                <h2 id="publishing">{view.t('Publishing')}</h2>
                <Act view={view} action={`/roles/${role_id}/publish`}>
                  {view.t('Let editors publish')}
                </Act>
              </div>
              <p class="lead">
                {view.t('Editors write drafts and change published pages. They cannot publish or unpublish.')}
              </p>
            </section>
          )}
          {view.can('roles:update') && (
            <section aria-labelledby="second-factor">
              <div class="head">
                <h2 id="second-factor">{view.t('Second factor')}</h2>
                <Act
                  view={view}
                  action={`/roles/${role_id}/second-factor`}
                  values={{ second_factor: String(!role.second_factor) }}
                >
                  {role.second_factor ? view.t('Make it optional') : view.t('Require it')}
                </Act>
              </div>
              <p class="lead">
                {role.second_factor
                  ? view.t('Required. People without one can only set one up when they sign in.')
                  : view.t(
                      'Optional. If you require it, people without one can only set one up when they sign in.',
                    )}
              </p>
            </section>
          )}
          {!isAdmins(role) && (await LimitsOf({ view, c, role, mayChange }, context))}
          {await grid(view, role_id)}
        </>
      )
    },
  })
  set.act('/roles/:role_id/publish', 'roles:create', async c => {
    const role_id = idIn(c)
    const permission = (await allPermissions(context)).find(({ label }) => label === publishPermission)
    if (!permission) throw notFound()
    await rolePermissions.grant(panelActor(c), { role_id, permission_id: permission.permission_id })
    return saved(`/roles/${role_id}`)
  })
  set.submit('/roles/:role_id/second-factor', 'roles:update', Factor, c => ({
    names: [],
    async save({ body }) {
      await roles.update(panelActor(c), idIn(c), body)
      return saved(`/roles/${idIn(c)}`)
    },
  }))
  limitPages(set, context)
  set.submit('/roles/:role_id/permissions', 'roles:create', Chosen, c => ({
    names: ['permission_id'],
    async save({ body, seen }) {
      await rolePermissions.replace(panelActor(c), idIn(c), body.permission_id, unlessChanged(context, seen))
      return saved(`/roles/${idIn(c)}`)
    },
    async redraw(view, draft) {
      const { label } = await roles.get(idIn(c))
      const crumbs = [
        { word: view.t('Roles'), path: '/roles' },
        { word: label, path: `/roles/${idIn(c)}` },
      ]
      return (
        <Page view={view} title={view.t('Permissions of {role}', { role: label })} crumbs={crumbs} column>
          {await grid(view, idIn(c), draft)}
        </Page>
      )
    },
  }))
  return set
}
