import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { remove } from '../../src/cli/removal.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean } from '../support/browser.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'
import { unread } from '../support/terminal.js'

const app = await testApp()
const { call, services } = app
const { datatype, field, route, entry } = factories(app)
const { post } = panelForms(app)

const card = await datatype('Card')
await field(card.datatype_id, 'Title', 'text')

/** A page with two cards, of which the first has one under it. */
async function page(slug: string) {
  const { datatype_id } = card
  const { route_id } = await route(slug, `Page ${slug}`)
  const one = (title: string, children: object[] = []) => ({ datatype_id, fields: { title }, children })
  const children = [one('One', [one('Deep')]), one('Two')]
  const root = await entry(datatype_id, { route_id }, { fields: { title: 'Root' }, children })
  const [first, second] = root.children as { content_data_id: string }[]
  return {
    root: root.content_data_id as string,
    first: first?.content_data_id ?? '',
    second: second?.content_data_id ?? '',
  }
}

const keepVersion = (content_data_id: string) =>
  call('POST', '/api/v1/content/versions', { body: { content_data_id, label: '' } })

const question = async (id: string) => {
  const { text } = await call('GET', `/admin/content/entry/${id}/delete`)
  return /<p data-counted[^>]*>([^<]*)<|<\/h1><\/div><p>([^<]*)</.exec(text)?.slice(1).find(Boolean)
}
const asked = async (ids: string, as: 'admin' | 'editor' | 'viewer' = 'admin') =>
  call('GET', `/admin/content-removal?ids=${ids}`, { as })

describe('D4: the question before a deletion', () => {
  it('says of a page how much goes, with its address, and for how long it can be undone', async () => {
    const { root } = await page('/whole')
    await keepVersion(root)
    const words =
      'This deletes the entry, 3 entries under it and 1 version, with the address /whole. You can restore it from the trash for 30 days.'
    expect(await question(root)).toBe(words)
    expect((await asked(root)).body).toEqual({ words })
    expect((await call('GET', `/admin/content/entry/${root}`)).text).not.toMatch(/bring (it|them) back/)
    // What it says is what happens.
    const dry = await call('DELETE', `/api/v1/content?q=${root}&recursive=true&dry_run=true`)
    expect([dry.status, dry.body.entries, dry.body.versions]).toEqual([200, 4, 1])
    expect((await post(`/admin/content/entry/${root}/delete`, {})).status).toBe(303)
    expect(await services.space.content.count({ root_id: root })).toBe(0)
    expect(await services.space.versions.count({ content_data_id: root })).toBe(0)
    expect((await call('GET', '/api/v1/routes')).text).not.toContain('/whole')
  })

  it('says of blocks how much goes, and a version above brings them back too', async () => {
    const { root, first, second } = await page('/block')
    const undo = (it: string) => `You can restore ${it} from the trash for 30 days.`
    expect(await question(first)).toBe(`This deletes the entry and 1 entry under it. ${undo('it')}`)
    expect(await question(second)).toBe(`This deletes the entry. ${undo('it')}`)
    const kept = await keepVersion(root)
    expect((await asked([first, second].join())).body.words).toBe(
      `This deletes 2 entries and 1 entry under them. ${undo('them')}`,
    )
    expect((await asked([root, first].join())).body.words).toMatch(
      /^This deletes the entry, 3 entries under it and 1 version, with the address/,
    )
    await call('DELETE', `/api/v1/content?q=${first}&recursive=true`)
    await call('POST', '/api/v1/content/restore', {
      body: { content_version_id: kept.body.content_version_id },
    })
    expect(await services.space.content.count({ root_id: root })).toBe(4)
  })

  it('is answered to who may delete, for what there is', async () => {
    const { root } = await page('/refused')
    const statusOf = async (ids: string, as: 'admin' | 'viewer' = 'admin') => (await asked(ids, as)).status
    expect(await statusOf(root, 'viewer')).toBe(403)
    expect(await statusOf('')).toBe(400)
    expect(await statusOf('x')).toBe(404)
    expect(await statusOf('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(404)
    expect((await call('DELETE', `/api/v1/content?q=${root}&dry_run=true`)).body.member).toBe('dry_run')
    expect(
      (await call('DELETE', `/api/v1/content?q=${root}&recursive=true&dry_run=true`, { as: 'viewer' }))
        .status,
    ).toBe(403)
    expect(await services.space.content.count({ root_id: root })).toBe(4)
  })

  it('is answered on the command line too', async () => {
    const { root } = await page('/line')
    const actor = { ...systemActor, userId: app.users.admin }
    const out: string[] = []
    const io = { ...unread, write: (text: string) => out.push(text), error: () => undefined } as never
    await remove('content')(services, actor, io, { 'dry-run': '' }, [root])
    expect(out).toEqual([
      'This would delete the entry “Page /line”. This deletes the entry and 3 entries under it. You can restore it from the trash for 30 days. The address /line remains, without a page.\n',
    ])
    expect(await services.space.content.count({ root_id: root })).toBe(4)
  })

  it('leads back to the entry by its other answer', async () => {
    const { root } = await page('/keep')
    for (const path of [`/admin/content/entry/${root}`, `/admin/content/entry/${root}/delete`]) {
      const { text } = await call('GET', path)
      expect(/href="([^"]*)" data-close/.exec(text)?.[1]).toBe(`/admin/content/entry/${root}`)
    }
  })
})

describe.skipIf(chromiumMissing)(
  `D4 in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it('counts when the question is opened, for one and for several', async () => {
      const { root } = await page('/dialogs')
      const admin = await panel({ as: 'admin' })
      const { page: tab, open } = admin
      await open(`/content/entry/${root}`)
      await tab.locator('.bar summary').click()
      await tab.getByRole('link', { name: 'Delete…' }).click()
      await tab
        .getByText('This deletes the entry and 3 entries under it, with the address /dialogs.')
        .waitFor()
      await expectClean(admin)
      await tab.getByRole('link', { name: 'Cancel' }).click()
      expect(await tab.locator('dialog[open]').count()).toBe(0)
      for (const name of ['One', 'Two'])
        await tab.getByRole('treeitem', { name }).click({ modifiers: ['Control'] })
      await tab.locator('#selection').getByRole('button', { name: 'Delete…' }).click()
      await tab.getByText('This deletes 2 entries and 1 entry under them. You can restore them').waitFor()
    })
  },
)
