import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { partsIn, restsOf, shownOf } from '../../src/panel/tree-parts.js'
import { rangeWith, type Tree } from '../../src/resources/trees.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'

const app = await testApp()
const { call, db, services } = app
const { datatype, field, route, entry } = factories(app)
const { post } = panelForms(app)

/** More than a tree shows whole. */
const many = 620

/** A page with many entries under it, made in another order than theirs, and one entry under one of them. */
async function largePage(slug: string) {
  const { datatype_id } = await datatype('Card')
  const title = await field(datatype_id, 'Title', 'text')
  const { route_id } = await route(slug, `Page ${slug}`)
  const { content_data_id: root } = await entry(datatype_id, { route_id })
  const author_id = app.users.admin
  const ids = await db.write(systemActor, async tx => {
    const made = Array.from({ length: many }, () => tx.newId())
    const common = { datatype_id, root_id: root, parent_id: root, status: 'draft' as const, author_id }
    const rows = made.map((content_data_id, i) => ({
      ...common,
      content_data_id,
      sort_order: (many - i) * 1024,
    }))
    await tx.insertAll(tables.contentData, rows)
    const values = made.map((content_data_id, i) => ({
      content_data_id,
      field_id: title.field_id as string,
      field_value: `Card ${many - 1 - i}`,
      route_id: route_id as string,
      author_id,
    }))
    await tx.insertAll(tables.contentFields, values)
    return made.toReversed()
  })
  const under = await entry(datatype_id, { parent_id: ids[300] }, { fields: { title: 'Deep' } })
  return {
    root: root as string,
    ids,
    under: under.content_data_id as string,
    datatype_id: datatype_id as string,
  }
}

/** What the rows of a tree are called, with their places. */
async function rowsAt(path: string, headers: Record<string, string> = {}) {
  const { text, status } = await call('GET', `/admin/content/entry/${path}`, { headers })
  expect([path, status]).toEqual([path, 200])
  const rows = [...text.matchAll(/<a class="node.*?<\/a>/gs)].map(([row]) => ({
    name: /class="label">([^<]*)</.exec(row)?.[1] ?? '',
    place: /aria-posinset="(\d+)"/.exec(row)?.[1],
    of: /aria-setsize="(\d+)"/.exec(row)?.[1],
    more: /href="([^"]*)"[^>]*data-more/.exec(row)?.[1]?.replaceAll('&amp;', '&'),
  }))
  return { rows, shown: /data-shown="([^"]*)"/.exec(text)?.[1] ?? '' }
}

describe('which of many siblings are shown', () => {
  it('are those that are asked for with those that must be there, and never too many', () => {
    const asked = { from: 100, to: 300 }
    expect(rangeWith([], undefined, { total: 620, count: 100 })).toEqual({ from: 0, to: 100 })
    expect(rangeWith([300], undefined, { total: 620, count: 100 })).toEqual({ from: 280, to: 380 })
    expect(rangeWith([610], undefined, { total: 620, count: 100 })).toEqual({ from: 590, to: 620 })
    expect(rangeWith([200], asked, { total: 620, count: 100 })).toEqual(asked)
    expect(rangeWith([300], asked, { total: 620, count: 100 })).toEqual({ from: 100, to: 301 })
    expect(rangeWith([5, 400], asked, { total: 620, count: 100 })).toEqual({ from: 5, to: 401 })
    expect(rangeWith([5, 4000], asked, { total: 9000, count: 100 })).toEqual({ from: 3980, to: 4080 })
    expect(rangeWith([0], { from: 0, to: 9000 }, { total: 9000, count: 100 })).toEqual({ from: 0, to: 100 })
    expect(rangeWith([], { from: 700, to: 800 }, { total: 620, count: 100 })).toEqual({ from: 0, to: 100 })
  })

  it('are asked for in the address, where nonsense means nothing', () => {
    const [a, b] = ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '01ARZ3NDEKTSV4RRFFQ69G5FAW']
    const parts = new Map([
      [a, { from: 100, to: 200, total: 250 }],
      [b, { from: 0, to: 1000, total: 5000 }],
    ])
    const tree = { parts } as unknown as Tree
    expect(shownOf(tree)).toBe(`${a}.100.200,${b}.0.1000`)
    expect([...partsIn(shownOf(tree)).entries()]).toEqual([
      [a, { from: 100, to: 200 }],
      [b, { from: 0, to: 1000 }],
    ])
    expect([...partsIn(`x,${a}.1,${a}.-1.5,,${b}.2.3`).keys()]).toEqual([b])
    const { before, after } = restsOf(tree, a)
    expect(before).toMatchObject({ next: 100, left: 100, shown: `${a}.0.200,${b}.0.1000` })
    expect(after).toMatchObject({ next: 50, left: 50, shown: `${a}.100.250,${b}.0.1000` })
    expect(restsOf(tree, b)).toEqual({})
    expect(restsOf(tree, 'another')).toEqual({})
  })
})

describe('a large tree', () => {
  it('shows entries in their order with their true places, and more of them by links', async () => {
    const { root, ids, under } = await largePage('/large')
    const first = await rowsAt(root)
    expect(first.rows.slice(1, 3)).toMatchObject([
      { name: 'Card 0', place: '1', of: '620' },
      { name: 'Card 1', place: '2', of: '620' },
    ])
    expect(first.rows.length).toBe(102)
    const last = first.rows.at(-1)
    expect(last?.name).toBe('100 more of 520 after')
    const next = await rowsAt(last?.more?.replace('/admin/content/entry/', '') ?? '')
    expect(next.rows.length).toBe(202)
    expect(next.rows.at(-2)).toMatchObject({ name: 'Card 199', place: '200' })
    expect((await rowsAt(root, { 'Slugline-Tree': next.shown })).rows.length).toBe(202)
    expect((await rowsAt(root, { 'Slugline-Tree': 'nonsense' })).rows.length).toBe(102)

    const deep = await rowsAt(under)
    expect(deep.rows.map(({ name }) => name)).toEqual([
      ...['Page /large', '100 more of 280 before'],
      ...Array.from({ length: 21 }, (_, i) => `Card ${280 + i}`),
      'Deep',
      ...Array.from({ length: 79 }, (_, i) => `Card ${301 + i}`),
      '100 more of 240 after',
    ])
    expect(deep.rows[22]).toMatchObject({ name: 'Card 300', place: '301' })
    expect((await rowsAt(`${root}?beside=${ids[600]}`)).rows.map(({ name }) => name)).toContain('Card 600')
    expect((await rowsAt(`${root}?beside=nothing`)).rows.length).toBe(102)
  })

  it('shows fewer of each level of a deep path, so that no more rows are drawn than of a whole tree', async () => {
    const { ids, datatype_id } = await largePage('/steep')
    let parent_id = ids[300] ?? ''
    for (let level = 0; level < 9; level++)
      parent_id = (await entry(datatype_id, { parent_id }, { fields: { title: `Level ${level}` } }))
        .content_data_id
    const { rows } = await rowsAt(parent_id)
    // The path has eleven levels, and there are 620 siblings on the second.
    expect(rows.filter(({ of }) => of === '620').length).toBe(36)
    expect(rows.at(0)?.name).toBe('Page /steep')
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(Array.from({ length: 9 }, (_, level) => `Level ${level}`)),
    )
  })

  it('moves entries by their true places, and keeps those in sight that were moved', async () => {
    const { root, ids } = await largePage('/moves')
    const placeOf = async (id: string) => services.space.siblings.before(await services.space.content.get(id))
    const at = ids[300] ?? ''
    const up = await post(`/admin/content/entry/${at}/move?open=${root}`, { how: 'up' })
    expect(up.location).toBe(`/admin/content/entry/${root}?beside=${at}&moved=${at}.${root}.300&saved`)
    expect(await placeOf(at)).toBe(299)
    await post(`/admin/content/entry/${at}/move`, { how: 'down' })
    expect(await placeOf(at)).toBe(300)
    const place = { parent_id: root, position: '450' }
    const placed = await post(`/admin/content/entry/${at}/place?open=${at}`, place)
    expect([placed.location, await placeOf(at)]).toEqual([
      `/admin/content/entry/${at}?moved=${at}.${root}.300&saved`,
      450,
    ])
    await post(`/admin/content/entry/${at}/move`, { how: 'in' })
    expect((await services.space.content.get(at)).parent_id).toBe(ids[450])
    await post(`/admin/content/entry/${at}/move`, { how: 'out' })
    expect(await placeOf(at)).toBe(450)
  })

  it('D32: a move can be taken back', async () => {
    const { root, ids } = await largePage('/back')
    const [at, first] = [ids[300] ?? '', ids[0] ?? '']
    const placeNow = async () => {
      const one = await services.space.content.get(at)
      return [one.parent_id, await services.space.siblings.before(one)]
    }
    const place = { parent_id: first, position: '0' }
    const { location } = await post(`/admin/content/entry/${at}/place?open=${root}`, place)
    expect(await placeNow()).toEqual([first, 0])
    const { text } = await call('GET', location)
    const [, action = '', values = ''] =
      /<form[^>]*action="([^"]*\/place[^"]*)"[^>]*>(.*?)<\/form>/s.exec(text) ?? []
    const sent = [...values.matchAll(/name="(parent_id|position)" value="([^"]*)"/g)]
    await post(
      action.replaceAll('&amp;', '&'),
      Object.fromEntries(sent.map(([, name, value]) => [name, value])),
    )
    expect(await placeNow()).toEqual([root, 300])
    for (const invalid of ['x', `${at}.${root}`, `${at}.${root}.-1`, `${at}.x.1`, `<b>.${root}.1`])
      expect((await call('GET', `/admin/content/entry/${root}?moved=${invalid}`)).text).not.toContain(
        'Undo move',
      )
  })
})

describe.skipIf(chromiumMissing)(
  `a large tree by keyboard${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('is walked, selected from and moved in beyond what was shown first, and what is typed stays', async () => {
      const { root, ids } = await largePage('/keys')
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      const focused = () =>
        page.evaluate(() => document.activeElement?.querySelector('.label')?.textContent ?? '')
      await open(`/content/entry/${root}`)
      await page.fill('[id="f-fields.title"]', 'Not saved')
      await page.getByRole('treeitem', { name: 'Page /keys' }).focus()
      await page.keyboard.press('End')
      expect(await focused()).toBe('100 more of 520 after')
      await page.keyboard.press('Enter')
      await expect.poll(focused).toBe('Card 100')
      expect(await page.locator('[role=treeitem]').count()).toBe(202)
      expect(await page.inputValue('[id="f-fields.title"]')).toBe('Not saved')

      await page.keyboard.press('ArrowUp')
      expect(await focused()).toBe('Card 99')
      await page.keyboard.press('Shift+ArrowDown')
      await page.keyboard.press('Shift+ArrowDown')
      await page.locator('#selection', { hasText: '3 entries selected' }).waitFor()
      await expectClean(admin)
      await page.keyboard.press('Escape')

      await page.keyboard.press('End')
      await page.keyboard.press('ArrowUp')
      expect(await focused()).toBe('Card 199')
      await page.keyboard.press('Alt+ArrowDown')
      await page.locator('#say', { hasText: 'Card 199, 201 of 620 in Page /keys' }).waitFor()
      expect(await focused()).toBe('Card 199')
      expect(await page.locator('[role=treeitem]').count()).toBe(203)
      expect(await services.space.siblings.before(await services.space.content.get(ids[199] ?? ''))).toBe(200)
      expect(await page.inputValue('[id="f-fields.title"]')).toBe('Not saved')
      await page.keyboard.press('Control+z')
      await expect
        .poll(async () => services.space.siblings.before(await services.space.content.get(ids[199] ?? '')))
        .toBe(199)
      expect(await page.inputValue('[id="f-fields.title"]')).toBe('Not saved')

      await page.locator(`[id="n-${ids[198]}"]`).dragTo(page.locator(`[id="n-${ids[190]}"]`), {
        targetPosition: { x: 40, y: 2 },
      })
      await expect
        .poll(async () => services.space.siblings.before(await services.space.content.get(ids[198] ?? '')))
        .toBe(190)
      expect(admin.problems).toEqual([])
    })
  },
)
