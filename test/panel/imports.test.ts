import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { internalTables, tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, send, db } = app
const { post, tokenFor } = panelForms(app)

async function ended(path: string): Promise<string> {
  const id = path.split('/').at(-1) ?? ''
  for (;;) {
    const row = await db.get(tables.imports, id)
    const isFree = (await db.count(internalTables.leases, { name: 'import' })) === 0
    if (row?.status !== 'running' && isFree) return row?.status ?? ''
    await sleep(50)
  }
}

/** A note, and a picture for which the site has no storage. */
const exported = [
  { _id: 'd1', _type: 'note', title: 'One' },
  { _id: 'image-a-1x1-png', _type: 'sanity.imageAsset', url: 'http://127.0.0.1:1/a.png', extension: 'png' },
]
  .map(one => JSON.stringify(one))
  .join('\n')

/** Chooses the file in the panel. @returns the page of the import */
async function chosen(fields: Record<string, string>): Promise<string> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  body.set('file', new File([exported], 'data.ndjson'))
  const action = `/admin/import/upload/sanity?form_token=${await tokenFor('admin')}`
  const { status, headers } = await send('POST', action, { body })
  expect(status).toBe(303)
  return headers.get('location') ?? ''
}

it('an import can be chosen without files', async () => {
  const { text } = await call('GET', '/admin/import/from/sanity')
  for (const form of ['file', 'address'])
    expect(text).toContain(
      `<input type="checkbox" id="without-files-${form}" name="without_files" value="true"/> <label for="without-files-${form}">Import without files</label>`,
    )
  const path = await chosen({ preview: 'true', without_files: 'true' })
  expect(await ended(path)).toBe('ready')
  expect((await call('GET', path)).text).not.toContain('Start without files')
  await post(`${path}/start`, {})
  expect(await ended(path)).toBe('completed')
})

it('an import whose files have no place says so, and is started without them', async () => {
  const before = await db.countAll(tables.contentData)
  const path = await chosen({ preview: 'true' })
  expect(await ended(path)).toBe('ready')
  await post(`${path}/start`, {})
  expect(await ended(path)).toBe('failed')
  const failed = (await call('GET', path)).text
  expect(failed).toContain('but no storage for media is configured: configure one, or import without files')
  expect(failed).toContain('Start without files')
  expect((await post(`${path}/start`, { without_files: 'true' }, { as: 'editor' })).status).toBe(403)
  expect((await post(`${path}/start`, { without_files: 'true' })).status).toBe(303)
  expect(await ended(path)).toBe('completed')
  expect(await db.countAll(tables.contentData)).toBe(before)
})
