import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'

const app = await testApp({ publish_mode: 'staged' })
const { call, services, users } = app
const { datatype, field, route, entry } = factories(app)
const kind = (await datatype('Page')).datatype_id
await field(kind, 'Heading', 'text', { required: true })
await field(kind, 'Teaser', 'textarea')
await call('PUT', `/api/v1/users?q=${users.editor}`, { body: { name: 'Ada', username: 'ada' } })
await call('PUT', `/api/v1/users?q=${users.admin}`, { body: { name: 'Grace', username: 'grace' } })

async function newPage(slug: string) {
  const { route_id } = await route(slug, 'Prices')
  return (await entry(kind, { route_id }, { fields: { heading: 'Prices' } })).content_data_id as string
}

describe.skipIf(chromiumMissing)('an author who may not publish and an editor who may', () => {
  it('carry a page by comments and a review to the public', { timeout: 240_000 }, async () => {
    const id = await newPage('/prices')
    const at = `/content/entry/${id}`
    const { panel } = await browserOf(app)
    const [ada, grace] = [await panel({ as: 'editor' }), await panel({ as: 'admin' })]

    // Ada writes, and asks for a review; what she typed is saved with it.
    await ada.open(at)
    await ada.page.getByLabel('Teaser', { exact: true }).fill('From 10 euros')
    await ada.page.locator('.bar').getByRole('button', { name: 'Request review' }).click()
    await ada.page.getByText('You requested a review').waitFor()
    await expectClean(ada)

    // Grace finds it, and comments on the field.
    await grace.open('')
    await grace.page.getByRole('link', { name: 'Prices needs your review' }).click()
    await grace.page.getByText('Ada requested a review').waitFor()
    await grace.page.getByRole('link', { name: 'Comment on Teaser' }).click()
    const comment = grace.page.locator('textarea[data-names]')
    await expect.poll(() => comment.evaluate(box => box === document.activeElement)).toBe(true)
    await comment.pressSequentially('Is this right, @ad')
    await grace.page.getByRole('button', { name: '@ada · Ada' }).click()
    expect(await comment.inputValue()).toBe('Is this right, @ada ')
    await comment.pressSequentially('?')
    await grace.page.getByRole('button', { name: 'Comment', exact: true }).click()
    await grace.page.getByRole('link', { name: 'Comments on Teaser: 1 open' }).waitFor()
    expect(await comment.inputValue()).toBe('')
    await expectClean(grace)
    await grace.page.getByText('Send back with a note').click()
    await grace.page.getByLabel('What needs to change').fill('See my comment')
    await grace.page.getByRole('button', { name: 'Send back', exact: true }).click()
    await grace.page.getByText('Ada requested a review').waitFor({ state: 'detached' })

    // Ada finds the note, changes the text, settles the comment without losing what she types, and asks again.
    await ada.open('')
    await ada.page.getByRole('link', { name: 'Prices was sent back to you' }).click()
    await ada.page.getByText('See my comment').waitFor()
    await expectClean(ada)
    await ada.page.getByLabel('Teaser', { exact: true }).fill('From 12 euros')
    await ada.page.getByRole('button', { name: 'Resolve' }).click()
    await ada.page.getByText('1 resolved').waitFor()
    expect(await ada.page.getByLabel('Teaser', { exact: true }).inputValue()).toBe('From 12 euros')
    await ada.page.locator('.bar').getByRole('button', { name: 'Request review' }).click()
    await ada.page.getByText('You requested a review').waitFor()

    // Grace approves, and everybody sees the page.
    await grace.open(at)
    await grace.page.getByRole('button', { name: 'Approve and publish' }).click()
    await grace.page.getByText('Ada requested a review').waitFor({ state: 'detached' })
    await expect
      .poll(async () => (await call('GET', '/prices?format=clean', { as: 'nobody' })).status)
      .toBe(200)
    expect((await call('GET', '/prices?format=clean', { as: 'nobody' })).body.teaser).toBe('From 12 euros')
    await expectClean(grace)
  })

  it('do the same without JavaScript', { timeout: 120_000 }, async () => {
    const id = await newPage('/plain')
    const { panel } = await browserOf(app)
    const [ada, grace] = [
      await panel({ as: 'editor', javaScriptEnabled: false }),
      await panel({ as: 'admin', javaScriptEnabled: false }),
    ]
    await ada.open(`/content/entry/${id}`)
    await ada.page.locator('#comment-about').selectOption({ label: 'Teaser' })
    await ada.page.locator('textarea[data-names]').fill('None yet')
    await ada.page.getByRole('button', { name: 'Comment', exact: true }).click()
    await ada.page.getByLabel('Note for the review').fill('Please look')
    await ada.page.locator('.side').getByRole('button', { name: 'Request review' }).click()
    await grace.open(`/content/entry/${id}`)
    expect(await grace.page.getByText('Please look').count()).toBe(1)
    expect(await grace.page.getByText('None yet').count()).toBe(1)
    await grace.page.getByRole('button', { name: 'Approve and publish' }).click()
    expect((await services.space.content.get(id)).status).toBe('published')
  })

  it('find the comments on a phone', { timeout: 120_000 }, async () => {
    const id = await newPage('/phone')
    const { panel } = await browserOf(app)
    const phone = await panel({ as: 'editor', ...looks.phone })
    await phone.open(`/content/entry/${id}`)
    await phone.page.getByRole('link', { name: 'Comment on Heading' }).click()
    await expect.poll(() => phone.page.locator('textarea[data-names]').isVisible()).toBe(true)
    await phone.page.locator('textarea[data-names]').fill('By phone')
    await phone.page.getByRole('button', { name: 'Comment', exact: true }).click()
    await phone.page.getByRole('link', { name: 'Comments on Heading: 1 open' }).waitFor()
    await expectClean(phone)
    const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth)
    expect(wide).toBeLessThanOrEqual(390)
  })
})
