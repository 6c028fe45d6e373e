import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Import {
  readonly file: string
  readonly line: number
  /** A file of the project by its path there, with the extension of its source. */
  readonly imported: string
}

const forms =
  /^[ \t]*(?:import|export)\b(?:(?!^[ \t]*(?:import|export)\b)[^'"`;=])*?\bfrom\s*['"](\.[^'"]+)['"]|^[ \t]*import\s*['"](\.[^'"]+)['"]|\bimport\(\s*['"`](\.[^'"`]+)['"`]/gm

/**
 * Returns the imports of a project's files from its other files, in any form: `from`, bare, `import()`, or of a type.
 */
export function importsIn(project: string, folders: readonly string[]): Import[] {
  const files = folders.flatMap(folder =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.(tsx?|mjs)$/.test(name))
      .map(name => join(folder, name)),
  )
  const known = new Set(files)
  return files.flatMap(file => {
    const text = readFileSync(join(project, file), 'utf8')
    return [...text.matchAll(forms)].map(match => {
      const given = join(dirname(file), match[1] ?? match[2] ?? match[3] ?? '')
      const source = given.replace(/\.js$/, '.ts')
      return {
        file,
        line: text.slice(0, match.index + match[0].length).split('\n').length,
        imported: known.has(`${source}x`) ? `${source}x` : source,
      }
    })
  })
}
