import type { View } from './view.js'

const operations = ['read', 'create', 'update', 'delete', 'admin', 'publish'] as const

interface Permission {
  /** The value that the form sends. */
  readonly value: string
  /** Resource and operation, such as `content:read`. */
  readonly label: string
}

const resourceOf = ({ label }: Permission) => label.split(':')[0] ?? ''

/** Returns the usual operations, then those of custom permissions: a permission without a box would be removed. */
function columnsOf(all: readonly Permission[]): string[] {
  const known = new Set<string>(operations)
  const others = new Set(all.map(({ label }) => label.slice(label.indexOf(':') + 1)))
  return [...operations, ...[...others].filter(operation => !known.has(operation)).sort()]
}

/** Returns permissions in the order of the table. */
export function inTableOrder(all: readonly Permission[]): Permission[] {
  const resources = [...new Set(all.map(resourceOf))].sort()
  const byLabel = new Map(all.map(permission => [permission.label, permission]))
  return resources.flatMap(resource =>
    columnsOf(all).flatMap(operation => byLabel.get(`${resource}:${operation}`) ?? []),
  )
}

interface TableProps {
  view: View
  name: string
  all: readonly Permission[]
  ticked: ReadonlySet<string>
  disabled?: boolean
}

/** Resources as rows, operations as columns; each cell has a full label for screen readers. */
export function PermissionTable({ view, name, all, ticked, disabled = false }: TableProps) {
  const byLabel = new Map(all.map(permission => [permission.label, permission]))
  const columns = columnsOf(all)
  return (
    <div class="table-frame grid-frame">
      <input type="hidden" name={name} value="" />
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
          {[...new Set(all.map(resourceOf))].sort().map(resource => (
            <tr>
              <th scope="row">{resource.replaceAll('_', ' ')}</th>
              {columns.map(operation => {
                const permission = byLabel.get(`${resource}:${operation}`)
                return (
                  <td data-cell="">
                    {permission && (
                      <input
                        type="checkbox"
                        name={name}
                        value={permission.value}
                        checked={ticked.has(permission.value)}
                        disabled={disabled}
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
  )
}
