import { Form } from './parts.js'
import type { View } from './view.js'

/** The operations that most resources have, as columns. */
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
}

/** Resources as rows, operations as columns; each cell says its whole name to who cannot see the grid. */
export function PermissionGrid({ view, roleId, all, held }: GridProps) {
  const byLabel = new Map(all.map(permission => [permission.label, permission]))
  const resources = [...new Set(all.map(({ label }) => label.split(':')[0] ?? ''))].sort()
  const mayChange = view.can('roles:create') && view.can('roles:delete')
  return (
    <section aria-labelledby="permissions">
      <Form view={view} action={`/roles/${roleId}/permissions`}>
        <div class="head">
          <h2 id="permissions">Permissions</h2>
          {mayChange && (
            <button type="submit" class="button">
              Save the permissions
            </button>
          )}
        </div>
        <input type="hidden" name="permission_id" value="" />
        <div class="table-frame grid-frame">
          <table>
            <thead>
              <tr>
                <th scope="col">Resource</th>
                {operations.map(operation => (
                  <th scope="col">{operation}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {resources.map(resource => (
                <tr>
                  <th scope="row">{resource.replaceAll('_', ' ')}</th>
                  {operations.map(operation => {
                    const permission = byLabel.get(`${resource}:${operation}`)
                    return (
                      <td data-cell="">
                        {permission && (
                          <input
                            type="checkbox"
                            name="permission_id"
                            value={permission.permission_id}
                            checked={held.has(permission.permission_id)}
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
