import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { amount } from '../support/effort.js'
import { factories } from '../support/factories.js'
import { chooser } from '../support/random.js'

describe.each(['live', 'staged'] as const)('in %s mode', async publish_mode => {
  const { call } = await testApp({ publish_mode })
  const { datatype, field, route } = factories({ call })
  const page = (await datatype('Page')).datatype_id
  await field(page, 'Text', 'text')
  const made = async (body: object) => {
    const answer = await call('POST', '/api/v1/content', { body: { datatype_id: page, ...body } })
    return answer.body.content_data_id as string
  }
  const pages: { slug: string; route_id: string; root: string; children: string[] }[] = []
  for (let n = 0; n < 3; n++) {
    const slug = `/page-${n}`
    const { route_id } = await route(slug)
    const root = await made({ route_id, fields: { text: 'x' } })
    pages.push({ slug, route_id, root, children: [] })
  }

  /** What the public sees of every page. */
  async function seen(): Promise<Map<string, string>> {
    const answers = new Map<string, string>()
    for (const { slug, root } of pages) {
      const { status, text } = await call('GET', `${slug}?format=native`, { as: 'nobody' })
      answers.set(root, status === 200 ? text : '')
    }
    return answers
  }
  const since = async (id: string, as: 'viewer' | 'admin') =>
    (await call('GET', `/api/v1/events?last_event_id=${id}`, { as })).body
  const rootsIn = (changes: { pages: { content_data_id: string }[] }[]) => [
    ...new Set(changes.flatMap(({ pages }) => pages.map(one => one.content_data_id))),
  ]

  it('mere readers are told of a page when its public answer is another, and of nothing else', async () => {
    const { one: pick, below } = chooser(7)
    let n = 0
    const child = (): string | undefined => pick(pages.flatMap(({ children }) => children))
    const any = () => pick(pages.flatMap(({ root, children }) => [root, root, ...children]))
    const put = (id: string | undefined, body: object) =>
      id === undefined ? undefined : call('PUT', `/api/v1/content/?q=${id}`, { body })
    const post = (path: string, id: string | undefined, more: object = {}) =>
      id === undefined
        ? undefined
        : call('POST', `/api/v1/content/${path}`, { body: { content_data_id: id, ...more } })
    const kinds: Record<string, () => Promise<unknown> | undefined> = {
      edit: () => put(any(), { fields: { text: `${n}` } }),
      publish: () => post('publish', any()),
      unpublish: () => post('unpublish', any()),
      status: () => put(any(), { status: pick(['draft', 'published'] as const) }),
      async add() {
        const to = pick(pages)
        const status = pick(['draft', 'published'] as const)
        const id = await made({ parent_id: to.root, status, fields: { text: `new ${n}` } })
        if (id) to.children.push(id)
      },
      move: () => post('move', child(), { parent_id: pick(pages).root, position: below(3) }),
      async remove() {
        const id = child()
        if (!id) return
        const gone = await call('DELETE', `/api/v1/content/?q=${id}`)
        if (gone.status === 204)
          for (const one of pages) one.children = one.children.filter(other => other !== id)
      },
      title: () =>
        call('PUT', `/api/v1/routes/?q=${pick(pages).route_id}`, { body: { title: `Title ${n}` } }),
      drop: () =>
        call('POST', '/api/v1/content/changes/drop', { body: { content_data_id: pick(pages).root } }),
    }
    for (let i = 0; i < amount(80, 800); i++) {
      const { last_event_id } = await since('', 'viewer')
      const before = await seen()
      n++
      const kind = pick(Object.keys(kinds))
      await kinds[kind]?.()
      const after = await seen()
      const changed = [...after].filter(([root, text]) => before.get(root) !== text).map(([root]) => root)
      const { changes } = await since(last_event_id, 'viewer')
      const told = rootsIn(changes)
      // A publish of what is public already may be told; of no page that the public does not see is anything told.
      const more = told.filter(root => !changed.includes(root))
      const may =
        ['publish', 'unpublish', 'status', 'drop'].includes(kind) &&
        more.every(root => before.get(root) !== '')
      expect([i, kind, may ? [] : more, changed.filter(root => !told.includes(root))]).toEqual([
        i,
        kind,
        [],
        [],
      ])
      // Who works on content is told of that and more.
      const all = rootsIn((await since(last_event_id, 'admin')).changes)
      expect([i, kind, changed.filter(root => !all.includes(root))]).toEqual([i, kind, []])
    }
  })
})
