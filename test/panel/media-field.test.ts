import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage({ readable: true })
const app = await testApp({ ...storage.config })
const { call } = app
const { datatype, field, route, entry } = factories(app)

const png = (await picture(600, 400).png().toBuffer()).toString('base64')
const wrong = btoa('no picture')

async function mediaEntry(slug: string): Promise<string> {
  const { datatype_id } = await datatype('Post')
  await field(datatype_id, 'Cover', 'media')
  const { route_id } = await route(slug, `Page ${slug}`)
  return (await entry(datatype_id, { route_id })).content_data_id
}

const stored = async (id: string): Promise<string | undefined> =>
  (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body[0]?.field_value
const saved = (page: Page) => page.locator('#saved', { hasText: /^Saved/ }).waitFor()
const cover = (page: Page) => page.locator('.picker[data-label=Cover] > [data-keep]')

const drop = (target: Locator, name: string, bytes: string) =>
  target.evaluate(
    (element, { name, bytes }) => {
      const data = new DataTransfer()
      const content = Uint8Array.from(atob(bytes), c => c.charCodeAt(0))
      data.items.add(new File([content], name, { type: 'image/png' }))
      for (const type of ['dragover', 'drop'])
        element.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
    },
    { name, bytes },
  )

describe.skipIf(chromiumMissing)(
  `a media field${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    for (const [look, options] of Object.entries(looks))
      it(`D18: takes a file that is dropped on it, and shows the picture with its focal dot: ${look}`, async () => {
        const id = await mediaEntry(`/field-${look}`)
        const admin = await panel({ ...options, as: 'admin' })
        const { page, open } = admin
        await open(`/content/entry/${id}`)
        await cover(page).getByText('Drop a file here').waitFor()
        expect((await cover(page).locator('.media-drop').boundingBox())?.height).toBe(96)
        await expectClean(admin)
        await drop(cover(page).locator('.media-drop'), 'wrong.png', wrong)
        await cover(page).getByText('wrong.png was not uploaded: ').waitFor()
        await expectClean(admin)
        await drop(cover(page).locator('.media-drop'), 'sea.png', png)
        await page.keyboard.press('Control+s')
        await cover(page).locator('img').waitFor()
        await saved(page)
        const media = (await call('GET', `/api/v1/media/${await stored(id)}`)).body
        expect(media.name).toBe('sea.png')
        await call('PUT', `/api/v1/media/${media.media_id}`, {
          body: { alt_text: 'The sea', focal_x: 25, focal_y: 75 },
        })
        await open(`/content/entry/${id}`)
        await cover(page).getByText('The sea').waitFor()
        await expect
          .poll(() =>
            cover(page)
              .locator('img')
              .evaluate(img => (img as HTMLImageElement).naturalWidth),
          )
          .toBeGreaterThan(0)
        const [image, dot] = await Promise.all(
          ['img', '.focal-dot'].map(name => cover(page).locator(name).boundingBox()),
        )
        expect(image?.width).toBe(240)
        const middle = { x: (dot?.x ?? 0) + (dot?.width ?? 0) / 2, y: (dot?.y ?? 0) + (dot?.height ?? 0) / 2 }
        expect((middle.x - (image?.x ?? 0)) / (image?.width ?? 1)).toBeCloseTo(0.25)
        expect((middle.y - (image?.y ?? 0)) / (image?.height ?? 1)).toBeCloseTo(0.75)
        await expectClean(admin)
        await page.getByRole('button', { name: 'Remove sea.png' }).click()
        await cover(page).getByText('Drop a file here').waitFor()
        expect(admin.problems).toEqual([])
      })

    it('offers to upload again what failed, one file or several', async () => {
      const { datatype_id } = await datatype('Album')
      await field(datatype_id, 'Cover', 'media', { data: { cardinality: 'many' } })
      const { route_id } = await route('/retry', 'Retry')
      const id = (await entry(datatype_id, { route_id })).content_data_id
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      await open(`/content/entry/${id}`)
      await cover(page).getByText('Drop files here').waitFor()
      let isAway = true
      await page.route('**/media-upload*', route => (isAway ? route.abort() : route.continue()))
      const names = ['one.png', 'two.png']
      for (const name of names) await drop(cover(page).locator('.media-drop'), name, png)
      for (const name of names)
        await cover(page).getByText(`${name} was not uploaded: No connection.`).waitFor()
      await expectClean(admin)
      // Again without a connection: the file can still be tried.
      await page.getByRole('button', { name: 'Retry one.png' }).click()
      await page.getByRole('button', { name: 'Retry one.png' }).waitFor()
      isAway = false
      for (const name of names) {
        await page.getByRole('button', { name: `Retry ${name}` }).click()
        await cover(page).locator('.choice-word', { hasText: name }).waitFor()
      }
      expect(await cover(page).getByText('was not uploaded').count()).toBe(0)
      await page.keyboard.press('Control+s')
      await saved(page)
      expect(JSON.parse((await stored(id)) ?? '')).toHaveLength(2)
    })

    it('D18: has a picker of tiles, which arrows go through and which takes files', async () => {
      const id = await mediaEntry('/tiles')
      for (let i = 0; i < 6; i++)
        await uploader(app)(
          `tile-${i}.png`,
          await picture(200 + i, 100)
            .png()
            .toBuffer(),
        )
      await uploader(app)('words.txt', 'words')
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      await open(`/content/entry/${id}`)
      await page.getByRole('button', { name: 'Choose: Cover' }).click()
      const tiles = page.locator('.found [role=option]')
      await tiles.nth(6).waitFor()
      const [first, second] = await Promise.all([0, 1].map(i => tiles.nth(i).boundingBox()))
      expect(first?.width).toBe(160)
      expect((second?.x ?? 0) - (first?.x ?? 0)).toBeGreaterThan(165)
      await expectClean(admin)
      const chosen = () => page.locator('[role=option][aria-selected=true]')
      await page.keyboard.press('ArrowRight')
      expect(await chosen().boundingBox()).toEqual(second)
      await page.keyboard.press('ArrowDown')
      const below = await chosen().boundingBox()
      expect([below?.x, (below?.y ?? 0) > (second?.y ?? 0)]).toEqual([second?.x, true])
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('ArrowLeft')
      expect(await chosen().boundingBox()).toEqual(first)
      await drop(page.locator('.picker-dialog'), 'wrong.png', wrong)
      await page.locator('.found-note', { hasText: 'Not uploaded: ' }).waitFor()
      await drop(page.locator('.picker-dialog'), 'dropped.png', png)
      await cover(page).getByText('dropped.png').waitFor()
      expect(await page.locator('.picker-dialog').count()).toBe(0)
      await page.keyboard.press('Control+s')
      await saved(page)
      const media = (await call('GET', `/api/v1/media/${await stored(id)}`)).body
      expect(media.name).toBe('dropped.png')
      expect(admin.problems).toEqual([])
    })

    it('without script, or for people who may not upload, is what it was', async () => {
      const id = await mediaEntry('/plain')
      const { page, open } = await panel({ as: 'admin', javaScriptEnabled: false })
      await open(`/content/entry/${id}`)
      expect(await page.getByRole('combobox', { name: 'Cover' }).isVisible()).toBe(true)
      const scripted = await panel({ as: 'admin' })
      await scripted.page.addInitScript(() => {
        const hide = () => document.querySelector('[data-upload-to]')?.removeAttribute('data-upload-to')
        new MutationObserver(hide).observe(document, { childList: true, subtree: true })
      })
      await scripted.open(`/content/entry/${id}`)
      await scripted.page.getByRole('button', { name: 'Choose: Cover' }).waitFor()
      expect(await scripted.page.getByText('Drop a file here').count()).toBe(0)
    })
  },
)
