import { readFileSync, writeFileSync } from 'node:fs'
import { architectureDocument } from './architecture-document.js'
import { configurationDocument } from './configuration-document.js'
import { errorSentencesDocument } from './error-sentences.js'
import { limitsDocument } from './limits-document.js'

// Writes the documents that are generated from the code.
writeFileSync('docs/configuration.md', configurationDocument())
writeFileSync('docs/error-sentences.md', errorSentencesDocument())
writeFileSync('docs/limits.md', limitsDocument())
const architecture = 'docs/architecture.md'
writeFileSync(architecture, architectureDocument(readFileSync(architecture, 'utf8')))
