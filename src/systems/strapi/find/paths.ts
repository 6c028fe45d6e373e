import { invalid } from '../../../errors.js'
import { rulesOf } from '../../../services/content/field-data.js'
import type { CompatSite } from '../../../services/delivery/compat/compat.js'
import type { Paths } from '../../../services/delivery/expand.js'
import type { TypeMapping } from '../../mapping.js'
import { localizationsKey, type StrapiShown } from '../write/shown.js'

type Datatype = TypeMapping['datatype']
type Field = TypeMapping['fields'][number]

const maxPaths = 20
const maxLevels = 3

type Place = 'document' | 'localization' | 'component' | 'target'

class ReferencePaths {
  readonly paths: string[][] = []
  private readonly fields
  private readonly typeNames: ReadonlyMap<string, string>
  private readonly zones: ReadonlySet<string>

  constructor(
    { types, documents: { schema } }: CompatSite,
    private readonly datatype: Datatype,
    private readonly zone: string,
  ) {
    this.fields = [...schema.fields.values()]
    this.typeNames = new Map(types.map(type => [type.datatype.datatype_id, type.datatype.name]))
    this.zones = new Set(types.map(type => type.children))
  }

  /** @param targets names of the datatypes that it is asked of; undefined where any may be */
  add(
    { populate, on }: StrapiShown,
    before: readonly string[],
    place: Place,
    targets?: ReadonlySet<string>,
  ): void {
    for (const one of on?.values() ?? []) this.add(one, before, 'component')
    if (populate === 'one' && before.length < maxLevels)
      for (const name of this.relationsOf(targets)) this.paths.push([...before, name])
    if (typeof populate === 'object')
      for (const [name, further] of populate)
        if (this.areLocalizations(name, place))
          this.add(further, before, place === 'document' ? 'localization' : 'component')
        else this.addNamed(name, further, before, place)
  }

  private areLocalizations(name: string, place: Place): boolean {
    const isDocument = place === 'document' || place === 'target'
    if (!isDocument || name !== localizationsKey || this.zones.has(name)) return false
    const { datatype_id } = this.datatype
    return !this.fields.some(
      field => field.name === name && (place === 'target' || field.parent_id === datatype_id),
    )
  }

  private addNamed(name: string, further: StrapiShown, before: readonly string[], place: Place): void {
    const isOwn = place === 'document' || place === 'localization'
    const isZone = isOwn ? name === this.zone : this.zones.has(name)
    if (isZone && place === 'localization')
      throw invalid(
        'populate',
        `localizations cannot be combined with ${name}; request each locale separately`,
      )
    if (isZone) this.add(further, [], 'component')
    const { datatype_id } = this.datatype
    const named = this.fields.filter(
      field => field.name === name && (!isOwn || field.parent_id === datatype_id),
    )
    const types = new Set(named.map(({ field_type }) => field_type))
    if (!types.has('relation') && !types.has('media')) {
      // A component may be stored as JSON, which is shown whole.
      if (isZone || types.has('json')) return
      throw invalid('populate', `Invalid key ${name.slice(0, 100)}`)
    }
    const path = [...before, name]
    if (path.length > maxLevels) throw invalid('populate', `must be at most ${maxLevels} levels deep`)
    this.paths.push(path)
    this.add(further, path, 'target', targetsOf(named))
  }

  private relationsOf(targets: ReadonlySet<string> | undefined): ReadonlySet<string> {
    const isAsked = ({ field_type, parent_id }: Field) =>
      field_type === 'relation' && (targets?.has(this.typeNames.get(parent_id) ?? '') ?? true)
    return new Set(this.fields.filter(isAsked).map(({ name }) => name))
  }
}

function targetsOf(fields: readonly Field[]): ReadonlySet<string> | undefined {
  const targets = fields.flatMap(field => (field.field_type === 'relation' ? [rulesOf(field).target] : []))
  const known = targets.flatMap(target => target ?? [])
  return targets.some(target => target === undefined) ? undefined : new Set(known)
}

/** The relations that a request shows; undefined for all. @throws 400 for a field that is not a reference */
export function pathsIn(
  site: CompatSite,
  datatype: Datatype,
  { populate }: StrapiShown,
  zone: string,
): Paths | undefined {
  if (typeof populate !== 'object') return populate === 'none' ? [] : undefined
  const found = new ReferencePaths(site, datatype, zone)
  found.add({ populate }, [], 'document')
  // Components of several kinds often have a relation of the same name.
  const paths = [...new Map(found.paths.map(path => [path.join('.'), path])).values()]
  if (paths.length > maxPaths) throw invalid('populate', `has more than ${maxPaths} relations`)
  return paths
}
