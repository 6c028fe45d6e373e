import { nestedJson } from '../tree.js'
import { addByName, childrenKey, lean, valuesIn } from './format.js'

/** `{type, title, slug, …values, children}`, every child `{type, …values, children?}`. Values are text. */
export const clean = lean(({ route, root }, context) =>
  nestedJson(
    root,
    childrenKey,
    node => {
      const own: Record<string, unknown> = { type: node.datatype.name }
      if (node === root && route) Object.assign(own, { title: route.title, slug: route.slug })
      return addByName(own, valuesIn(node, context), ({ value }) => value.field_value)
    },
    node => node === root,
  ),
)
