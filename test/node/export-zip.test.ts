import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openExport } from '../../src/node/export-files.js'
import { scratchFolder } from '../support/backups.js'
import { zipOf } from '../support/zip.js'

const folder = scratchFolder()

function zipped(content: Buffer): string {
  const path = join(folder, 'x.zip')
  writeFileSync(path, content)
  return path
}

it('opens a zip archive, without links', async () => {
  const files = { 'a/b.md': '# Ü', 'a/': '', 'c.md': 'x'.repeat(70_000) }
  const source = await openExport(zipped(zipOf(files)), 'bounded')
  expect([...source.names].sort()).toEqual(['a/b.md', 'c.md'])
  expect(await source.text('a/b.md')).toBe('# Ü')
  expect(await source.text('c.md')).toHaveLength(70_000)
  await expect(source.text('c.md', 1000)).rejects.toThrow('c.md: is larger than 1000 bytes')
  await source.close()
  const linked = await openExport(zipped(zipOf({ 'a.md': '/etc/passwd' }, { mode: 0o120777 })))
  expect(linked.names).toEqual([])
  await linked.close()
})

it.each([
  ['a name that leads out', zipOf({ '../../out.md': '# Out' }), /invalid relative path/],
  ['a name from the root', zipOf({ '/out.md': '# Out' }), /absolute path/],
  ['a file larger than it says', zipOf({ 'a.md': '# Large'.repeat(999) }, { size: 10 }), /too many bytes/],
  [
    'sizes beyond the limits',
    zipOf({ 'a.md': '#', 'b.md': '#', 'c.md': '#' }, { size: 0xfffffff0 }),
    /more than 200000 files or/,
  ],
  [
    'half an archive',
    zipOf({ 'a.md': '# A' }).subarray(0, 40),
    /central directory record signature not found/,
  ],
  ['text', Buffer.from('no archive'), /central directory record signature not found/],
])('refuses an archive with %s', async (_, content, reason) => {
  await expect(openExport(zipped(content), 'bounded')).rejects.toThrow(reason)
})
