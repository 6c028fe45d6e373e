import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { picture, uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config, app_secret: 'a secret of sixteen characters and more' })
const { call } = app
const { datatype, field, route, entry } = factories(app)

const pageOf = (id: string) => `/admin/content/entry/${id}/page`
const linkFor = async (id: string) =>
  (await call('POST', '/api/v1/content/preview-links', { body: { content_data_id: id } })).body

/** A page with a value of every type. @returns the ids of its root and of the block under it */
async function site() {
  const { datatype_id } = await datatype('Article')
  const block = await datatype('Teaser')
  const types = 'text textarea richtext number boolean datetime json url email media relation'.split(' ')
  for (const [sort_order, type] of types.entries())
    await field(datatype_id, `A ${type}`, type, { name: type, sort_order })
  await field(block.datatype_id, 'Heading', 'text')
  const { body: media } = await uploader(app)('boat.png', await picture(640, 420).png().toBuffer(), {
    fields: { alt_text: 'A boat', caption: 'In the morning' },
  })
  const { route_id: otherRoute } = await route('/other', 'The other page')
  const other = await entry(datatype_id, { route_id: otherRoute }, { fields: { text: 'Elsewhere' } })
  const { route_id } = await route('/harbour', 'The harbour')
  const root = await entry(
    datatype_id,
    { route_id },
    {
      fields: {
        text: 'A draft',
        textarea: 'Two\nlines',
        richtext: '<h2>Morning</h2><p>Boats come <strong>in</strong>.</p>',
        number: 39.5,
        boolean: true,
        datetime: '2026-02-03T04:05:06.000Z',
        json: { open: '9–12' },
        url: '/about',
        email: 'zoe@example.com',
        media: media.media_id,
        relation: other.content_data_id,
      },
    },
  )
  const under = await entry(
    block.datatype_id,
    { parent_id: root.content_data_id },
    { fields: { heading: 'A block' } },
  )
  return {
    root: root.content_data_id as string,
    under: under.content_data_id as string,
    other: other.content_data_id as string,
  }
}

const made = await site()

describe('the page of the service', () => {
  it('shows the working state with every kind of value, from any entry of it', async () => {
    const { text, status, headers } = await call('GET', pageOf(made.under), { as: 'editor' })
    expect(status).toBe(200)
    for (const part of [
      '<h1>The harbour</h1>',
      'A draft',
      'Two\nlines',
      '<h2>Morning</h2><p>Boats come <strong>in</strong>.</p>',
      '<dd>39.5</dd>',
      '<dd>Yes</dd>',
      '2026-02-03 04:05 UTC',
      'open 9–12',
      'href="/about"',
      'href="mailto:zoe@example.com"',
      'alt="A boat"',
      '<figcaption>In the morning</figcaption>',
      `href="${pageOf(made.other)}">The other page</a>`,
      'Teaser',
      'A block',
    ])
      expect(text).toContain(part)
    expect(headers.get('x-robots-tag')).toBe('noindex')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
    const policy = headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "frame-ancestors 'self'", "trusted-types 'none'"])
      expect(policy).toContain(part)
    expect(policy).not.toMatch(/unsafe|frame-src/)
  })

  it('is refused to who may not see drafts, in the admin space to who has no rights there', async () => {
    expect((await call('GET', pageOf(made.root), { as: 'nobody' })).status).toBe(303)
    expect((await call('GET', pageOf(made.root), { as: 'viewer' })).status).toBe(403)
    expect((await call('GET', pageOf('01ARZ3NDEKTSV4RRFFQ69G5FAV'))).status).toBe(404)
    expect((await call('GET', pageOf('x'))).status).toBe(404)
    const menu = await datatype('Menu', { type: '_global' })
    const { content_data_id: global } = await entry(menu.datatype_id, {})
    expect((await call('GET', pageOf(global))).status).toBe(404)

    const kind = await call('POST', '/api/v1/admin/datatypes', { body: { label: 'Own', type: 'content' } })
    const at = await call('POST', '/api/v1/admin/routes', { body: { slug: '/secret', title: 'Secret' } })
    const { datatype_id, admin_datatype_id = datatype_id } = kind.body
    const { route_id, admin_route_id = route_id } = at.body
    const own = await call('POST', '/api/v1/admin/content', {
      body: { datatype_id: admin_datatype_id, route_id: admin_route_id },
    })
    expect([own.status, own.text]).toEqual([201, own.text])
    const path = `/admin/space/content/entry/${own.body.content_data_id}/page`
    expect((await call('GET', path)).text).toContain('<h1>Secret</h1>')
    for (const [as, status] of [
      ['nobody', 303],
      ['viewer', 403],
    ] as const)
      expect([as, (await call('GET', path, { as })).status]).toEqual([as, status])
    // A page of one space is none of the other.
    expect((await call('GET', pageOf(own.body.content_data_id))).status).toBe(404)
    expect((await call('GET', `/admin/space/content/entry/${made.root}/page`)).status).toBe(404)
  })

  it('is where a preview link leads without a preview_url, and ends with the link', async () => {
    const { url, token, preview_link_id } = await linkFor(made.root)
    expect(new URL(url, 'http://x').pathname).toBe('/admin/preview')
    const at = `/admin/preview?token=${token}`
    const { text, status, headers } = await call('GET', at, { as: 'nobody' })
    expect([status, text.includes('A draft'), text.includes('A block')]).toEqual([200, true, true])
    // Who has no account is led to no form, and of other pages sees what the public sees.
    expect(text).not.toMatch(/href="\/admin\/content|<script|data-entry|The other page/)
    expect([headers.get('x-frame-options'), headers.get('x-robots-tag')]).toEqual(['DENY', 'noindex'])
    expect((await call('GET', '/admin/preview', { as: 'nobody' })).status).toBe(404)
    expect((await call('GET', `${at}x`, { as: 'nobody' })).status).toBe(404)
    const others = await linkFor(made.other)
    const shown = await call('GET', `/admin/preview?token=${others.token}`, { as: 'nobody' })
    expect([shown.status, shown.text.includes('A draft')]).toEqual([200, false])
    await call('DELETE', `/api/v1/content/preview-links/${preview_link_id}`)
    expect((await call('GET', at, { as: 'nobody' })).status).toBe(410)
  })

  it('is cut where it is large, and says how many blocks it has', async () => {
    const { datatype_id } = await datatype('Row')
    await field(datatype_id, 'Words', 'text')
    const { route_id } = await route('/long', 'Long')
    const children = Array.from({ length: 130 }, (_, n) => ({ datatype_id, fields: { words: `No. ${n}.` } }))
    const { content_data_id: id } = await entry(datatype_id, { route_id }, { children })
    const { text } = await call('GET', pageOf(id))
    expect([text.includes('No. 99.'), text.includes('No. 100.')]).toEqual([true, false])
    expect(text).toContain('30 more blocks here')
    expect(text).toContain('100 of 130 blocks are shown.')
  })
})

const bad = '<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script><svg onload=alert(1)>'

describe.skipIf(chromiumMissing)(
  `the page of the service in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)
    let hostile = ''
    beforeAll(async () => {
      const { datatype_id } = await datatype(`Kind ${bad}`.slice(0, 100))
      const types = ['text', 'textarea', 'richtext', 'json', 'url', 'email']
      for (const type of types)
        await field(datatype_id, `"><svg onload=alert(1)> ${type}`, type, { name: type })
      const { route_id } = await route('/bad', `Title ${bad}`)
      const fields = {
        text: bad,
        textarea: `</p>${bad}`,
        richtext: `<p>Mine</p><img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script><a href="javascript:alert(1)">one</a><a href="java&#10;script:alert(1)">two</a><p onclick="alert(1)" style="x">three</p><iframe srcdoc="<script>parent.hit=1</script>"></iframe><iframe title="a>b" src="https://www.youtube.com/embed/film"></iframe>${bad}`,
        json: { [bad]: bad },
      }
      const root = await entry(datatype_id, { route_id }, { fields, children: [{ datatype_id, fields }] })
      hostile = root.content_data_id
    })

    it('runs nothing of the content, whatever is in it', async () => {
      const admin = await panel({ as: 'admin' })
      const { page, open } = admin
      const refused: string[] = []
      page.on('dialog', dialog => dialog.dismiss().then(() => refused.push('a dialog')))
      await page.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
          // biome-ignore lint/suspicious/noConsole: the test reads it
          console.error(`policy: ${violatedDirective} ${blockedURI}`),
        )
      })
      const { token } = await linkFor(hostile)
      for (const path of [`/content/entry/${hostile}/page`, `/preview?token=${token}`]) {
        expect([path, await open(path)]).toEqual([path, 200])
        expect(admin.problems).toEqual([])
        expect(await page.evaluate('globalThis.hit')).toBe(undefined)
        expect(await page.locator('main :is(svg, iframe, script, style, [onclick], [style])').count()).toBe(0)
        const hrefs = await page.locator('a').evaluateAll(all => all.map(a => a.getAttribute('href')))
        expect(hrefs.filter(href => /script:/i.test(href ?? ''))).toEqual([])
        expect(hrefs).toContain('https://www.youtube.com/embed/film')
        await page.getByText('three').first().click()
        await page.getByText('two').first().click()
      }
      expect(refused).toEqual([])
    })

    it('stands beside the form, follows what is typed and saved, and leads to the field by a click', async () => {
      const admin = await panel({ as: 'admin' })
      const { page, open, problems } = admin
      await open(`/content/entry/${made.under}`)
      const shown = page.frameLocator('#page-frame iframe:not(.coming)')
      const block = shown.locator(`[data-entry="${made.under}"] h2`)
      await block.getByText('A block').waitFor()
      expect(await page.getAttribute('#page-frame iframe', 'sandbox')).toBe(
        'allow-same-origin allow-scripts allow-top-navigation-by-user-activation',
      )
      await page.focus('[id="f-fields.heading"]')
      await expect.poll(() => block.getAttribute('class')).toContain('here')
      await page.fill('[id="f-fields.heading"]', `Typed ${bad}`)
      await block.getByText(`Typed ${bad}`).waitFor()
      expect(await block.locator('*').count()).toBe(0)
      const scrolled = () => shown.locator('html').evaluate(html => html.scrollTop)
      await shown.locator('html').evaluate(html => html.scrollTo(0, 300))
      await page.fill('[id="f-fields.heading"]', 'Saved now')
      await page.keyboard.press('Control+s')
      await page.locator('#saved', { hasText: 'Saved' }).waitFor()
      await expect.poll(() => page.locator('#page-frame iframe').count()).toBe(1)
      await block.getByText('Saved now').waitFor()
      await expect.poll(scrolled).toBeGreaterThan(0)
      await block.hover()
      await expect.poll(() => block.getAttribute('class')).toContain('over')
      await call('PUT', `/api/v1/content?q=${made.under}`, {
        as: 'editor',
        body: { fields: { heading: 'By somebody else' } },
      })
      await block.getByText('By somebody else').waitFor()
      await page.focus('#main')
      await block.click()
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('f-fields.heading')
      // A field of another entry is on another page.
      await shown.locator('[data-field=textarea]').click()
      await page.waitForURL(`**/content/entry/${made.root}#f-fields.textarea`)
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('f-fields.textarea')
      expect(problems).toEqual([])
    })

    it('takes half of the screen, a width and the place of the data, as this browser had it', async () => {
      const { page, open } = await panel({ as: 'admin' })
      await open(`/content/entry/${made.root}`)
      const box = page.locator('#page-frame')
      const before = await box.boundingBox()
      await page.getByRole('checkbox', { name: 'Wide' }).check()
      expect(await page.locator('.tree').isVisible()).toBe(false)
      expect((await box.boundingBox())?.width).toBeGreaterThan((before?.width ?? 0) * 1.5)
      await page.getByRole('radio', { name: '820' }).check()
      const width = () =>
        page
          .frameLocator('#page-frame iframe')
          .locator('html')
          .evaluate(html => html.clientWidth)
      await expect.poll(width).toBe(820)
      await page.reload()
      expect(await page.getByRole('checkbox', { name: 'Wide' }).isChecked()).toBe(true)
      await expect.poll(width).toBe(820)
      await page.getByRole('radio', { name: 'Data' }).check()
      await page.locator('.preview-text').waitFor()
      expect(await box.isVisible()).toBe(false)
    })

    it('works without script: the page in its frame, and a link to it', async () => {
      const { page, open } = await panel({ as: 'admin', javaScriptEnabled: false })
      await open(`/content/entry/${made.root}`)
      const link = page.getByRole('link', { name: 'Open the preview' })
      expect(await link.getAttribute('href')).toBe(pageOf(made.root))
      const block = page.frameLocator('#page-frame iframe').locator(`[data-entry="${made.under}"]`)
      await block.getByRole('link', { name: 'Edit Teaser' }).click()
      await page.waitForURL(`**/content/entry/${made.under}`)
    })

    for (const [look, options] of Object.entries(looks))
      it(`has nothing that axe refuses: ${look}`, async () => {
        const admin = await panel({ ...options, as: 'admin' })
        for (const id of [made.root, made.other]) {
          await admin.open(`/content/entry/${id}/page`)
          await expectClean(admin)
        }
      })
  },
)
