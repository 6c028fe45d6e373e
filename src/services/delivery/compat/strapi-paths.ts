import { invalid } from '../../../errors.js'
import type { Paths } from '../expand.js'
import { localizationsKey, type StrapiShown } from '../formats/strapi-shown.js'
import type { CompatSite } from './compat.js'
import type { TypeMapping } from './mapping.js'

type Datatype = TypeMapping['datatype']

const maxPaths = 20
const maxLevels = 3

/** What `populate` is asked of. */
type Place = 'document' | 'localization' | 'component' | 'target'

/** Collects the relations that lead to what is written. */
class ReferencePaths {
  readonly paths: string[][] = []
  private readonly fields
  private readonly relations: readonly string[]
  private readonly zones: ReadonlySet<string>

  constructor(
    { types, documents: { schema } }: CompatSite,
    private readonly datatype: Datatype,
    private readonly zone: string,
  ) {
    this.fields = [...schema.fields.values()]
    const relations = this.fields.filter(({ field_type }) => field_type === 'relation')
    this.relations = [...new Set(relations.map(({ name }) => name))]
    this.zones = new Set(types.map(type => type.children))
  }

  add({ populate, on }: StrapiShown, before: readonly string[], place: Place): void {
    for (const one of on?.values() ?? []) this.add(one, before, 'component')
    if (populate === 'one' && before.length < maxLevels)
      for (const name of this.relations) this.paths.push([...before, name])
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
      throw invalid('populate', `localizations are answered without ${name}; ask for each locale`)
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
    if (path.length > maxLevels) throw invalid('populate', `may go ${maxLevels} levels deep`)
    this.paths.push(path)
    this.add(further, path, 'target')
  }
}

/** The relations that lead to what is written; undefined for all. @throws 400 for what is no reference */
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
