import type { Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'
import { picture, uploader } from '../support/media.js'
import { panelForms } from '../support/panel-forms.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp(storage.config)
const { call, services } = app
const { post } = panelForms(app)
const upload = uploader(app)

type Form = [string, string][]

const wordsOf = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
const shown = async (path: string) => wordsOf((await call('GET', path)).text)
const folder = async (name: string, parent_id: string | null = null): Promise<string> =>
  (await call('POST', '/api/v1/media-folders', { body: { name, parent_id } })).body.folder_id

describe('the media library', () => {
  it('D17: shows all files, those of a folder, and those in none', async () => {
    const folder_id = await folder('Summer')
    await upload('inside.txt', 'a', { fields: { folder_id } })
    await upload('outside.txt', 'b')
    const all = await shown('/admin/media')
    expect(all).toContain('All files Not in a folder Summer')
    for (const name of ['inside.txt', 'outside.txt']) expect(all).toContain(name)
    expect(await shown('/admin/media?folder=root')).not.toContain('inside.txt')
    expect(await shown(`/admin/media?folder=${folder_id}`)).not.toContain('outside.txt')
    expect(await shown('/admin/media?text=nowhere')).toContain('No results for “nowhere”.')
  })

  it('is the newest file first, filtered by type and missing alt text', async () => {
    const id = await folder('Filters')
    const png = await picture(8, 8).png().toBuffer()
    const inside = (alt_text: string) => ({ fields: { folder_id: id, ...(alt_text && { alt_text }) } })
    await upload('first.png', png, inside('A square'))
    await upload('second.png', png, inside(''))
    await upload('third.txt', 'words', inside(''))
    const names = async (query: string) =>
      [...(await call('GET', `/admin/media?folder=${id}${query}`)).text.matchAll(/tile-name">([^<]*)</g)].map(
        ([, name]) => name,
      )
    expect(await names('')).toEqual(['third.txt', 'second.png', 'first.png'])
    expect(await names('&type=image')).toEqual(['second.png', 'first.png'])
    expect(await names('&without=alt_text')).toEqual(['second.png'])
    expect(await names('&text=FIRST')).toEqual(['first.png'])
    expect(await shown(`/admin/media?folder=${id}&type=video`)).toContain('No files match the filters.')
    for (const query of ['&type=nothing', '&without=x']) expect(await names(query)).toHaveLength(3)
    const { body } = await call('GET', `/api/v1/media?folder_id=${id}&without=alt_text`)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['second.png', 'third.txt'])
    expect((await call('GET', '/api/v1/media?without=caption')).status).toBe(400)
  })

  it('is sorted by upload, name and size, either way, over several pages', async () => {
    const folder_id = await folder('Sorted')
    const files = { 'Beta.txt': 'bb', 'alpha.txt': 'ccc', 'gamma.txt': 'a' }
    for (const [name, text] of Object.entries(files)) await upload(name, text, { fields: { folder_id } })
    const names = async (query: string) => {
      const { text } = await call('GET', `/admin/media?folder=${folder_id}${query}`)
      return [...text.matchAll(/tile-name">([^<.]*)/g)].map(([, name]) => name).join(' ')
    }
    const cases = [
      ['', 'gamma alpha Beta'],
      ['&sort=uploaded', 'Beta alpha gamma'],
      ['&sort=name', 'alpha Beta gamma'],
      ['&sort=-name', 'gamma Beta alpha'],
      ['&sort=-size', 'alpha Beta gamma'],
      ['&sort=size', 'gamma Beta alpha'],
      ['&sort=__proto__', 'gamma alpha Beta'],
      [`&sort=${'x'.repeat(5000)}`, 'gamma alpha Beta'],
    ]
    for (const [query = '', order] of cases) expect([query, await names(query)]).toEqual([query, order])
    for (let n = 0; n < 60; n++)
      await upload(`many-${String(n).padStart(2, '0')}.txt`, 'many', { fields: { folder_id } })
    for (const sort of ['name', 'uploaded']) {
      const at = `/admin/media?folder=${folder_id}&sort=${sort}`
      const first = await call('GET', at)
      const next = /class="pager"><a href="([^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
      expect(next).toContain(`sort=${sort}`)
      const both = first.text + (await call('GET', next)).text
      const shown = [...both.matchAll(/tile-name">([^<]*)/g)].map(([, name]) => name)
      expect([shown.length, new Set(shown).size]).toEqual([63, 63])
    }
    for (const page of ['0', '-1', '1e9', 'x'])
      expect((await call('GET', `/admin/media?sort=name&page=${page}`)).status).toBe(200)
  })

  it('tags several files at once, suggests tags that are used, and filters by one', async () => {
    const names = ['red.txt', 'blue.txt', 'green.txt']
    const made = await Promise.all(
      names.map(async name => (await upload(name, name)).body.media_id as string),
    )
    const [red, blue, green] = made.map(String)
    const ids = (...chosen: unknown[]): Form => chosen.map(id => ['ids', String(id)])
    const work = (form: Form, as: 'admin' | 'viewer' | 'nobody' = 'admin') =>
      post('/admin/media-work', form, { as })
    const tagsOf = async (id: unknown) => (await services.media.items.get(String(id))).tags
    const tagged = await work([
      ...ids(red, blue),
      ['what', 'tag'],
      ['tags', 'Colour, warm ,'],
      ['back', 'text=txt'],
    ])
    expect(tagged.location).toBe('/admin/media?text=txt&done=tag.2')
    expect(await shown(tagged.location)).toContain('2 files tagged.')
    expect(await tagsOf(red)).toEqual(['Colour', 'warm'])
    const less = await work([...ids(blue, green), ['what', 'untag'], ['tags', 'WARM']])
    expect(await shown(less.location)).toContain('Tags removed from 2 files.')
    expect([await tagsOf(blue), await tagsOf(green)]).toEqual([['Colour'], undefined])
    const { text } = await call('GET', '/admin/media?tag=warm')
    expect(text).toContain('<option value="warm" selected="">')
    expect([text.includes('red.txt'), text.includes('blue.txt')]).toEqual([true, false])
    expect(await shown('/admin/media?tag=nowhere')).toContain('No files match the filters.')
    expect((await call('GET', `/admin/media?tag=${'x'.repeat(5000)}`)).status).toBe(200)
    expect((await call('GET', `/admin/media?tag=${encodeURIComponent('a,\n<b>')}`)).status).toBe(200)

    // All of them or none: one file would have too many.
    await services.media.items.update(systemActor, String(green), {
      tags: Array.from({ length: 20 }, (_, n) => `t${n}`),
    })
    const full = await work([...ids(red, green), ['what', 'tag'], ['tags', 'more']])
    expect([full.status, wordsOf(full.text)]).toEqual([
      400,
      expect.stringContaining('green.txt would have more'),
    ])
    expect(await tagsOf(red)).toEqual(['Colour', 'warm'])
    const gone = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    for (const [chosen, tags] of [
      [red, ''],
      [red, ' , '],
      [red, 'x'.repeat(41)],
      [red, 'x'.repeat(5000)],
      [gone, 'a'],
    ] as const)
      expect([tags, (await work([...ids(chosen), ['what', 'tag'], ['tags', tags]])).status]).toEqual([
        tags,
        400,
      ])
    for (const as of ['viewer', 'nobody'] as const)
      expect((await work([...ids(red), ['what', 'tag'], ['tags', 'a']], as)).status).toBe(403)
    expect(await tagsOf(red)).toEqual(['Colour', 'warm'])
  })

  it('has the tags of a file as a field of its page', async () => {
    const { body } = await upload('field.txt', 'x', { fields: { tags: 'old' } })
    const { text } = await call('GET', `/admin/media/${body.media_id}`)
    expect(text).toMatch(/name="tags"[^>]*value="old"/)
    const save = (tags: string) => post(`/admin/media/${body.media_id}`, [['tags', tags]])
    expect((await save('new, Two words')).status).toBe(303)
    expect((await services.media.items.get(body.media_id)).tags).toEqual(['new', 'Two words'])
    const refused = await save('x'.repeat(41))
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('x'.repeat(41))])
    expect((await save('')).status).toBe(303)
    expect((await services.media.items.get(body.media_id)).tags).toBeUndefined()
  })

  it('moves and deletes several files, and keeps one that content uses', async () => {
    const to = await folder('Moved')
    const [one, two, used] = await Promise.all(
      ['one.txt', 'two.txt', 'used.txt'].map(
        async name => (await upload(name, name)).body.media_id as string,
      ),
    )
    const { datatype, field, entry } = factories(app)
    const { datatype_id } = await datatype('Download', { type: '_global' })
    await field(datatype_id, 'File', 'media')
    await entry(datatype_id, {}, { fields: { file: used } })
    const work = (form: Form) => post('/admin/media-work', form)
    const ids = (...chosen: unknown[]): Form => chosen.map(id => ['ids', String(id)])
    const moved = await work([...ids(one, two), ['what', 'move'], ['folder_id', to], ['back', 'text=txt']])
    expect(moved.location).toBe('/admin/media?text=txt&done=move.2')
    expect((await call('GET', moved.location)).text).toContain('2 files moved.')
    for (const id of [one, two]) expect((await services.media.items.get(String(id))).folder_id).toBe(to)
    const asked = await work([...ids(one, used), ['what', 'delete']])
    expect([asked.status, wordsOf(asked.text)]).toEqual([200, expect.stringContaining('Delete 2 files?')])
    expect(await services.media.items.some([String(one), String(used)])).toHaveLength(2)
    const refused = await work([...ids(one, used), ['what', 'delete'], ['sure', 'yes']])
    expect([refused.status, wordsOf(refused.text)]).toEqual([
      409,
      expect.stringMatching(/1 file deleted\..*1 file was not deleted\..*used\.txt/),
    ])
    expect(await services.media.items.some([String(one), String(used)])).toHaveLength(1)
    const done = await work([...ids(two), ['what', 'delete'], ['sure', 'yes']])
    expect(done.location).toBe('/admin/media?done=delete.1')
    const gone = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    for (const [form, status] of [
      [[['what', 'move']], 400],
      [[...ids('no id'), ['what', 'move']], 400],
      [[...ids(used), ['what', 'publish']], 400],
      [[...ids(gone), ['what', 'move']], 400],
      [[...ids(used), ['what', 'move'], ['folder_id', gone]], 400],
      [[...ids(...Array.from({ length: 201 }, () => used)), ['what', 'move']], 400],
    ] as [Form, number][])
      expect([form.slice(0, 2), (await work(form)).status]).toEqual([form.slice(0, 2), status])
    for (const as of ['viewer', 'nobody'] as const)
      expect([as, (await post('/admin/media-work', ids(used), { as })).status]).toEqual([as, 403])
    const mover = await callersOf(app).callerWith('media:read', 'media:update')
    const remove = { ids: String(used), what: 'delete', sure: 'yes' }
    expect((await mover.post('/admin/media-work', remove)).status).toBe(403)
    const events = (await app.audits()).length
    const foreign = await post('/admin/media-work', [...ids(used), ['what', 'delete']], { token: 'x' })
    expect([foreign.status, (await app.audits()).length]).toEqual([403, events])
  })

  it('D17: renames a folder, and refuses a name that is taken, empty or no name', async () => {
    const [id] = [await folder('Wrong name'), await folder('Taken')]
    const path = `/admin/media-folders/${id}`
    expect((await post(path, { name: 'Right name' })).location).toBe(`/admin/media?folder=${id}&saved`)
    expect((await services.media.folders.get(id)).name).toBe('Right name')
    expect((await post(path, { name: 'Taken' })).status).toBe(409)
    for (const name of ['', 'a/b']) expect((await post(path, { name })).status).toBe(400)
    expect((await post(path, {})).status).toBe(400)
    expect((await post('/admin/media-folders/01ARZ3NDEKTSV4RRFFQ69G5FAV', { name: 'No' })).status).toBe(404)
    expect((await post(path, { name: 'No' }, { as: 'viewer' })).status).toBe(403)
    expect((await services.media.folders.get(id)).name).toBe('Right name')
  })

  it('D17: asks before a folder is deleted, and counts what is in the way', async () => {
    const id = await folder('Old')
    await folder('Inner', id)
    await upload('kept.txt', 'c', { fields: { folder_id: id } })
    const full = await shown(`/admin/media-folders/${id}/delete`)
    expect(full).toContain('The folder contains 1 file and 1 folder. Move or delete them first.')
    const empty = await folder('Empty')
    expect(await shown(`/admin/media-folders/${empty}/delete`)).toContain(
      'The folder is empty. This cannot be undone.',
    )
    expect((await call('GET', `/admin/media-folders/${empty}/delete`, { as: 'viewer' })).status).toBe(403)
    expect((await call('GET', '/admin/media-folders/01ARZ3NDEKTSV4RRFFQ69G5FAV/delete')).status).toBe(404)
    expect((await post(`/admin/media-folders/${empty}/delete`, {})).location).toBe('/admin/media?saved')
  })
})

describe.skipIf(chromiumMissing)(`uploads${chromiumMissing ? ` (${chromiumMissing})` : ''}`, async () => {
  const { panel } = await browserOf(app)
  const file = (n: number) => ({
    name: `file-${n}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(`text ${n}`),
  })

  it('D16: three at once as soon as they are chosen, each cancelled or tried again by itself', async () => {
    const admin = await panel({ as: 'admin' })
    const { page: tab, open } = admin
    const held: Route[] = []
    await tab.route('**/media-upload*', route => {
      held.push(route)
    })
    await open('/media')
    expect(await tab.getByRole('button', { name: 'Upload', exact: true }).count()).toBe(0)
    await tab.setInputFiles('#file', [1, 2, 3, 4, 5].map(file))
    await expect.poll(() => held.length).toBe(3)
    const row = (n: number) => tab.locator('.queue li', { hasText: `file-${n}.txt` })
    expect(await row(1).innerText()).toMatch(/Uploading \d+ %/)
    expect(await row(4).innerText()).toContain('Waiting')
    expect(await row(1).locator('progress').getAttribute('value')).not.toBeNull()
    await tab.locator('[data-total]', { hasText: '0 of 5 uploaded' }).waitFor()
    await expectClean(admin)
    await tab.getByRole('button', { name: 'Cancel file-5.txt' }).click()
    await held[0]?.continue()
    await row(1).getByText('Done').waitFor()
    await expect.poll(() => held.length).toBe(4)
    await held[1]?.abort()
    await row(2).getByText('No connection.').waitFor()
    await held[2]?.fulfill({ status: 413, headers: { 'X-Error': 'Too%20large' } })
    await row(3).getByText('Too large').waitFor()
    await held[3]?.continue()
    await tab.locator('[data-total]', { hasText: '2 of 5 uploaded, 2 failed' }).waitFor()
    await expectClean(admin)
    await tab.unroute('**/media-upload*')
    for (const n of [2, 3, 5]) await tab.getByRole('button', { name: `Retry file-${n}.txt` }).click()
    await tab.locator('.tiles', { hasText: 'file-5.txt' }).waitFor()
    for (const n of [1, 2, 3, 4, 5])
      expect(await tab.locator('.tiles').innerText()).toContain(`file-${n}.txt`)
  })

  it('have folders whose forms are accessible', async () => {
    const admin = await panel({ as: 'admin' })
    const id = await folder('Forms')
    await admin.open(`/media?folder=${id}`)
    for (const summary of await admin.page.locator('.new-folder summary').all()) await summary.click()
    await admin.page.getByLabel('New name').fill('Formed')
    await expectClean(admin)
    await admin.page.getByRole('button', { name: 'Rename' }).click()
    await admin.page.getByRole('heading', { name: 'Formed' }).waitFor()
    await admin.page.getByRole('link', { name: 'Delete this folder…' }).click()
    await admin.page.getByText('The folder is empty.').waitFor()
    await expectClean(admin)
    await admin.page.getByRole('button', { name: 'Delete' }).click()
    await admin.page.getByRole('heading', { name: 'All files' }).waitFor()
  })

  it('begin when files are dropped anywhere on the page', async () => {
    const admin = await panel({ as: 'admin' })
    const { page: tab, open } = admin
    await open('/media')
    // The list comes into this page again after a filter, and after an action on chosen files.
    await tab.getByLabel('Type').selectOption('image')
    await tab.waitForURL(/type=image/)
    await tab.getByLabel('Type').selectOption('')
    await tab.waitForURL(/type=(&|$)/)
    const gone = tab.getByRole('checkbox', { name: 'Select file-5.txt' })
    await gone.check()
    await tab.locator('.work-bar', { hasText: '1 selected' }).waitFor()
    await expectClean(admin)
    await tab.getByRole('button', { name: 'Delete…' }).click()
    await tab.getByRole('heading', { name: 'Delete 1 file?' }).waitFor()
    await tab.getByRole('button', { name: 'Delete' }).click()
    await tab.getByText('1 file deleted.').waitFor()
    expect(await gone.count()).toBe(0)
    expect(await tab.locator('#file').evaluate((input: HTMLInputElement) => input.multiple)).toBe(true)
    await tab.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }))
      document.querySelector('.rail').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }))
    })()`)
    await tab.locator('.tiles', { hasText: 'dropped.txt' }).waitFor()
  })

  it('moves dragged files to a folder: one, or all that are selected', async () => {
    const [from, to] = [await folder('Drag from'), await folder('Drag to')]
    for (const name of ['d1.txt', 'd2.txt', 'd3.txt'])
      await upload(name, name, { fields: { folder_id: from } })
    const admin = await panel({ as: 'admin' })
    const { page: tab, open } = admin
    await open(`/media?folder=${from}`)
    const tile = (name: string) => tab.locator('.tiles a', { hasText: name })
    const target = tab.locator('#tree .node', { hasText: 'Drag to' })
    await tile('d1.txt').dragTo(target)
    await tab.getByText('1 file moved.').waitFor()
    await tab.getByRole('checkbox', { name: 'Select d2.txt' }).check()
    await tab.getByRole('checkbox', { name: 'Select d3.txt' }).check()
    await tile('d3.txt').dragTo(target)
    await tab.getByText('2 files moved.').waitFor()
    await tab.getByText('No files yet.').waitFor()
    expect(await services.media.items.count({ folder_id: to })).toBe(3)
    await open(`/media?folder=${to}`)
    await tile('d1.txt').dragTo(tab.locator('#tree .node', { hasText: 'Not in a folder' }))
    await tab.getByText('1 file moved.').waitFor()
    expect(await services.media.items.count({ folder_id: to })).toBe(2)
    expect(await tab.locator('.queue li').count()).toBe(0)
    expect(admin.problems).toEqual([])
  })

  it('takes 60 pictures at once, three at a time, with true progress', async () => {
    const folder_id = await folder('Sixty')
    const png = await picture(64, 64).png().toBuffer()
    const admin = await panel({ as: 'admin' })
    const { page: tab, open } = admin
    let sent = 0
    await tab.route('**/media-upload*', route => (++sent === 11 ? route.abort() : route.continue()))
    await open(`/media?folder=${folder_id}`)
    await tab.evaluate(
      ([bytes, name]) => {
        const queue = document.querySelector<HTMLElement>('.queue')
        const sending = () => queue?.querySelectorAll('[data-state=sending]').length ?? 0
        const watch = () => {
          if (queue) queue.dataset.most = String(Math.max(sending(), Number(queue.dataset.most ?? 0)))
        }
        if (queue)
          new MutationObserver(watch).observe(queue, { subtree: true, attributeFilter: ['data-state'] })
        const dataTransfer = new DataTransfer()
        const data = Uint8Array.from(atob(bytes), one => one.charCodeAt(0))
        for (let n = 0; n < 60; n++)
          dataTransfer.items.add(new File([data], `${name}-${n}.png`, { type: 'image/png' }))
        const drop = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer })
        document.querySelector('#main')?.dispatchEvent(drop)
      },
      [png.toString('base64'), 'sixty'] as const,
    )
    const row = (name: string) => tab.locator('.queue li', { hasText: name })
    await tab.getByRole('button', { name: 'Cancel sixty-59.png' }).click()
    await row('sixty-59.png').getByText('Cancelled').waitFor()
    await tab
      .locator('[data-total]', { hasText: '58 of 60 uploaded, 1 failed' })
      .waitFor({ timeout: 180_000 })
    expect(await services.media.items.count({ folder_id })).toBe(58)
    expect(await tab.locator('.queue').getAttribute('data-most')).toBe('3')
    // The failed and the cancelled one.
    for (let n = 0; n < 2; n++)
      await tab
        .getByRole('button', { name: /^Retry/ })
        .first()
        .click()
    await tab.locator('.tiles li').nth(59).waitFor({ timeout: 180_000 })
    expect(await services.media.items.count({ folder_id })).toBe(60)
  })
})
