import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { architectureDocument } from '../support/architecture-document.js'
import { importsIn } from '../support/imports.js'
import { layers, mayImport } from './layers.js'

const imports = importsIn('.', ['src', 'migrations'])

it('lets every file of the source import only what its layer may', () => {
  const refused = imports.filter(({ file, imported }) => !mayImport(file, imported))
  expect(refused.map(({ file, line, imported }) => `${file}:${line} imports ${imported}`)).toEqual([])
})

it('reads every form of an import', () => {
  const of = (file: string) => imports.filter(found => found.file === file).map(({ imported }) => imported)
  // Static, in several lines, of a type, on demand, of a file of the panel.
  expect(of('src/app.ts')).toEqual(
    expect.arrayContaining([
      'src/routes/api/delivery.ts',
      'src/config.ts',
      'src/panel/index.ts',
      'src/routes/docs.tsx',
    ]),
  )
  const relative = /(?:from |import\(|import )\s*['"`]\.\.?\/[^'"`]*['"`]/g
  for (const file of new Set(imports.map(found => found.file)))
    expect([file, of(file).length]).toEqual([file, readFileSync(file, 'utf8').match(relative)?.length])
})

it('permits nothing that no file makes use of', () => {
  const unused = Object.entries(layers).flatMap(([name, layer]) =>
    [...layer.mayImport, ...Object.keys(layer.except ?? {})]
      .filter(entry => {
        const { [entry]: _, ...except } = layer.except ?? {}
        const without = {
          ...layers,
          [name]: { mayImport: layer.mayImport.filter(other => other !== entry), except },
        }
        return imports.every(({ file, imported }) => mayImport(file, imported, without))
      })
      .map(entry => `${name}: ${entry}`),
  )
  expect(unused).toEqual([])
})

it('docs/architecture.md says the same of each layer; npm run docs writes it', () => {
  const text = readFileSync('docs/architecture.md', 'utf8')
  expect(text).toBe(architectureDocument(text))
})
