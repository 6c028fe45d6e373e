import { type Field, Fields } from './controls.js'
import type { Draft } from './pages.js'
import { Form, Submit } from './parts.js'
import type { View } from './view.js'

const operations = ['read', 'create', 'update', 'delete', 'admin', 'publish'] as const

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

/** Returns the usual operations, then those of custom permissions: a permission without a box would be removed. */
function columnsOf(all: readonly Permission[]): string[] {
  const known = new Set<string>(operations)
  const others = new Set(all.map(({ label }) => label.slice(label.indexOf(':') + 1)))
  return [...operations, ...[...others].filter(operation => !known.has(operation)).sort()]
}

/** Resources as rows, operations as columns; each cell has a full label for screen readers. */
export function PermissionGrid({ view, roleId, all, held, draft, seen }: GridProps) {
  const byLabel = new Map(all.map(permission => [permission.label, permission]))
  const resources = [...new Set(all.map(({ label }) => label.split(':')[0] ?? ''))].sort()
  const columns = columnsOf(all)
  const inOrder = resources.flatMap(resource =>
    columns.flatMap(operation => byLabel.get(`${resource}:${operation}`) ?? []),
  )
  const field: Field = {
    name: member,
    label: view.t('Permissions'),
    kind: 'choices',
    choices: inOrder.map(({ permission_id, label }) => ({ value: permission_id, word: label })),
    value: inOrder.map(({ permission_id }) => permission_id).filter(id => held.has(id)),
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
        <input type="hidden" name={member} value="" />
        <div class="table-frame grid-frame">
          <table>
            <thead>
              <tr>
                <th scope="col">{view.t('Resource')}</th>
                {columns.map(operation => (
                  <th scope="col">{operation}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {resources.map(resource => (
                <tr>
                  <th scope="row">{resource.replaceAll('_', ' ')}</th>
                  {columns.map(operation => {
                    const permission = byLabel.get(`${resource}:${operation}`)
                    return (
                      <td data-cell="">
                        {permission && (
                          <input
                            type="checkbox"
                            name={member}
                            value={permission.permission_id}
                            checked={ticked.has(permission.permission_id)}
                            disabled={!mayChange}
                            aria-label={permission.label}
                          />
                        )}
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Form>
    </section>
  )
}
