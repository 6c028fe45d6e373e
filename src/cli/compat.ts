import { partNames, type TypeMapping } from '../systems/mapping.js'
import { type SiteCommand, show } from './command.js'

const shownOf = ({ datatype, wordpress, strapi, single, component, children, parts }: TypeMapping) => ({
  datatype: datatype.name,
  visibility: datatype.visibility,
  wordpress,
  strapi,
  single,
  component,
  children,
  ...Object.fromEntries(partNames.map(part => [part, parts[part]?.name ?? null])),
})

const listedWith: Readonly<Record<string, string>> = {
  linked: ' (linked: listed only with a key)',
  private: ' (private: the public cannot see it)',
}

function linesOf(type: ReturnType<typeof shownOf>): string {
  const { datatype, visibility, wordpress, strapi, single, component, children, ...parts } = type
  const named = Object.entries(parts).filter(([, name]) => name !== null)
  return [
    `${datatype}${listedWith[visibility] ?? ''}`,
    `  WordPress  /compat/wordpress/wp-json/wp/v2/${wordpress}`,
    `  Strapi     /compat/strapi/api/${strapi}, as a single type /compat/strapi/api/${single}`,
    `             as a child ${component}`,
    `  Contentful, Sanity and Strapi: its children are ${children}`,
    ...(named.length === 0 ? [] : [`  ${named.map(([part, name]) => `${part}: ${name}`).join(', ')}`]),
  ].join('\n')
}

/** Shows the names of datatypes for clients of other systems. */
export const compat: SiteCommand['work'] = async ({ space }, _actor, io, options) => {
  const types = (await space.compat.mapping()).map(shownOf)
  show(io, options, types, types.map(linesOf).join('\n') || 'No datatypes yet.')
  return 0
}
