import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { picture } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config })
const { call } = app
const { datatype, field, route, entry } = factories(app)

async function richEntry(slug: string, body = ''): Promise<string> {
  const { datatype_id } = await datatype('Article')
  await field(datatype_id, 'Body', 'richtext')
  const { route_id } = await route(slug, `Page ${slug}`)
  return (await entry(datatype_id, { route_id }, { fields: { body } })).content_data_id
}

const stored = async (id: string): Promise<string | undefined> =>
  (await call('GET', `/api/v1/content-fields?content_data_id=${id}`)).body[0]?.field_value

const text = (page: Page) => page.getByRole('textbox', { name: 'Body' }).and(page.locator('.ProseMirror'))
/** A failure says what the bar says instead. */
const saved = (page: Page) => expect.poll(() => page.locator('#saved').textContent()).toMatch(/^\s*Saved/)
const note = (page: Page) => page.locator('.rich-note')

interface File {
  name: string
  type: string
  /** In Base64. */
  bytes: string
}

const png = (await picture(600, 400).png().toBuffer()).toString('base64')
const photo = (name: string): File => ({ name, type: 'image/png', bytes: png })

/** Brings files to the text, as the clipboard or the pointer does. */
const give = (page: Page, how: 'paste' | 'drop', files: readonly File[], html = '') =>
  text(page).evaluate(
    (target, { how, files, html }) => {
      const data = new DataTransfer()
      for (const { name, type, bytes } of files)
        data.items.add(new File([Uint8Array.from(atob(bytes), c => c.charCodeAt(0))], name, { type }))
      if (html !== '') data.setData('text/html', html)
      const paragraphs = target.querySelectorAll('p')
      const box = (paragraphs[paragraphs.length - 1] ?? target).getBoundingClientRect()
      const at = { clientX: box.right - 4, clientY: box.top + box.height / 2 }
      const shared = { bubbles: true, cancelable: true }
      const event =
        how === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, ...shared })
          : new DragEvent('drop', { dataTransfer: data, ...at, ...shared })
      target.dispatchEvent(event)
      return event.defaultPrevented
    },
    { how, files, html },
  )

/** Uploads wait until they are let go. */
async function held(page: Page): Promise<() => void> {
  let go = () => {}
  const wait = new Promise<void>(resolve => {
    go = resolve
  })
  await page.route('**/media-upload*', async sent => {
    await wait
    await sent.continue()
  })
  return go
}

describe.skipIf(chromiumMissing)(
  `pictures in rich text${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    for (const [look, options] of Object.entries(looks))
      it(`D6: are shown while they are uploaded, and stored by their address: ${look}`, async () => {
        const id = await richEntry(`/dropped-${look}`, '<p>Before</p>')
        const admin = await panel({ ...options, as: 'admin' })
        const { page, open } = admin
        await open(`/content/entry/${id}`)
        await text(page).waitFor()
        const go = await held(page)
        expect(await give(page, 'drop', [photo('sea.png')])).toBe(true)
        await page.locator('.upload canvas').waitFor()
        expect(await page.locator('.upload').textContent()).toMatch(/^Uploading \d+ %$/)
        await expectClean(admin)
        go()
        await text(page).locator('.picture img').waitFor()
        await expectClean(admin)
        await page.getByRole('button', { name: 'Add alt text' }).click()
        await page.getByRole('textbox', { name: 'Alt text' }).fill('The sea')
        await page.getByRole('button', { name: 'OK' }).click()
        expect(await page.getByRole('button', { name: 'Add alt text' }).count()).toBe(0)
        await page.keyboard.press('Control+s')
        await saved(page)
        expect(await stored(id)).toMatch(
          /^<p>Before<img src="[^"]+sea[^"]*\.png" alt="The sea" width="600" height="400"><\/p>$/,
        )
        expect(admin.problems).toEqual([])
      })

    it('are waited for by a save, which stores nothing of a picture that is not there yet', async () => {
      const id = await richEntry('/waits', '<p>a</p>')
      const { page, open, problems } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      await text(page).click()
      const go = await held(page)
      await give(page, 'paste', [photo('one.png'), photo('two.png')])
      // A click on a busy machine may still move the cursor.
      await page.keyboard.press('Control+End')
      await page.keyboard.type('b')
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: 'Waiting for 2 uploads' }).waitFor()
      expect(await stored(id)).toBe('<p>a</p>')
      go()
      await saved(page)
      expect((await stored(id))?.match(/<img src="http[^"]+" width="600" height="400">/g)).toHaveLength(2)
      expect(await stored(id)).toMatch(/b<\/p>$|^<p>b/)
      expect(problems).toEqual([])
    })

    it('that fail say why, and are tried again or removed; a save leaves them out', async () => {
      const id = await richEntry('/fails', '<p>a</p>')
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      await open(`/content/entry/${id}`)
      await text(page).click()
      const wrong = { name: 'broken.png', type: 'image/png', bytes: btoa('<svg onload=alert(1)>') }
      await give(page, 'paste', [wrong])
      await page.locator('.upload.failed', { hasText: 'broken.png was not uploaded: ' }).waitFor()
      await expectClean(admin)
      await page.keyboard.press('Control+s')
      await saved(page)
      expect(await stored(id)).toBe('<p>a</p>')
      await page.getByRole('button', { name: 'Remove', exact: true }).click()
      expect(await page.locator('.upload').count()).toBe(0)

      await page.context().setOffline(true)
      await give(page, 'paste', [photo('later.png')])
      await page.locator('.upload.failed', { hasText: 'later.png was not uploaded: no connection' }).waitFor()
      await page.context().setOffline(false)
      await page.getByRole('button', { name: 'Retry' }).click()
      await text(page).locator('.picture img').waitFor()
      expect(admin.problems).toEqual([])
    })

    it('go and come back by Undo and Redo, during the upload as after it', async () => {
      const id = await richEntry('/undone', '<p>a</p>')
      const { page, open, problems } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      await text(page).click()
      await give(page, 'paste', [photo('one.png')])
      const image = text(page).locator('.picture img')
      await image.waitFor()
      await page.keyboard.press('Control+z')
      await expect.poll(() => image.count()).toBe(0)
      await page.keyboard.press('Control+Shift+z')
      await image.waitFor()
      await page.keyboard.press('Control+z')
      const go = await held(page)
      await give(page, 'paste', [photo('two.png')])
      await page.locator('.upload').waitFor()
      await page.keyboard.press('Control+z')
      await expect.poll(() => page.locator('.upload').count()).toBe(0)
      const ended = page.waitForResponse(answer => answer.url().includes('/pick/images'))
      go()
      await ended
      expect(await image.count()).toBe(0)
      await page.keyboard.press('Control+Shift+z')
      await image.waitFor()
      await page.keyboard.press('Control+s')
      await saved(page)
      expect(await stored(id)).toMatch(/^<p>a<img src="http[^"]+two[^"]*" width="600" height="400"><\/p>$/)
      expect(problems).toEqual([])
    })

    it('are the only files that are taken, by people who may upload', async () => {
      const id = await richEntry('/others', '<p>a</p>')
      const { page, open } = await panel({ as: 'admin' })
      await open(`/content/entry/${id}`)
      await text(page).click()
      const report = { name: 'report.pdf', type: 'application/pdf', bytes: btoa('%PDF-') }
      expect(await give(page, 'drop', [report])).toBe(true)
      await expect.poll(() => note(page).textContent()).toContain('report.pdf is not an image')
      await page.locator('[data-upload-to]').evaluate(span => span.removeAttribute('data-upload-to'))
      await give(page, 'drop', [photo('x.png')])
      await page.locator('.upload', { hasText: 'you may not upload files' }).waitFor()
      await page.keyboard.press('Control+s')
      expect(await stored(id)).toBe('<p>a</p>')
    })

    it('D6: of other sites are left out of what is pasted, and the text says how many', async () => {
      const id = await richEntry('/foreign', '<p>a<img src="https://old.example/kept.png" alt=""></p>')
      const { page, open, problems } = await panel({ as: 'admin' })
      await page.route('https://**', sent => sent.abort())
      await open(`/content/entry/${id}`)
      await text(page).click()
      await page.keyboard.press('Control+End')
      const pictures = `<img src="https://lh7.googleusercontent.com/a"><img src="data:image/png;base64,${png}"><img src="//cdn.example/b.png">`
      await give(page, 'paste', [], `<b id="docs-internal-guid-1"><p>Docs</p><p>${pictures}</p></b>`)
      await expect.poll(() => note(page).textContent()).toMatch(/^3 images were left out\. .*drop them here/)
      await give(
        page,
        'paste',
        [photo('word.png')],
        '<p data-pm-slice="0 0 []">own <img src="https://old.example/kept.png"> <img src="/m/own.png"> <img src="https://x.example/c"></p>',
      )
      await expect.poll(() => note(page).textContent()).toMatch(/^1 image was left out/)
      await page.keyboard.press('Control+s')
      await saved(page)
      const addresses = [...((await stored(id)) ?? '').matchAll(/src="([^"]+)"/g)].map(([, one]) => one)
      expect(addresses).toEqual([
        'https://old.example/kept.png',
        'https://old.example/kept.png',
        '/m/own.png',
      ])
      expect(problems.filter(problem => !problem.includes('old.example'))).toEqual([])
    })
  },
)
