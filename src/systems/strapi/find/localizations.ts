import type { CompatSite } from '../../../services/delivery/compat/compat.js'
import type { Schema } from '../../../services/delivery/content-model.js'
import { type FormatContext, valuesIn } from '../../../services/delivery/formats/format.js'
import type { ShownDocuments } from '../../../services/delivery/shown-documents.js'
import { shownLinks, shownRoute } from '../../../services/delivery/shown-route.js'
import type { ContentTree, LinkedEntries, Node } from '../../../services/delivery/tree.js'
import { WriteBudget } from '../../../services/delivery/write-budget.js'
import type { Localization, LocalizationsOf } from '../write/page.js'

type Route = ContentTree['route']
type Routes = ReadonlyMap<string, NonNullable<Route>>

/** Finds of entries that are shown how they are in the other locales that they are written in. */
export async function localizationsOf(site: CompatSite, shown: ShownDocuments): Promise<LocalizationsOf> {
  const { documents } = site
  if (!documents.isLocalized) return () => []
  const found = new Localizations(site, shown.context, await storedRoutes(site, shown))
  return (node, route, fields) => found.of(node, route, fields)
}

/** Routes are shown with the address of one locale; here they are as they are stored. */
async function storedRoutes({ documents }: CompatSite, shown: ShownDocuments): Promise<Routes> {
  const every = [...shown.trees, ...shown.context.linked.values()].flatMap(({ route }) => route ?? [])
  const translated = every.filter(({ translations }) => Object.keys(translations).length > 0)
  const ids = [...new Set(translated.map(({ route_id }) => route_id))]
  const stored = await documents.read.findIn(documents.space.routes, 'route_id', ids)
  return new Map([...every, ...stored].map(route => [route.route_id, route]))
}

class Localizations {
  private readonly contexts = new Map<string, FormatContext>()
  private readonly budget = new WriteBudget('populate')
  private readonly standard: string
  private readonly stored: LinkedEntries
  private readonly schema: Schema

  constructor(
    private readonly site: CompatSite,
    private readonly shown: FormatContext,
    private readonly routes: Routes,
  ) {
    this.schema = site.documents.schema
    this.standard = site.localeChoice('').locale
    this.stored = new Map(
      [...shown.linked].map(([id, { node, route }]) => [id, { node, route: this.storedOf(route) }]),
    )
  }

  /** @throws 400 when the answer would hold more than it may */
  of(node: Node, route: Route, fields: ReadonlySet<string> | undefined): Localization[] {
    const stored = this.storedOf(route)
    const codes = [...this.writtenIn(node, stored)].filter(
      code => code !== this.shown.locale && this.schema.locales.has(code),
    )
    return codes.sort().map(code => {
      const context = this.contextIn(code)
      for (const { field, value } of valuesIn(node, context))
        if (!fields || fields.has(field.name)) this.budget.take('characters', value.field_value.length)
      return { context, route: shownRoute(stored, context.chain) }
    })
  }

  private storedOf(route: Route): Route {
    return route && (this.routes.get(route.route_id) ?? route)
  }

  /**
   * The locales that an entry has translatable values in, and those of its route. A value without a locale is in the
   * default one.
   */
  private writtenIn({ values }: Node, route: Route): Set<string> {
    const codes = new Set(route ? [this.standard, ...Object.keys(route.translations)] : [])
    for (const { field, value } of values)
      if (field.translatable && value.field_value !== '') codes.add(value.locale || this.standard)
    return codes
  }

  private contextIn(code: string): FormatContext {
    const known = this.contexts.get(code)
    if (known) return known
    const { locale, chain } = this.site.localeChoice(code)
    const made = { ...this.shown, locale, chain, linked: shownLinks(this.stored, chain) }
    this.contexts.set(code, made)
    return made
  }
}
