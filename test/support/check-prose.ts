import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { proseProblems } from './prose.js'

// Checks the words of all documents: docs/decisions/732-test-policy.md.
const pages = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter(page => existsSync(page))
const problems = pages.flatMap(page =>
  proseProblems(readFileSync(page, 'utf8')).map(problem => `${page}:${problem}`),
)
for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0) process.exitCode = 1
