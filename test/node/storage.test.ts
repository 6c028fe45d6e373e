import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseConfig } from '../../src/config.js'
import { storageInParts } from '../../src/node/storage.js'
import { mediaAddress } from '../../src/services/media/storage.js'
import { scratchFolder } from '../support/backups.js'
import { testStorage } from '../support/storage.js'

/** The least that a store takes as a part. */
const partBytes = 5 * 2 ** 20
const store = await testStorage()
const address = mediaAddress(parseConfig(store.config, {}).config, 'media')
if (!address || 'folder' in address) throw new Error('the store is not configured')
const bucket = await storageInParts(partBytes).open(address)
const how = { mimetype: 'application/gzip', attachment: true }

function fileOf(bytes: Buffer) {
  const path = join(scratchFolder(), 'content')
  writeFileSync(path, bytes)
  const hash = createHash('sha256').update(bytes).digest('hex')
  return { path, size: bytes.byteLength, hash, discard: async () => undefined }
}

it('puts a large file in parts, and it is the same file', async () => {
  for (const size of [partBytes, partBytes + 1, 2 * partBytes, 2 * partBytes + 12_345]) {
    const bytes = randomBytes(size)
    await bucket.put(`large-${size}`, fileOf(bytes), how)
    const found = await store.object(`large-${size}`)
    expect([size, Buffer.from(found.bytes).equals(bytes), found.type]).toEqual([size, true, how.mimetype])
  }
})

it('leaves no object when the store goes away between the parts', async () => {
  store.cut(partBytes + 1000)
  await expect(bucket.put('broken', fileOf(randomBytes(2 * partBytes)), how)).rejects.toThrow()
  store.mend()
  expect((await store.keys()).includes('broken')).toBe(false)
})
