import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import type { Root, Shard } from '../../src/twin/layout.js'
import type * as Handler from '../../src/twin/twin.js'
import { type Product, productEnv } from './process.js'

/** The handler as it is published. */
export const handlerFile = resolve('dist/twin.js')
export const handler = (): Promise<typeof Handler> => import(pathToFileURL(handlerFile).href)

export function twinFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'slugline-twin-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return join(made, 'store')
}

/** Reads the objects of a twin from a folder. */
export const folderStore = (folder: string): Handler.TwinStore => ({
  get: name =>
    readFile(join(folder, name)).catch(error => {
      if (error.code === 'ENOENT') return undefined
      throw error
    }),
})

/** Starts `slugline twin` for a product. @returns its process */
export function followed(product: Product, to: string): ChildProcess {
  const child = spawn(process.execPath, [resolve('dist/cli.js'), 'twin', '--to', to], {
    cwd: product.folder,
    env: productEnv,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await ended
  })
  return child
}

export async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Headers of a connection, of one request or of a server program alone. */
const passing = [
  'date',
  'x-request-id',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'server',
]

export interface Seen {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A response as readers see it. The body is its bytes. */
export async function seen(response: Response): Promise<Seen> {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !passing.includes(name)))
  const body = Buffer.from(await response.arrayBuffer()).toString('latin1')
  return { status: response.status, headers, body }
}

export interface Asked {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

export const fromServer = async (origin: string, { path, ...init }: Asked): Promise<Seen> =>
  seen(await fetch(origin + path, { ...init, redirect: 'manual' }))

/** Every request that has a response of its own at some slugs, and some that are refused. */
export const requestsFor = (slugs: readonly string[], locales: readonly string[]): Asked[] =>
  slugs.flatMap(slug => [
    ...locales.flatMap(locale => {
      const own = locale === '' ? 'more=1' : `locale=${locale}`
      const formats = ['native', 'clean', 'raw', 'contentful', 'sanity', 'strapi', 'wordpress', 'markdown']
      return [
        ...formats.map(format => ({ path: `${slug}?format=${format}&${own}` })),
        { path: `${slug}?${own}` },
        { path: `${slug}?${own}`, headers: { Accept: 'text/markdown, application/json;q=0.5' } },
        { path: `${slug}?format=strapi&${own}`, headers: { 'Strapi-Response-Format': 'v4' } },
      ]
    }),
    { path: `${slug}?format=contentful&locale=*` },
    { path: `${slug}?format=raw&locale=not_a_tag` },
    { path: `${slug}?format=odd` },
    { path: `${slug}?format=raw&expand=a` },
    { path: `${slug}?format=raw&status=published&more=1` },
    { path: `${slug}/?format=raw`, method: 'HEAD' },
    { path: slug, method: 'PUT' },
    {
      path: slug,
      method: 'OPTIONS',
      headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' },
    },
  ])

export const siteRequests: readonly Asked[] = [
  { path: '/sitemap.xml' },
  { path: '/sitemap.xml?utm=1', method: 'HEAD' },
  { path: '/robots.txt' },
  { path: '/llms.txt' },
  { path: '/robots.txt/' },
  { path: '/%ff' },
  { path: '/a%00b' },
  { path: '/missing/page?format=raw' },
  { path: '/constructor' },
]

/** Everything that a root names, which must be there and be what its name says. @returns the number of objects */
export function checkedStore(folder: string): number {
  const named = (name: string) => {
    const content = readFileSync(join(folder, name))
    expect(name.split('/')[1]).toBe(createHash('sha256').update(content).digest('hex').slice(0, 32))
    return content.toString()
  }
  const root: Root = JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8'))
  const shards = [...new Set(root.shards)].map((hash): Shard => JSON.parse(named(`shards/${hash}`)))
  const entries = shards.flatMap(shard => Object.values(shard))
  const bodies = new Set(entries.flatMap(({ objects }) => objects))
  for (const hash of bodies) named(`bodies/${hash}`)
  return bodies.size + shards.length
}
