import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configurationDocument } from '../support/configuration-document.js'
import { engine, freshDatabase } from '../support/database.js'
import { limitsDocument } from '../support/limits-document.js'
import { startProduct } from '../support/process.js'

describe.runIf(engine === 'sqlite')('the documents', () => {
  it('docs/configuration.md is what the fields say; npm run docs writes it', () => {
    expect(readFileSync('docs/configuration.md', 'utf8')).toBe(configurationDocument())
  })

  it('docs/limits.md is what src/limits.ts says; npm run docs writes it', () => {
    expect(readFileSync('docs/limits.md', 'utf8')).toBe(limitsDocument())
  })

  it('the README’s page is there after one paste', async () => {
    const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```sh\n(.+?)^```$/gms)].map(
      ([, text = '']) => text,
    )
    const paste = blocks.find(text => text.startsWith('api='))
    const answer = /^The last command returns `(.+?)`/m.exec(readFileSync('README.md', 'utf8'))?.[1]
    const { address, drop } = await freshDatabase()
    onTestFinished(drop)
    const product = await startProduct(address, { env: { CMS_ADMIN_PASSWORD: 'choose one' } })
    const cwd = mkdtempSync(join(tmpdir(), 'slugline-paste-'))
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
    const script = paste?.replaceAll('http://localhost:8080', product.url) ?? ''
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], { cwd })
    expect(stdout.endsWith(answer ?? 'the README shows no answer')).toBe(true)
  })
})
