import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { agentWith } from '../support/agent.js'
import { testApp } from '../support/app.js'
import { browserOf, chromiumMissing, expectClean, looks } from '../support/browser.js'
import { callersOf } from '../support/callers.js'
import { factories } from '../support/factories.js'
import { panelForms } from '../support/panel-forms.js'
import { sshOf } from '../support/ssh.js'

const app = await testApp({ publish_mode: 'staged', i18n_enabled: true })
const { call, db, users } = app
const { datatype, field, route, entry } = factories(app)
const { post, seen } = panelForms(app)
const { callerIn, callerWith } = callersOf(app)
const editor = { as: 'editor' } as const

const article = (await datatype('Article')).datatype_id as string
const other = (await datatype('Landing')).datatype_id as string
for (const kind of [article, other]) await field(kind, 'Heading', 'text', { translatable: true })
await call('POST', '/api/v1/locales', { body: { code: 'fr', label: 'French' } })
const site = { n: 0 }
async function pageOf(kind: string) {
  const slug = `/p${++site.n}`
  const { route_id } = await route(slug, `Page ${site.n}`)
  const made = await entry(kind, { route_id }, { fields: { heading: 'stored words' } })
  return { slug, route_id: route_id as string, id: made.content_data_id as string }
}
const inside = await pageOf(article)
const outside = await pageOf(other)

const roles = await db.findAll(tables.roles)
const roleOf = (label: string) => roles.find(role => role.label === label)?.role_id ?? ''
const role = roleOf('editor')
await db.write(systemActor, async tx => {
  const known = await tx.find(tables.permissions, { label: 'content:publish' })
  const { permission_id } = known ?? (await tx.insert(tables.permissions, { label: 'content:publish' }))
  await tx.insert(tables.rolePermissions, { role_id: role, permission_id })
})
const at = `/admin/roles/${role}`
const limitsNow = async () => (await db.find(tables.roles, { role_id: role }))?.limits
async function limit(limits: object | null) {
  expect((await call('PUT', `/api/v1/roles/?q=${role}`, { body: { limits } })).status).toBe(200)
}
const shown = async (id: string, query = '') =>
  (await call('GET', `/admin/content/entry/${id}${query}`, editor)).text
const notReading: [string, string][] = [
  ['limits.reading', 'false'],
  ['limits.reads', ''],
]
const english = 'Your role may change only a part of the site, and this change is outside of it.'

describe('the limits of a role in the panel', () => {
  it('are set as the API sets them, and shown', async () => {
    await limit(null)
    const answer = await post(`${at}/limits`, [
      ['seen', await seenLimits()],
      ['limits.datatypes', ''],
      ['limits.datatypes', article],
      ['limits.routes', ''],
      ['limits.routes', inside.slug],
      ['limits.locales', 'fr'],
      ['limits.own', 'false'],
      ['limits.own', 'true'],
      ...notReading,
    ])
    expect(answer.location).toBe(`${at}?saved`)
    expect(await limitsNow()).toEqual({
      datatypes: [article],
      routes: [inside.route_id],
      locales: ['fr'],
      own: true,
    })
    const { text } = await call('GET', at)
    for (const value of [article, inside.slug, 'fr']) expect(text).toContain(`value="${value}" checked`)
    const none = await post(`${at}/limits`, [
      ['seen', await seenLimits()],
      ...['datatypes', 'routes', 'locales'].map((name): [string, string] => [`limits.${name}`, '']),
      ['limits.own', 'false'],
      ...notReading,
    ])
    expect([none.status, await limitsNow()]).toEqual([303, null])
  })

  it('keep what was ticked when a save is refused', async () => {
    await limit(null)
    const values: [string, string][] = [
      ['limits.datatypes', article],
      ['limits.routes', '/nowhere'],
      ['limits.locales', ''],
      ['limits.own', 'true'],
      ...notReading,
    ]
    const { status, text } = await post(`${at}/limits`, [['seen', await seenLimits()], ...values])
    expect(status).toBe(400)
    expect(text).toContain('there is no /nowhere')
    for (const value of [article, '/nowhere', 'true']) expect(text).toContain(`value="${value}" checked`)
    expect(await limitsNow()).toBeNull()
  })

  it('hold for reading too where the form says so, but for some datatypes', async () => {
    const save = async (reading: string, reads: string) =>
      post(`${at}/limits`, [
        ['seen', await seenLimits()],
        ...['datatypes', 'routes', 'locales'].map((name): [string, string] => [`limits.${name}`, '']),
        ...[['limits.own', 'true'] as [string, string], ['limits.reading', reading] as [string, string]],
        ['limits.reads', reads],
      ])
    await limit(null)
    expect([(await save('true', '')).status, await limitsNow()]).toEqual([303, { own: true, reads: [] }])
    expect([(await save('true', article)).status, await limitsNow()]).toEqual([
      303,
      { own: true, reads: [article] },
    ])
    expect((await call('GET', at)).text).toContain('may read and change only this part')
    expect([(await save('false', article)).status, await limitsNow()]).toEqual([303, { own: true }])
    await limit(null)
  })

  it('are not set over a change by somebody else', async () => {
    await limit(null)
    const mark = await seenLimits()
    await limit({ own: true })
    const values = {
      ...{ seen: mark, 'limits.datatypes': article, 'limits.routes': '', 'limits.locales': '' },
      ...Object.fromEntries(notReading),
    }
    expect((await post(`${at}/limits`, { ...values, 'limits.own': 'false' })).status).toBe(412)
    expect(await limitsNow()).toEqual({ own: true })
    await limit(null)
  })

  it('are set by administrators only, and never for their role', async () => {
    const all = {
      ...{ 'limits.datatypes': '', 'limits.routes': '', 'limits.locales': '', 'limits.own': 'true' },
      ...Object.fromEntries(notReading),
    }
    const manager = await callerWith('roles:read', 'roles:update')
    expect((await manager.post(`${at}/limits`, all)).status).toBe(403)
    expect((await manager.call('GET', at)).text).not.toContain('Save the limits')
    expect((await post(`${at}/limits`, all, editor)).status).toBe(403)
    expect((await post(`${at}/limits`, all, { as: 'nobody' })).status).not.toBe(303)
    const admins = `/admin/roles/${roleOf('admin')}`
    expect((await call('GET', admins)).text).not.toContain('Save the limits')
    expect((await post(`${admins}/limits`, all)).status).toBe(403)
    for (const malformed of [{ 'limits.own': 'maybe' }, { 'limits.more': 'x' }])
      expect((await post(`${at}/limits`, { ...all, ...malformed })).status).toBe(400)
    expect(await limitsNow()).toBeNull()
  })
})

/** The mark of the part with the limits: the form before it has another. */
async function seenLimits(): Promise<string> {
  const { text } = await call('GET', at)
  const form = text.slice(text.indexOf(`action="${at}/limits"`))
  return /name="seen" value="([^"]*)"/.exec(form)?.[1] ?? (await seen(at))
}

describe('the page of an entry', () => {
  const actions = ['>Save<', 'value="publish"', 'id="delete"', '/duplicate"', 'Unpublish', 'Save a version']

  it('outside of the limits is read, with the reason, and has no actions', async () => {
    const cases = [
      [{ datatypes: [article] }, 'Read only: your role may change entries of other datatypes only.'],
      [{ routes: [inside.slug] }, 'Read only: your role may change other pages only.'],
      [{ own: true }, 'Read only: your role may change your own entries only.'],
    ] as const
    for (const [limits, why] of cases) {
      await limit(limits)
      const text = await shown(outside.id)
      expect(text).toContain(why)
      expect(text).toContain('stored words')
      expect(text).not.toContain('name="fields.heading"')
      expect(text).not.toContain('name="slug"')
      expect(actions.filter(action => text.includes(action))).toEqual([])
    }
  })

  it('inside of them, and for everybody without limits, is a form with all actions', async () => {
    for (const limits of [{ datatypes: [article] }, { routes: [inside.slug] }, null]) {
      await limit(limits)
      const text = await shown(inside.id)
      expect(text).not.toContain('Read only:')
      for (const part of ['name="fields.heading"', 'name="slug"', '>Save<', 'value="publish"', 'id="delete"'])
        expect(text).toContain(part)
    }
  })

  it('offers to restore and to discard only what the limits leave', async () => {
    await limit(null)
    const [mine, theirs] = [await pageOf(article), await pageOf(other)]
    const actions: [string, string][] = [
      ['/versions', '/restore"'],
      ['/changes', '/changes/drop"'],
    ]
    for (const { id } of [mine, theirs]) {
      const entry = { content_data_id: id }
      expect((await call('POST', '/api/v1/content/publish', { body: entry })).status).toBe(200)
      await call('POST', '/api/v1/content/versions', { body: entry })
      const body = { fields: { heading: 'not published yet' } }
      expect((await call('PUT', `/api/v1/content/?q=${id}`, { body })).status).toBe(200)
    }
    const offered = async (id: string) => {
      const texts = await Promise.all(actions.map(([path]) => shown(id, path)))
      return actions.map(([, action], i) => texts[i]?.includes(action))
    }
    expect([await offered(mine.id), await offered(theirs.id)]).toEqual([
      [true, true],
      [true, true],
    ])
    for (const limits of [{ datatypes: [article] }, { routes: [mine.slug] }]) {
      await limit(limits)
      expect([await offered(mine.id), await offered(theirs.id)]).toEqual([
        [true, true],
        [false, false],
      ])
    }
  })

  it('is written in the languages of the role only', async () => {
    await limit({ locales: ['fr'] })
    const [all, french] = [await shown(inside.id), await shown(inside.id, '?locale=fr')]
    expect(all).toContain('Read only: your role may change texts in other languages only.')
    expect(all).not.toContain('name="fields.heading"')
    expect(french).toContain('name="fields.heading"')
    expect(french).toContain('>Save<')
    for (const action of ['value="publish"', 'id="delete"']) expect(french).not.toContain(action)
    const path = `/admin/content/entry/${inside.id}?locale=fr`
    expect((await post(path, { 'fields.heading': 'mots' }, editor)).status).toBe(303)
  })

  it('offers only new entries that the limits leave', async () => {
    await limit({ datatypes: [article] })
    const under = async (id: string) =>
      (await call('GET', `/admin/content/entry/${id}/starts`, editor)).body.kinds.map(
        ({ value }: { value: string }) => value,
      )
    expect(await under(outside.id)).toEqual([article])
    expect((await under(inside.id)).sort()).toEqual([article, other].sort())
    const made = (await call('GET', '/admin/content/new', editor)).text
    expect(made).toContain(`value="${article}"`)
    expect(made).not.toContain(`value="${other}"`)
    await limit({ locales: ['fr'] })
    expect((await call('GET', '/admin/content/new', editor)).text).toContain(
      'The limits of your role leave no datatype for a new page.',
    )
  })
})

describe('actions on several entries', () => {
  const inList = (html: string, what: string) => html.includes(`name="what" value="${what}"`)
  const everything = ['publish', 'unpublish', 'schedule', 'duplicate', 'move', 'delete']

  it('have a box in the list only where the limits leave the tree', async () => {
    const [mine, theirs] = [await pageOf(article), await pageOf(other)]
    const caller = await callerIn(role)
    const boxes = async () => {
      const { text } = await caller.call('GET', '/admin/content')
      return [mine, theirs].map(({ id }) => text.includes(`id="pick-${id}"`))
    }
    const cases = [
      [null, [true, true]],
      [{ datatypes: [article] }, [true, false]],
      [{ routes: [mine.slug] }, [true, false]],
      [{ locales: ['fr'] }, [false, false]],
      [{ own: true }, [false, false]],
    ] as const
    for (const [limits, offered] of cases) {
      await limit(limits)
      expect([limits, await boxes()]).toEqual([limits, offered])
    }
    const { text } = await caller.call('GET', '/admin/content')
    expect([text.includes('class="pick"'), everything.filter(what => inList(text, what))]).toEqual([
      false,
      [],
    ])
  })

  it('are offered in the list by the rights of the role', async () => {
    await pageOf(article)
    const buttonsOf = async (...labels: string[]) => {
      const { text } = await (await callerWith('content:update', ...labels)).call('GET', '/admin/content')
      return everything.filter(what => inList(text, what))
    }
    expect(await buttonsOf()).toEqual([])
    expect(await buttonsOf('content:publish')).toEqual(['publish', 'unpublish', 'schedule'])
    expect(await buttonsOf('routes:update', 'content:delete')).toEqual(['move', 'delete'])
    // All trees here are pages, and a copy of one needs an address.
    expect(await buttonsOf('content:create')).toEqual([])
    expect(await buttonsOf('content:create', 'routes:create')).toEqual(['duplicate'])
  })

  it('are marked as not possible in the tree on rows that the limits leave out', async () => {
    await limit({ datatypes: [article] })
    const root = await pageOf(other)
    const { content_data_id: free } = await entry(article, { parent_id: root.id })
    const { content_data_id: fixed } = await entry(other, { parent_id: root.id })
    const rowOf = (html: string, id: string) =>
      new RegExp(`<a [^>]*id="n-${id}"[^>]*>`).exec(html)?.[0] ?? 'no row'
    const html = await shown(root.id)
    const isFixed = [root.id, free, fixed].map(id => rowOf(html, id).includes('data-fixed'))
    expect(isFixed).toEqual([true, false, true])
    await limit(null)
    expect(await shown(root.id)).not.toContain('data-fixed')
  })

  const cases: [string, object | null][] = [
    ['no limits', null],
    ['a datatype', { datatypes: [article] }],
    ['a page', { routes: [inside.slug] }],
    ['own entries', { own: true }],
    ['a locale', { locales: ['fr'] }],
    ['a datatype and own entries', { datatypes: [article], own: true }],
  ]
  it.each(cases)('in the trash are those that the service accepts, with %s', async (_name, limits) => {
    await limit(null)
    const caller = await callerIn(role)
    const remove = async (id: string, as: 'admin' | 'editor' | 'caller' = 'admin') => {
      const path = `/api/v1/content/?q=${id}`
      const { status } =
        as === 'caller' ? await caller.call('DELETE', path) : await call('DELETE', path, { as })
      expect(status).toBeLessThan(300)
      return (await db.find(tables.trash, { content_data_id: id }))?.trash_id ?? ''
    }
    /** Deleted pages and blocks inside and outside of each limit. */
    async function trashed(): Promise<string[]> {
      const author_id = caller.user_id
      const pages = [await pageOf(article), await pageOf(other), await pageOf(article)]
      await call('PUT', `/api/v1/content/?q=${pages[2]?.id}`, { body: { author_id } })
      const { content_data_id: under } = await entry(other, { parent_id: inside.id })
      const { content_data_id: away } = await entry(other, { parent_id: outside.id })
      const { content_data_id: own } = await entry(article, { parent_id: outside.id })
      await call('PUT', `/api/v1/content/?q=${own}`, { body: { author_id } })
      const ids = [...pages.map(({ id }) => id), under, away, own]
      const found = []
      for (const [i, id] of ids.entries()) found.push(await remove(id, i % 2 ? 'caller' : 'admin'))
      return found
    }
    const [toRestore, toRemove] = [await trashed(), await trashed()]
    await limit(limits)
    const { text } = await caller.call('GET', '/admin/trash')
    const offered = (ids: readonly string[], part: (id: string) => string) =>
      ids.map(id => text.includes(part(id)))
    const done = async (ids: readonly string[], path: (id: string) => string) => {
      const statuses = []
      for (const id of ids) statuses.push((await caller.post(path(id))).status)
      expect(statuses.filter(status => status !== 303 && status !== 403)).toEqual([])
      return statuses.map(status => status === 303)
    }
    const restores = offered(toRestore, id => `/admin/trash/restore?ids=${id}"`)
    const removes = offered(toRemove, id => `/admin/trash/${id}/delete"`)
    expect(restores).toEqual(await done(toRestore, id => `/admin/trash/restore?ids=${id}`))
    expect(removes).toEqual(await done(toRemove, id => `/admin/trash/${id}/delete`))
    // The cases differ: with no limits all are possible, and with limits not all.
    expect(restores.every(Boolean)).toBe(limits === null)
  })

  it('in the trash are only for who may publish, where the entry was published', async () => {
    await limit(null)
    const [draft, published] = [await pageOf(article), await pageOf(article)]
    const body = { content_data_id: published.id }
    expect((await call('POST', '/api/v1/content/publish', { body })).status).toBe(200)
    const { post: send, call: ask } = await callerWith('content:read', 'content:update', 'content:delete')
    const trashIds = []
    for (const { id } of [draft, published]) {
      const { status, headers } = await send(`/admin/content/entry/${id}/delete`)
      const location = headers.get('location') ?? ''
      const after = (await ask('GET', location)).text
      trashIds.push(/deleted=(\w{26})/.exec(location)?.[1] ?? '')
      expect([status, after.includes('Deleted.'), after.includes('>Undo<')]).toEqual([
        303,
        true,
        id === draft.id,
      ])
    }
    const { text } = await ask('GET', '/admin/trash')
    const offered = trashIds.map(id => [
      text.includes(`/trash/restore?ids=${id}"`),
      text.includes(`/trash/${id}/delete"`),
    ])
    expect(offered).toEqual([
      [true, true],
      [false, true],
    ])
    const statuses = []
    for (const id of trashIds) statuses.push((await send(`/admin/trash/restore?ids=${id}`)).status)
    expect(statuses).toEqual([303, 403])
  })
})

describe('a change outside of the limits', () => {
  it('says so in the language of the panel, and keeps the typed text', async () => {
    await limit({ datatypes: [article] })
    const told = {
      en: english,
      de: 'Ihre Rolle darf nur einen Teil der Website ändern, und diese Änderung liegt außerhalb.',
      fr: 'Votre rôle ne peut modifier qu’une partie du site, et cette modification est en dehors.',
    }
    const caller = await callerIn(role)
    for (const [language, sentence] of Object.entries(told)) {
      const values = { 'fields.heading': 'typed words' }
      const answer = await caller.post(`/admin/content/entry/${outside.id}`, values, {
        'Accept-Language': language,
      })
      expect([language, answer.status]).toEqual([language, 403])
      expect(answer.text).toContain(sentence)
      expect(answer.text).toContain('value="typed words"')
    }
    const { text, status } = await post(`/admin/content/entry/${outside.id}/delete`, {}, editor)
    expect([status, text.includes(english)]).toEqual([403, true])
    expect((await call('GET', `/api/v1/content/?q=${outside.id}`)).status).toBe(200)
  })

  it('is refused with a sentence over SSH', async () => {
    const ssh = await sshOf(app)
    const { file: key } = await ssh.keyOf('editor')
    await limit({ datatypes: [article] })
    const { code, out, err } = await ssh.ssh(`content publish ${outside.id}`, { key })
    expect([code === 0, out]).toEqual([false, ''])
    expect(err).toContain('your role may change only entries of article and what is under them: the entry')
    expect((await ssh.ssh(`content publish ${inside.id}`, { key })).code).toBe(0)
  })

  it('is refused with a sentence to an agent', async () => {
    await limit({ datatypes: [article] })
    const publication = { content_data_id: outside.id }
    expect((await call('POST', '/api/v1/content/publish', { body: publication })).status).toBe(200)
    const { body } = await call('POST', '/api/v1/tokens', { body: { label: 'agent', user_id: users.editor } })
    const { use } = await agentWith(app, body.token)
    const { revision } = (await call('GET', `/api/v1/content/?q=${outside.id}`)).body
    const given = { content_data_id: outside.id, revision, fields: { heading: 'x' } }
    const { isRefused, answer } = await use('propose_change', given)
    expect(isRefused).toBe(true)
    expect(JSON.stringify(answer)).toContain('your role may change only entries of article')
  })
})

describe.skipIf(chromiumMissing)(
  `a limited role in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { panel } = await browserOf(app)

    it.each(['light', 'dark', 'phone'] as const)(
      'reads an entry outside of its limits without violations, %s',
      async look => {
        await limit({ datatypes: [article] })
        const seen = await panel({ as: 'editor', ...looks[look] })
        for (const path of [`/content/entry/${outside.id}`, '/content', '/trash']) {
          expect([path, await seen.open(path)]).toEqual([path, 200])
          await expectClean(seen)
          const over = await seen.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
          expect([path, over]).toEqual([path, 0])
        }
      },
    )
  },
)
