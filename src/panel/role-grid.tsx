import { type Field, Fields } from './controls.js'
import type { Draft } from './pages.js'
import { Form, Submit } from './parts.js'
import { inTableOrder, PermissionTable } from './permission-table.js'
import type { View } from './view.js'

interface Permission {
  readonly permission_id: string
  readonly label: string
}

interface GridProps {
  view: View
  roleId: string
  all: readonly Permission[]
  held: ReadonlySet<string>
  draft?: Draft | undefined
  seen: string
}

const member = 'permission_id'

/** The permissions of a role as a table. */
export function PermissionGrid({ view, roleId, all, held, draft, seen }: GridProps) {
  const permissions = inTableOrder(all.map(({ permission_id, label }) => ({ value: permission_id, label })))
  const field: Field = {
    name: member,
    label: view.t('Permissions'),
    kind: 'choices',
    choices: permissions.map(({ value, label }) => ({ value, word: label })),
    value: permissions.map(({ value }) => value).filter(id => held.has(id)),
  }
  const ticked = draft ? new Set([draft.texts[member] ?? []].flat()) : held
  const mayChange = view.can('roles:create') && view.can('roles:delete')
  return (
    <section aria-labelledby="permissions" id={`e-${member}`}>
      <Form view={view} action={`/roles/${roleId}/permissions`}>
        <div class="head">
          <h2 id="permissions">{view.t('Permissions')}</h2>
          {mayChange && <Submit>{view.t('Save the permissions')}</Submit>}
        </div>
        <Fields view={view} fields={[]} listed={[field]} draft={draft} seen={seen} />
        <PermissionTable view={view} name={member} all={permissions} ticked={ticked} disabled={!mayChange} />
      </Form>
    </section>
  )
}
