import { layers, permissionText } from '../whole/layers.js'

const [from, to] = ['## Folders', '## Glossary']

/**
 * Returns the document with each folder's allowed imports as the layers define them. @throws if its table lacks a
 * folder or has an unknown one
 */
export function architectureDocument(text: string): string {
  const [start, end] = [text.indexOf(from), text.indexOf(to)]
  const written = new Set<string>()
  const table = text
    .slice(start, end)
    .replaceAll(/^\| `([^`]+)` \| (.*) \| ?[^|\n]*\|$/gm, (row, name, words) => {
      const layer = layers[name]
      if (!layer) return row
      written.add(name)
      return `| \`${name}\` | ${words} | ${permissionText(layer)} |`
    })
  const missing = Object.keys(layers).filter(name => !written.has(name))
  if (missing.length > 0) throw new Error(`docs/architecture.md has no row of ${missing.join(', ')}`)
  return text.slice(0, start) + table + text.slice(end)
}
