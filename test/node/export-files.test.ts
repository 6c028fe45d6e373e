import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'tar'
import { afterAll, expect, it, vi } from 'vitest'
import { openExport } from '../../src/node/export-files.js'

const place = mkdtempSync(join(tmpdir(), 'slugline-exports-'))
const scratch = join(place, 'scratch')
const content = join(place, 'content')
mkdirSync(scratch)
const files = Array.from({ length: 400 }, (_, i) => `folder-${i % 20}/file-${i}.txt`)
for (let i = 0; i < 20; i++) mkdirSync(join(content, `folder-${i}`), { recursive: true })
for (const name of files) writeFileSync(join(content, name), name.repeat(2000))
writeFileSync(join(place, 'outside.txt'), 'outside')
vi.stubEnv('TMPDIR', scratch)
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(place, { recursive: true })
})

async function archive(name: string, names: readonly string[], more: object = {}): Promise<string> {
  const file = join(place, name)
  await create({ file, cwd: content, gzip: true, ...more }, [...names])
  return file
}

async function refusal(path: string): Promise<string> {
  const error = await openExport(path).then(
    () => undefined,
    (problem: Error) => problem,
  )
  return error?.message ?? 'it was opened'
}

it('unpacks an archive into a folder of its own, and removes it', async () => {
  const opened = await openExport(await archive('whole.tar.gz', files))
  expect(opened.names.toSorted()).toEqual(files.toSorted())
  expect(readdirSync(scratch)).toHaveLength(1)
  await opened.close()
  expect(readdirSync(scratch)).toEqual([])
})

it.each([1, 2, 3])('leaves nothing of an archive that it refuses for a path, and says why (%i)', async () => {
  const path = await archive('leading-out.tar.gz', [...files, '../outside.txt', ...files], {
    preservePaths: true,
  })
  expect(await refusal(path)).toContain(`${path}: cannot be unpacked: path contains '..'`)
  expect(readdirSync(scratch)).toEqual([])
})

it.each([1, 2, 3])('leaves nothing of an archive that is cut off, and says so (%i)', async () => {
  const whole = readFileSync(await archive('to-cut.tar.gz', files))
  const path = join(place, 'cut.tar.gz')
  writeFileSync(path, whole.subarray(0, Math.floor(whole.byteLength * 0.9)))
  expect(await refusal(path)).toMatch(/cut\.tar\.gz: cannot be unpacked: .*(unexpected end of file|TAR_)/)
  expect(readdirSync(scratch)).toEqual([])
})
