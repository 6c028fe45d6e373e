import type { RootToStore, TreeToStore } from './tree-to-store.js'

/**
 * The trees without a value in any locale, which a refusal names as in `0.children.2.fields.price` or
 * `0.locales.de.fields.price`; undefined where it names none.
 */
export function withoutValue(
  trees: readonly RootToStore[],
  member: string,
): readonly RootToStore[] | undefined {
  const parts = /^(\d+)\.((?:children\.\d+\.)*)(?:locales\.[^.]+\.)?fields\.([^.]+)/.exec(member)
  const root = trees[Number(parts?.[1])]
  if (!parts || !root) return undefined
  const [, index = '', way = '', name = ''] = parts
  const steps = [...way.matchAll(/\d+/g)].map(Number)
  const changed = withoutAt(root, steps, name)
  return changed && trees.map((tree, i) => (i === Number(index) ? { ...tree, ...changed } : tree))
}

function withoutAt(
  tree: TreeToStore,
  [step, ...steps]: readonly number[],
  name: string,
): TreeToStore | undefined {
  if (step !== undefined) {
    const child = tree.children[step]
    const changed = child && withoutAt(child, steps, name)
    return changed && { ...tree, children: tree.children.map((one, i) => (i === step ? changed : one)) }
  }
  const without = (values: TreeToStore['values']) =>
    Object.fromEntries(Object.entries(values).filter(([own]) => own !== name))
  const has = [tree.values, ...Object.values(tree.translations)].some(values => Object.hasOwn(values, name))
  if (!has) return undefined
  return {
    ...tree,
    values: without(tree.values),
    translations: Object.fromEntries(
      Object.entries(tree.translations).map(([locale, values]) => [locale, without(values)]),
    ),
  }
}
