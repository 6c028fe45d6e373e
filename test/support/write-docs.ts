import { readFileSync, writeFileSync } from 'node:fs'
import { architectureDocument } from './architecture-document.js'
import { configurationDocument } from './configuration-document.js'

// Writes the documents that are generated from the code.
writeFileSync('docs/configuration.md', configurationDocument())
const architecture = 'docs/architecture.md'
writeFileSync(architecture, architectureDocument(readFileSync(architecture, 'utf8')))
