import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { chooser } from '../support/random.js'

const { call, db, audits, users } = await testApp()
const missing = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const rounds = Number(process.env.TEST_FOLDER_ROUNDS ?? 1000)

const create = async (name: string, parent_id: string | null = null) =>
  call('POST', '/api/v1/media-folders', { body: { name, parent_id } })
const made = async (name: string, parent_id: string | null = null): Promise<string> => {
  const { status, body } = await create(name, parent_id)
  expect([status, body.error]).toEqual([201, undefined])
  return body.folder_id
}
const change = (id: string, body: unknown) => call('PUT', `/api/v1/media-folders/${id}`, { body })
const remove = (id: string) => call('DELETE', `/api/v1/media-folders/${id}`)
const addItem = (folder_id: string, name: string) =>
  db.write(systemActor, tx =>
    tx.insert(tables.media, {
      name,
      mimetype: 'text/plain',
      size: 1,
      object_key: `${name}/${tx.newId()}`,
      content_hash: '',
      folder_id,
      author_id: users.admin,
    }),
  )

/** Folders under each other, so many levels. */
async function chain(name: string, levels: number, parent: string | null = null): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < levels; i++) ids.push(await made(`${name}${i}`, ids.at(-1) ?? parent))
  return ids
}

describe('folders', () => {
  it('are read, changed and deleted by q as by the path', async () => {
    const id = await made('by q')
    const byQuery = await call('GET', `/api/v1/media-folders/?q=${id}`)
    expect([byQuery.status, byQuery.body]).toEqual([
      200,
      (await call('GET', `/api/v1/media-folders/${id}`)).body,
    ])
    const renamed = await call('PUT', `/api/v1/media-folders/?q=${id}`, { body: { name: 'renamed' } })
    expect(renamed.body).toMatchObject({ folder_id: id, name: 'renamed' })
    expect((await call('GET', `/api/v1/media-folders/?q=${missing}`)).status).toBe(404)
    for (const as of ['viewer', 'nobody'] as const)
      expect((await call('DELETE', `/api/v1/media-folders/?q=${id}`, { as })).status).toBe(403)
    expect((await call('DELETE', `/api/v1/media-folders/?q=${id}`)).status).toBe(204)
    expect((await call('GET', `/api/v1/media-folders/?q=${id}`)).status).toBe(404)
  })

  it('are ten levels deep at most, made and moved', async () => {
    const deep = await chain('deep', 10)
    const eleventh = await create('eleventh', deep.at(-1))
    expect([eleventh.status, eleventh.body.error]).toEqual([
      400,
      'creating this folder would exceed maximum folder depth of 10',
    ])
    const two = await chain('two', 2)
    const moved = await change(two[0] ?? '', { parent_id: deep[8] })
    expect([moved.status, moved.body.error]).toEqual([
      400,
      'moving this folder would exceed maximum folder depth of 10',
    ])
    expect((await change(two[0] ?? '', { parent_id: deep[7] })).status).toBe(200)
  })

  it('never go into themselves', async () => {
    const [top = '', middle = '', low = ''] = await chain('loop', 3)
    for (const parent_id of [top, middle, low]) {
      const { status, body } = await change(top, { parent_id })
      expect([status, body.error]).toEqual([400, 'parent_id: a folder cannot be moved into itself'])
    }
  })

  it('are deleted when they are empty, and say what is in them otherwise', async () => {
    const [top = '', inner = ''] = await chain('full', 2)
    const item = await addItem(top, 'thing')
    const refused = await remove(top)
    expect([refused.status, refused.body.error]).toEqual([
      409,
      'cannot delete folder: contains 1 child folder(s) and 1 media item(s)',
    ])
    expect((await remove(inner)).status).toBe(204)
    await db.write(systemActor, tx => tx.remove(tables.media, item.media_id))
    const before = (await audits()).length
    expect((await remove(top)).status).toBe(204)
    expect((await audits()).slice(before).map(event => [event.operation, event.record_id])).toEqual([
      ['DELETE', top],
    ])
    expect((await remove(top)).status).toBe(404)
  })

  it('have names of their own at each level', async () => {
    const top = await made('names')
    await made('a', top)
    const b = await made('b', top)
    expect((await create('a', top)).status).toBe(409)
    expect((await change(b, { name: 'a' })).status).toBe(409)
    expect((await change(b, { name: 'b' })).status).toBe(200)
    for (const name of ['', ' ', 'a/b', 'x'.repeat(256), 5]) {
      const { status } = await call('POST', '/api/v1/media-folders', { body: { name } })
      expect([name, status]).toEqual([name, 400])
    }
    expect((await create('x', missing)).status).toBe(400)
    expect((await change(missing, { name: 'x' })).status).toBe(404)
    expect((await call('GET', `/api/v1/media-folders/${missing}`)).status).toBe(404)
  })

  it('are shown as a tree, in the order of their names', async () => {
    const top = await made('tree')
    for (const name of ['c', 'a', 'b']) await made(name, top)
    const { body } = await call('GET', '/api/v1/media-folders/tree')
    const node = body.find(({ folder_id }: { folder_id: string }) => folder_id === top)
    expect(node.children.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'c'])
  })

  it(`keep their limits under ${rounds} operations at once`, async () => {
    const known: string[] = await Promise.all(Array.from({ length: 15 }, (_, i) => made(`known ${i}`)))
    const { below, one } = chooser(7)
    const any = () => one(known)
    const statuses = new Map<number, number>()
    const began = new Set(known)
    const moved = new Map<string, Set<string>>()
    const move = async (id: string, parent_id: string) => {
      const answer = await change(id, { parent_id })
      if (answer.status === 200) moved.set(id, (moved.get(id) ?? new Set()).add(parent_id))
      return answer
    }
    let left = rounds
    const worker = async () => {
      while (left-- > 0) {
        const what = below(10)
        const answer =
          what < 3
            ? await create(`f${left}`, any())
            : what < 8
              ? await move(any(), any())
              : what < 9
                ? await remove(any())
                : await addItem(any(), `i${left}`).then(
                    () => ({ status: 201, body: {} }),
                    error => ({ status: error.status, body: {} }),
                  )
        if (what < 3 && answer.status === 201) known.push(answer.body.folder_id)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    expect(
      [...statuses.keys()].filter(status => ![200, 201, 204, 400, 404, 409, 503].includes(status)),
    ).toEqual([])
    for (const status of [200, 201, 204]) expect(statuses.get(status)).toBeGreaterThan(rounds / 100)
    const folders = new Map(
      (await db.findAll(tables.mediaFolders)).map(row => [row.folder_id, row.parent_id]),
    )
    // Those that stood at the top are there still, or where a move has put them.
    const inside = [...began].filter(id => folders.get(id))
    expect(inside.length).toBeGreaterThan(0)
    expect(inside.filter(id => !moved.get(id)?.has(folders.get(id) ?? ''))).toEqual([])
    for (const id of folders.keys()) {
      let depth = 0
      for (let at: string | null = id; at !== null; at = folders.get(at) ?? null) {
        expect(folders.has(at)).toBe(true)
        depth++
        expect(depth).toBeLessThanOrEqual(10)
      }
    }
    const items = await db.findAll(tables.media)
    expect(items.some(({ name }) => /^i\d/.test(name))).toBe(true)
    expect(items.filter(({ folder_id }) => folder_id !== null && !folders.has(folder_id))).toEqual([])
  })
})
