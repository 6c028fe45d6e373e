import { writeFileSync } from 'node:fs'
import { configurationDocument } from './configuration-document.js'

// Writes the documents that are made from the code.
writeFileSync('docs/configuration.md', configurationDocument())
