import { allPermissions, roleResource } from '../../resources/roles.js'
import { t } from '../../texts/terminal.js'
import { resourceView, unlessChanged } from '../resource.js'
import { pickView } from '../screen/over.js'
import type { AnyView } from '../screen/view.js'
import type { Session } from '../session.js'

/** Roles, which are sets of permissions. */
export const rolesScreen = (session: Session) =>
  resourceView(session, {
    ...roleResource(session),
    byAge: t('Created'),
    listKeys: [
      {
        key: 'p',
        does: t('permissions'),
        run: (shell, { role_id, label }) =>
          shell.work('roles:read', async () => {
            shell.open(await permissionsView(session, role_id, label))
          }),
      },
    ],
  })

async function permissionsView(session: Session, roleId: string, label: string): Promise<AnyView> {
  const { rolePermissions } = session.services
  const held = (await rolePermissions.ofRole(roleId)).map(({ permission_id }) => permission_id).sort()
  const known = await allPermissions(session)
  return pickView({
    title: t('Permissions of {label}', { label }),
    many: true,
    chosen: held,
    choices: known.map(one => ({ value: one.permission_id, word: one.label })),
    picked: (chosen, _choices, shell) =>
      shell.work('roles:create', async () => {
        await rolePermissions.replace(session.actor, roleId, chosen, unlessChanged(held))
        shell.say(t('{label} has {n} permissions.', { label, n: chosen.length }))
      }),
  })
}
