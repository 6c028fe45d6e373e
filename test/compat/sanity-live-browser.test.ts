import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClientConfig, LiveEvent, SanityClient } from '@sanity/client'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { browserOf, chromiumMissing } from '../support/browser.js'
import { lineToPort } from '../support/line.js'
import { blog, editorKey } from './sample.js'

/** What the page of the front end has, beside the client of Sanity. */
declare global {
  var createClient: (config: ClientConfig) => SanityClient
  var client: SanityClient
  var came: (LiveEvent | { type: 'error'; name: string; status: unknown; message: string })[]
}

/** A front end of another origin with the official client, as a bundler gives it to browsers. */
async function frontEnd(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createClient } from '@sanity/client'; globalThis.createClient = createClient`,
      resolveDir: import.meta.dirname,
    },
    ...{ bundle: true, write: false, platform: 'browser', format: 'iife' },
  })
  const script = outputFiles[0]?.text ?? ''
  const server = createServer(({ url }, answer) => {
    answer.setHeader('Content-Type', url === '/client.js' ? 'text/javascript' : 'text/html; charset=utf-8')
    answer.end(url === '/client.js' ? script : '<!doctype html><script src="/client.js"></script>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

describe.skipIf(chromiumMissing)(
  `live events in a browser${chromiumMissing ? ` (${chromiumMissing})` : ''}`,
  async () => {
    const { app, posts, draft } = await blog({ publish_mode: 'staged' })
    const { panel, url } = await browserOf(app)
    const origin = await frontEnd()
    const [post] = posts
    const edit = (id: string | undefined, excerpt: string) =>
      app.call('PUT', `/api/v1/content?q=${id}`, { body: { fields: { excerpt } } })
    const publish = () =>
      app.call('POST', '/api/v1/content/publish', { body: { content_data_id: post?.content_data_id } })

    /** A page that listens at an address of the service. */
    async function listening(at = url, more: Partial<ClientConfig> = {}) {
      const { page, problems } = await panel()
      await page.goto(origin)
      await page.evaluate(
        ([apiHost, more]) => {
          globalThis.came = []
          globalThis.client = createClient({
            ...{ apiHost, useProjectHostname: false, useCdn: false, ignoreBrowserTokenWarning: true },
            ...{ projectId: 'site', dataset: 'production', apiVersion: '2025-02-19', ...more },
          })
          client.live.events({ includeDrafts: more.token !== undefined }).subscribe({
            next: event => came.push(event),
            error: ({ name, status, message }) => came.push({ type: 'error', name, status, message }),
          })
        },
        [`${at}/compat/sanity`, more] as const,
      )
      return { page, problems }
    }
    const told = (page: Page) => page.evaluate(() => came)
    const types = async (page: Page) => (await told(page)).map(({ type }) => type)
    const excerptIn = (page: Page) =>
      page.evaluate(id => client.fetch('*[_id == $id][0].excerpt', { id }), post?.content_data_id)

    it('tell a page of another origin what was published, at once', async () => {
      const { page, problems } = await listening()
      await expect.poll(() => types(page)).toEqual(['welcome'])
      await edit(post?.content_data_id, 'Seen in a browser')
      expect(await excerptIn(page)).toBe('Short 1')
      await publish()
      await expect.poll(() => types(page)).toEqual(['welcome', 'message'])
      const { syncTags } = await page.evaluate(() =>
        client.fetch('*[_type == "post"][0]{_id}', {}, { filterResponse: false }),
      )
      expect((await told(page))[1]).toMatchObject({ tags: syncTags })
      expect(await excerptIn(page)).toBe('Seen in a browser')
      expect(problems).toEqual([])
    })

    it.each([
      ['everybody', {}],
      ['editors', { token: editorKey }],
    ])('go on for %s after the connection was lost, with what has changed meanwhile', async (_, more) => {
      const line = await lineToPort(Number(new URL(url).port))
      const { page } = await listening(`http://127.0.0.1:${line.port}`, more)
      await expect.poll(() => types(page)).toEqual(['welcome'])
      line.cut()
      await expect.poll(() => types(page)).toEqual(['welcome', 'reconnect'])
      const excerpt = `Not heard by ${Object.keys(more).length}`
      await edit(post?.content_data_id, excerpt)
      await publish()
      line.mend()
      await expect.poll(async () => (await types(page)).slice(2)).toContain('message')
      expect(await excerptIn(page)).toBe(excerpt)
    })

    it('tell editors of drafts, with a key that the browser asks to send', async () => {
      const { page, problems } = await listening(url, { token: editorKey })
      await expect.poll(() => types(page)).toEqual(['welcome'])
      await edit(draft.content_data_id, 'Only editors see it')
      await expect.poll(() => types(page)).toEqual(['welcome', 'message'])
      expect(problems).toEqual([])
    })

    it('say that a key is wrong, and do not ask for ever', async () => {
      const { page } = await listening(url, { token: 'wrong' })
      await expect
        .poll(() => told(page))
        .toEqual([expect.objectContaining({ type: 'error', name: 'ConnectionFailedError', status: 401 })])
    })
  },
)
