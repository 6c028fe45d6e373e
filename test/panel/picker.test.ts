import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config })
const { call, db } = app
const { datatype, field, route, entry } = factories(app)
const upload = uploader(app)

/** More than a form has. */
const many = 230

async function library() {
  const tag = await datatype('Tag')
  await field(tag.datatype_id, 'Name', 'text')
  const { route_id } = await route('/tags', 'Tags')
  const children = Array.from({ length: many }, (_, i) => ({
    datatype_id: tag.datatype_id,
    fields: { name: `Tag ${i}` },
  }))
  const root = await entry(tag.datatype_id, { route_id }, { fields: { name: 'Root' }, children })
  const post = await datatype('Post')
  await field(post.datatype_id, 'Tags', 'relation', {
    data: { cardinality: 'many', target: tag.name },
    name: 'tags',
  })
  await field(post.datatype_id, 'Cover', 'media', { name: 'cover' })
  const page = await route('/post', 'A post')
  const made = await entry(post.datatype_id, { route_id: page.route_id })
  const tags: string[] = root.children.map((one: { content_data_id: string }) => one.content_data_id)
  return { id: made.content_data_id as string, tags, name: tag.name as string }
}

const valuesOf = async (id: string) =>
  (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body.map(
    ({ field_value }: { field_value: string }) => field_value,
  ) as string[]

const { id, tags, name } = await library()

describe('what pickers offer', () => {
  it('is for who works on content, and is found by title, words and id', async () => {
    for (const kind of ['entries', 'pages'])
      for (const as of ['viewer', 'nobody'] as const)
        expect([kind, (await call('GET', `/admin/pick/${kind}`, { as })).status]).not.toEqual([kind, 200])
    const found = async (query: string) => (await call('GET', `/admin/pick/${query}`)).body
    expect(await found(`entries?q=tag%20229&of=${name}`)).toMatchObject([
      { value: tags[229], word: 'Tag 229' },
    ])
    expect(await found('entries?q=tag%20229&of=post')).toEqual([])
    expect(await found(`entries?q=${tags[3]}`)).toMatchObject([{ word: 'Tag 3', hint: 'Tag · draft' }])
    expect(await found('pages?q=pos')).toEqual([{ value: '/post', word: 'A post', hint: '/post' }])
    expect((await found('entries')).length).toBe(30)
    expect(await found('media?q=nothing')).toEqual([])
  })
})

describe('an entry that is on a page', () => {
  it('D14: is found and named by the title of the page, with its state and address', async () => {
    const article = await datatype('Article')
    await field(article.datatype_id, 'Author', 'text')
    const { route_id } = await route('/winter', 'A chain through the winter')
    const made = await entry(article.datatype_id, { route_id }, { fields: { author: 'Zoë' } })
    const wanted = {
      value: made.content_data_id,
      word: 'A chain through the winter',
      hint: 'Article · draft · /winter',
    }
    const found = async (q: string, of: string) =>
      (await call('GET', `/admin/pick/entries?q=${encodeURIComponent(q)}&of=${of}`)).body
    for (const q of ['chain', 'Zoë', made.content_data_id])
      expect([q, await found(q, article.name)]).toEqual([q, [wanted]])
    expect(await found('chain', name)).toEqual([])
    await call('POST', '/api/v1/content/publish', { body: { content_data_id: made.content_data_id } })
    expect(await found('/winter', article.name)).toEqual([
      { ...wanted, hint: 'Article · published · /winter' },
    ])
  })
})

describe.skipIf(chromiumMissing)(
  `fields with a picker${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('find what is not in the form, by keyboard, in an order, with pictures, and survive a reload', async () => {
      await upload('tree.png', await picture(60, 40).png().toBuffer(), { fields: { alt_text: 'A tree' } })
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      page.on('dialog', dialog => dialog.accept())
      await open(`/content/entry/${id}`)
      await page.getByRole('button', { name: 'Add: Tags' }).focus()
      await page.keyboard.press('Enter')
      const search = page.getByRole('combobox', { name: 'Search entries' })
      for (const name of ['Tag 229', 'Tag 7']) {
        await search.fill(name)
        await page.locator('.found [role=option]').first().getByText(name, { exact: true }).waitFor()
        await page.keyboard.press('Enter')
      }
      await expectClean(admin)
      await page.keyboard.press('Escape')
      expect(await page.locator('.chosen .choice-word').allTextContents()).toEqual(['Tag 229', 'Tag 7'])
      await page.getByRole('button', { name: 'Move Tag 7 up' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Choose: Cover' }).click()
      await page.getByRole('option', { name: 'tree.png' }).click()
      expect(await page.locator('.chosen img').count()).toBe(1)
      await expectClean(admin)
      await open(`/content/entry/${id}`)
      await page.getByRole('button', { name: 'Restore' }).click()
      await page.locator('.chosen', { hasText: 'Tag 229' }).waitFor()
      expect(await page.locator('.chosen .choice-word').allTextContents()).toEqual([
        'Tag 7',
        'Tag 229',
        'tree.png',
      ])
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: /^Saved/ }).waitFor()
      expect(await valuesOf(id)).toContain(JSON.stringify([tags[7], tags[229]]))
      await page
        .locator('.chosen', { hasText: 'Tag 7' })
        .dragTo(page.locator('.chosen', { hasText: 'Tag 229' }))
      await page.getByRole('button', { name: 'Remove tree.png' }).click()
      await page.keyboard.press('Control+s')
      await expect.poll(() => valuesOf(id)).toEqual([JSON.stringify([tags[229], tags[7]])])
      expect(admin.problems).toEqual([])
    })
  },
)

describe('among thousands of drafts, pages and files', () => {
  it('any is found by a part of what it is called, those that fit best first', async () => {
    const kind = await datatype('Part')
    const { field_id } = await field(kind.datatype_id, 'Name', 'text')
    const other = await field(kind.datatype_id, 'Notes', 'text')
    const author_id = app.users.admin
    const names = Array.from({ length: 1500 }, (_, i) => `Änderung ${i} of the list`)
    names[3] = '100%_sure! thing'
    await db.write(systemActor, async tx => {
      const rows = names.map(() => {
        const content_data_id = tx.newId()
        const status = 'draft' as const
        return { content_data_id, root_id: content_data_id, datatype_id: kind.datatype_id, status, author_id }
      })
      for (const { root_id } of rows) await tx.createTree(tables.contentTrees, root_id)
      await tx.insertAll(tables.contentData, rows)
      const values = rows.flatMap(({ content_data_id }, i) => [
        { content_data_id, field_id, author_id, field_value: names[i] ?? '' },
        { content_data_id, field_id: other.field_id, author_id, field_value: `only noted ${i}` },
      ])
      await tx.insertAll(tables.contentFields, values)
      const routes = names.map((_, i) => ({ slug: `/many-${i}`, title: `Many ${i}`, author_id }))
      await tx.insertAll(tables.routes, routes)
      const files = names.map((_, i) => ({
        name: `photo-${i}.jpg`,
        display_name: `Photograph ${i}`,
        search_text: `photo-${i}.jpg photograph ${i}`,
        mimetype: 'image/jpeg',
        size: 1,
        object_key: `many-${i}.jpg`,
        content_hash: `${i}`,
        author_id,
      }))
      await tx.insertAll(tables.media, files)
    })
    const words = async (query: string) =>
      (await call('GET', `/admin/pick/${query}`)).body.map(({ word }: { word: string }) => word) as string[]
    const asked = (q: string) => words(`entries?of=${kind.name}&q=${encodeURIComponent(q)}`)
    expect(await asked('änderung 1499')).toEqual(['Änderung 1499 of the list'])
    expect(await asked('LIST 1499')).toEqual(['Änderung 1499 of the list'])
    expect(await asked('derung 7')).toHaveLength(30)
    expect((await asked('derung 7 ')).slice(0, 1)).toEqual(['Änderung 7 of the list'])
    for (const sign of ['100%_s', 'sure!']) expect(await asked(sign)).toEqual(['100%_sure! thing'])
    for (const none of ['nowhere', 'only noted 5', '%', "' or 1=1 --"])
      expect([none, (await asked(none)).filter(word => !word.includes('%'))]).toEqual([none, []])
    expect(await words('pages?q=many-1499')).toEqual(['Many 1499'])
    expect(await words('media?q=graph%201499')).toEqual(['Photograph 1499'])
  })
})
