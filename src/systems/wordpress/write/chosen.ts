import { type Members, objectOf } from '../../../services/delivery/formats/json-text.js'

type Object = Record<string, unknown>
type Paths = readonly (readonly string[])[]

function partsOf(object: Object, paths: Paths): Object {
  const shown: Object = {}
  for (const [first = '', ...rest] of paths) {
    if (!Object.hasOwn(object, first)) continue
    const value = object[first]
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (rest.length === 0 || !isObject) {
      shown[first] = value
      continue
    }
    const part = partsOf(value as Object, [rest])
    const known = shown[first]
    shown[first] = typeof known === 'object' && known !== null ? { ...known, ...part } : part
  }
  return shown
}

/**
 * The requested members, as `_fields` names them.
 * @param memberOf gives each as JSON by its name; undefined for what there is not
 */
export function chosenOf(memberOf: (name: string) => string | undefined, paths: Paths): string {
  const chosen: Record<string, string> = {}
  for (const name of new Set(paths.map(([first = '']) => first))) {
    const text = memberOf(name)
    if (text === undefined) continue
    const inside = paths.filter(([first]) => first === name).map(([, ...rest]) => rest)
    const isWhole = !text.startsWith('{') || inside.some(({ length }) => length === 0)
    chosen[name] = isWhole ? text : JSON.stringify(partsOf(JSON.parse(text) as Object, inside))
  }
  return objectOf(chosen)
}

/** An object, or its requested members. */
export function shownOf(members: Members, { fields }: { readonly fields: Paths | undefined }): string {
  if (!fields) return objectOf(members)
  return chosenOf(name => (Object.hasOwn(members, name) ? members[name] : undefined), fields)
}
