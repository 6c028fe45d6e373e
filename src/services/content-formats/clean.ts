import { nestedJson } from '../content-tree.js'
import { addByName, type Format, valuesIn } from './format.js'

/** `{type, title, slug, …values, children}`, every child `{type, …values, children?}` (4.10). Values are text. */
export const clean: Format = ({ route, root }, { locale }) =>
  nestedJson(
    root,
    'children',
    node => {
      const own: Record<string, unknown> = { type: node.datatype.name }
      if (node === root && route) Object.assign(own, { title: route.title, slug: route.slug })
      // `children` is written after the values, so its name is taken from the start.
      const taken = { ...own, children: undefined }
      const { children: _, ...named } = addByName(
        taken,
        valuesIn(node, locale),
        ({ value }) => value.field_value,
      )
      return named
    },
    node => node === root,
  )
