import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { type Caller, testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { uploader } from '../support/media.js'
import { testStorage } from '../support/storage.js'

const storage = await testStorage()
const app = await testApp({ ...storage.config, readers_see_drafts: false })
const { call, services } = app
const { datatype, field, route, entry } = factories(app)

interface Found {
  name: string
  items: { word: string; hint: string; path: string }[]
}

const find = async (q: string, as: Caller = 'admin', at = '/admin') => {
  const { body } = await call('GET', `${at}/find/results?q=${encodeURIComponent(q)}`, { as })
  return new Map((body.groups as Found[]).map(({ name, items }) => [name, items]))
}
const words = async (q: string, group: string, as: Caller = 'admin') =>
  (await find(q, as)).get(group)?.map(({ word }) => word)

const section = await datatype('Section')
await field(section.datatype_id, 'Heading', 'text')
const otters = await route('/otters')
await call('PUT', `/api/v1/routes?q=${otters.route_id}`, { body: { title: 'Ötters of the Åland isles' } })
const root = await entry(section.datatype_id, { route_id: otters.route_id })
const part = await entry(section.datatype_id, { parent_id: root.content_data_id })
await call('PUT', `/api/v1/content?q=${part.content_data_id}`, {
  body: { fields: { heading: 'Whiskers 100%' } },
})
await call('POST', '/api/v1/content/publish', { body: { content_data_id: root.content_data_id } })
const hidden = await route('/secret-otters')
await entry(section.datatype_id, { route_id: hidden.route_id })
await uploader(app)('otter.txt', 'an otter', { fields: { display_name: 'An otter in writing' } })
await call('POST', '/api/v1/users', {
  body: { name: 'Otto Otter', username: 'otto', email: 'otto@example.com' },
})

describe('what is found', () => {
  it('is pages, entries, files, people and actions by a part of their words', async () => {
    const found = await find('otter')
    expect([...found.keys()]).toEqual(['Content', 'Media', 'People'])
    expect(found.get('Content')?.map(({ hint }) => hint)).toEqual(['/secret-otters', '/otters'])
    expect(found.get('Media')?.map(({ word }) => word)).toEqual(['An otter in writing'])
    expect(found.get('People')).toMatchObject([{ word: 'Otto Otter', hint: 'otto@example.com' }])
    expect((await find('whisk')).get('Content')).toMatchObject([
      {
        word: 'Whiskers 100%',
        hint: 'Section · /otters',
        path: `/admin/content/entry/${part.content_data_id}`,
      },
    ])
    expect(await words('new pers', 'Commands')).toEqual(['New person'])
    expect(await words('go log', 'Commands')).toEqual(['Go to Audit log'])
  })

  it('D7: is a page by the words in it too, once, as far as one may read it', async () => {
    const { datatype_id } = await datatype('Post')
    await field(datatype_id, 'Body', 'richtext')
    const { route_id } = await route('/winter', 'A chain through the winter')
    const fields = { body: '<p>Salt is patient.</p>' }
    const { content_data_id } = await entry(datatype_id, { route_id }, { fields })
    const found = {
      word: 'A chain through the winter',
      hint: 'Post · /winter',
      path: `/admin/content/entry/${content_data_id}`,
      icon: 'content',
    }
    // The draft, then the public page.
    expect((await find('salt patient')).get('Content')).toEqual([found])
    expect(await words('salt', 'Content', 'viewer')).toBe(undefined)
    await call('POST', '/api/v1/content/publish', { body: { content_data_id } })
    expect((await find('salt')).get('Content')).toEqual([found])
    expect(await words('salt', 'Content', 'viewer')).toBe(undefined)
    await call('PUT', `/api/v1/routes?q=${route_id}`, { body: { title: 'Salt and chains' } })
    expect(await words('salt', 'Content')).toEqual(['Salt and chains'])
  })

  it('is found whatever the case of its letters, and signs are only signs', async () => {
    expect(await words('ÅLAND', 'Content')).toEqual(['Ötters of the Åland isles'])
    expect(await words('åland', 'Content')).toEqual(['Ötters of the Åland isles'])
    for (const text of ['%', '_tter', '!', "'", '\\', 'x'.repeat(500), '<b>'])
      expect([text, (await find(text)).get('People')]).toEqual([text, undefined])
  })

  it('is only what one may read, each path of it opens', async () => {
    for (const as of ['viewer', 'editor', 'admin'] as const) {
      const found = [...(await find('otter', as)).values(), ...(await find('', as)).values()].flat()
      for (const { path } of found)
        expect([as, path, (await call('GET', path, { as })).status]).toEqual([
          as,
          path,
          expect.toSatisfy((status: number) => status === 200 || status === 303),
        ])
    }
    expect(await words('otter', 'Content', 'viewer')).toEqual(['Ötters of the Åland isles'])
    expect(await words('otter', 'People', 'viewer')).toBe(undefined)
    expect(await words('new', 'Commands', 'viewer')).toBe(undefined)
    expect(await words('whisk', 'Content', 'viewer')).toBe(undefined)
    expect((await call('GET', '/admin/find/results?q=x', { as: 'nobody' })).status).toBe(303)
  })

  it('is of the space that one is in', async () => {
    await services.adminSpace.routes.create(
      { ...systemActor, userId: app.users.admin },
      { slug: '/inside', title: 'Otters inside' },
    )
    const found = await find('otter', 'admin', '/admin/space')
    expect(found.get('Content')?.map(({ word }) => word)).toEqual(['Otters inside'])
    expect(found.get('People')).toBe(undefined)
    expect(found.get('Media')?.length ?? 0).toBe(0)
  })
})

it('says on its page when there are more than the first 20 of a kind', async () => {
  const page = async () => (await call('GET', '/admin/find?q=walrus')).text
  for (let i = 0; i < 20; i++) await route(`/walrus-${i}`)
  expect(await page()).not.toContain('Add words')
  await route('/walrus-20')
  expect(await page()).toContain('The first 20 results. Add words to narrow the search.')
})

describe.skipIf(chromiumMissing)(`find or do${chromiumMissing ? ` (${chromiumMissing})` : ''}`, async () => {
  const { panel, url } = await browserOf(app)

  it('D12: opens by keys, with groups that are no boxes, goes where one chooses, and remembers where one was', async () => {
    const { page, open, problems } = await panel({ as: 'admin' })
    await open(`/routes/${hidden.route_id}`)
    await page.keyboard.press('Control+k')
    const options = page.locator('#palette [role=option]')
    await options.filter({ hasText: 'New page' }).waitFor()
    const borders = await page
      .locator('#palette [role=group], #palette .group-name')
      .evaluateAll(all => all.map(one => getComputedStyle(one).borderTopStyle))
    expect(new Set(borders)).toEqual(new Set(['none']))
    await page.keyboard.type('whiskers')
    await options.filter({ hasText: 'Whiskers 100%' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/admin/content/entry/${part.content_data_id}`)
    await page.keyboard.press('/')
    await options.filter({ hasText: 'secret-otters' }).waitFor()
    expect(await options.first().getAttribute('aria-selected')).toBe('true')
    await page.keyboard.type('otter')
    await options.filter({ hasText: 'Otto Otter' }).waitFor()
    await page.keyboard.press('ArrowUp')
    const chosen = await page.getAttribute('#palette input', 'aria-activedescendant')
    expect(await page.textContent(`#${chosen}`)).toContain('Otto Otter')
    await page.keyboard.press('Escape')
    expect(await page.locator('dialog[open]').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('does what a button of the page does', async () => {
    const { page, open } = await panel({ as: 'admin' })
    await open(`/routes/${hidden.route_id}`)
    await page.fill('#f-title', 'Still secret')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('save this')
    await page
      .locator('#palette [role=option]', { hasText: 'this page' })
      .filter({ hasText: 'Save' })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => (await services.space.routes.get(hidden.route_id)).title)
      .toBe('Still secret')
  })

  it('shows what was found last, also when an earlier answer comes later', async () => {
    const { page, open } = await panel({ as: 'admin' })
    await open('/')
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route(/results\?q=otter$/, async route => {
      await released
      await route.continue()
    })
    const first = page.waitForRequest(/results\?q=otter$/)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('otter')
    await first
    await page.keyboard.type(' in writing')
    const options = page.locator('#palette [role=option]')
    await options.filter({ hasText: 'An otter in writing' }).waitFor()
    const late = page.waitForResponse(/results\?q=otter$/)
    release()
    await late
    // Whatever that answer does is done before a later one is there.
    await page.evaluate(() => fetch('/admin/find/results?q=zz').then(answer => answer.json()))
    expect(await options.filter({ hasText: 'Otto Otter' }).count()).toBe(0)
  })

  it('is a page without scripts, and forgets where one was who signs out', async () => {
    const plain = await panel({ as: 'editor', javaScriptEnabled: false })
    await plain.open('/')
    await plain.page.getByRole('link', { name: 'Search and commands' }).click()
    await plain.page.getByRole('searchbox').fill('whiskers')
    await plain.page.getByRole('button', { name: 'Search', exact: true }).click()
    await plain.page.getByRole('link', { name: 'Whiskers 100%' }).click()
    expect(plain.page.url()).toContain(part.content_data_id)
    const { page, open } = await panel({ as: 'admin' })
    await open(`/routes/${otters.route_id}`)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(1)
    await page.context().clearCookies()
    await open('/')
    expect(page.url()).toContain('sign-in')
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  it('has nothing that axe or the policy refuses', async () => {
    for (const look of ['light', 'dark', 'phone'] as const) {
      const seen = await panel({ ...looks[look], as: 'admin' })
      await seen.open('/find?q=otter')
      await expectClean(seen)
      await seen.page.locator('[data-palette]').click()
      await seen.page.locator('#palette input').fill('otter')
      await seen.page.locator('#palette [role=option]', { hasText: 'Otto' }).waitFor()
      await expectClean(seen)
    }
  })
})
