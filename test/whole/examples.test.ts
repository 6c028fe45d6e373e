import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import sharp from 'sharp'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callerOf, made } from '../support/calls.js'
import { engine, freshDatabase } from '../support/database.js'
import { startProduct } from '../support/process.js'
import { testStorage } from '../support/storage.js'

const run = promisify(execFile)

interface Block {
  page: string
  line: number
  language: string
  text: string
}

const blocks: Block[] = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter(page => !/^docs\/(decisions|panel\/pages)/.test(page) && existsSync(page))
  .flatMap(page => {
    const whole = readFileSync(page, 'utf8')
    return [...whole.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(
      ({ index, 1: language = '', 2: text = '' }) => ({
        page,
        line: whole.slice(0, index).split('\n').length,
        language,
        text,
      }),
    )
  })

const of = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language))
const nameOf = ({ page, line }: Block) => `${page}:${line}`

/** Languages of blocks: those without one show an address, a drawing or output. `capnp` is tried by the trial `twin`. */
const languages = ['', 'astro', 'capnp', 'diff', 'groq', 'html', 'js', 'json', 'jsx', 'sh', 'ts']

/** Programs that the examples call. Commands of Slugline are checked by docs-names.test.ts. */
const programs = (
  'bun deno jq alias cat cd cms contentful cp curl export grep helm id install journalctl node npm npx post psql runuser scp sftp slugline ' +
  'sqlite3 ssh systemctl tar useradd'
).split(' ')

/** Modules that belong to the framework of the reader. */
const frameworks = /^(next\/|react$|astro)/

describe.runIf(engine === 'sqlite')('the code blocks of the documentation', () => {
  it('have a language that a check knows', () => {
    expect(blocks.length).toBeGreaterThan(100)
    const others = blocks.filter(({ language }) => !languages.includes(language))
    expect(others.map(block => `${nameOf(block)} ${block.language}`)).toEqual([])
  })

  it('json: parses', () => {
    for (const block of of('json'))
      expect(() => JSON.parse(block.text.replaceAll(/\[…\]/g, '[]')), nameOf(block)).not.toThrow()
  })

  it('js, jsx and ts: parse, and import only what exists', async () => {
    const { devDependencies, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    const known = new Set(Object.keys({ ...devDependencies, ...dependencies }))
    for (const own of ['client', 'astro', 'eleventy']) known.add(`@slugline/${own}`)
    for (const own of ['slugline/twin', 'npm:slugline/twin']) known.add(own)
    for (const block of of('js', 'jsx', 'ts')) {
      const loader = block.language as 'js' | 'jsx' | 'ts'
      await expect(transform(block.text, { loader, format: 'esm' }), nameOf(block)).resolves.toBeTruthy()
      const imports = [...block.text.matchAll(/^import .*?from '([^'.][^']*)'/gm)].map(
        ([, name = '']) => name,
      )
      const unknown = imports.filter(
        name => !name.startsWith('node:') && !known.has(name) && !frameworks.test(name),
      )
      expect([nameOf(block), unknown]).toEqual([nameOf(block), []])
    }
  })

  it('sh: parse, and call only programs that are named here', async () => {
    for (const block of of('sh')) {
      await expect(run('bash', ['--norc', '-n', '-c', block.text]), nameOf(block)).resolves.toBeTruthy()
      const whole = block.text
        .replaceAll(/'[^']*'/gs, "''")
        .replaceAll(/\\\n/g, ' ')
        .replaceAll(/(^|\s)#.*$/gm, '')
      const called = [
        ...whole.matchAll(/(?:^|&& |\| |\$\() *(?:[A-Z_]+=[^\s$]\S* )*([a-z][\w.-]*)(?=[\s])/gm),
      ]
        .map(([, name = '']) => name)
        .filter(name => !programs.includes(name))
      expect([nameOf(block), called]).toEqual([nameOf(block), []])
    }
  })

  it('sh: every curl line is answered by the product', async () => {
    const { address, drop } = await freshDatabase()
    onTestFinished(drop)
    const { config } = await testStorage()
    const product = await startProduct(address, {
      config: { ...config, webhook_enabled: true, i18n_enabled: true },
    })
    const cookie = await product.login()
    const call = await callerOf(product, cookie)
    const { token } = await made(call('POST', '/tokens', { label: 'Docs' }))
    const ids = await sampleContent(call)
    const cwd = mkdtempSync(join(tmpdir(), 'slugline-examples-'))
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
    writeFileSync(join(cwd, 'wall.jpg'), await sharp(wall).jpeg().toBuffer())
    const [name, value] = (cookie.split(';')[0] ?? '').split('=')
    writeFileSync(join(cwd, 'cookies'), `localhost\tFALSE\t/\tFALSE\t0\t${name}\t${value}\n`)
    const url = product.url.replace('127.0.0.1', 'localhost')
    const api = `${url}/api/v1`
    let lines = 0
    for (const block of of('sh')) {
      // The README's own is pasted as a whole in documents.test.ts.
      if (!/\bcurl\b/.test(block.text) || block.page === 'README.md') continue
      const isAboutMedia = /\$api\/media\/(\?q=)?<id>/.test(block.text)
      const [file] = isAboutMedia ? (await call('GET', '/media')).body : []
      const text = filled(block, isAboutMedia ? { ...ids, route: file.media_id } : ids, token).replaceAll(
        'http://localhost:8080',
        url,
      )
      const script = `curl() { command curl -sS -w '\\n%{http_code} %{method}\\n' "$@"; }\nmkdir -p src\n${text}`
      const env = { PATH: process.env.PATH, api, API: api, KEY: token, key: token }
      const { stdout } = await run('bash', ['--norc', '-c', script], { cwd, env })
      const codes = [...stdout.matchAll(/^(\d{3}) [A-Z]+$/gm)].map(([, code]) => Number(code))
      lines += codes.length
      const refused = codes.filter(code => code >= 300 || code === 0)
      expect.soft([nameOf(block), refused, stdout]).toEqual([nameOf(block), [], stdout])
    }
    expect(lines).toBeGreaterThan(14)
    await compileTypes(cwd)
  }, 400_000)
})

const wall = { create: { width: 1200, height: 800, channels: 3 as const, background: '#888' } }

type Ids = Readonly<
  Record<
    | 'author'
    | 'locale'
    | 'route'
    | 'old'
    | 'Page'
    | 'Section'
    | 'Note'
    | 'root'
    | 'child'
    | 'folder'
    | 'comment'
    | 'field',
    string
  >
>

/** The records that the examples name. */
async function sampleContent(call: Awaited<ReturnType<typeof callerOf>>): Promise<Ids> {
  const datatype = async (label: string) =>
    (await made(call('POST', '/datatypes', { label, type: 'content' }))).datatype_id as string
  const field = (parent_id: string, name: string, field_type: string, more = {}) =>
    made(call('POST', '/fields', { parent_id, label: name, name, field_type, ...more }))
  const [page, section, note] = [await datatype('Page'), await datatype('Section'), await datatype('Note')]
  const head = await field(page, 'head', 'text', { translatable: true })
  await field(page, 'price', 'number')
  await field(page, 'tags', 'json')
  await field(page, 'settings', 'json')
  await field(section, 'text', 'text')
  await field(note, 'text', 'text')
  const author = await datatype('Author')
  await field(author, 'name', 'text')
  const post = (
    await made(call('POST', '/datatypes', { label: 'Blog post', name: 'blogPost', type: 'content' }))
  ).datatype_id
  await field(post, 'date', 'date')
  await field(post, 'author', 'relation', { data: { target: 'author' } })
  const route = (slug: string) => made(call('POST', '/routes', { slug, title: 'Sample' }))
  await route('/news')
  const { route_id } = await route('/sample')
  const { content_data_id: root, children } = await made(
    call('POST', '/content', { datatype_id: page, route_id, children: [{ datatype_id: section }] }),
  )
  const { folder_id } = await made(call('POST', '/media-folders', { name: 'Walls' }))
  const { locale_id } = await made(call('POST', '/locales', { code: 'fr', label: 'Français' }))
  const comment = await made(call('POST', '/comments', { content_data_id: root, body: 'Sample' }))
  return {
    locale: locale_id,
    route: route_id,
    old: (await route('/gone')).route_id,
    Page: page,
    Section: section,
    Note: note,
    root,
    child: children[0].content_data_id,
    folder: folder_id,
    field: head.field_id,
    comment: comment.comment_id,
    author,
  }
}

/** A block with the ids that a reader would put in. */
function filled({ page, text }: Block, ids: Ids, token: string): string {
  const id = page === 'docs/redirects.md' ? ids.old : text.includes('$api/locales') ? ids.locale : ids.route
  return text
    .replaceAll(/<(Page|Section|Note|root)>/g, (_, name: keyof Ids) => ids[name])
    .replaceAll('<a child>', ids.child)
    .replaceAll('<entry>', ids.root)
    .replaceAll(/<(field|comment|route)>/g, (_, name: keyof Ids) => ids[name])
    .replaceAll(/<from above>|<datatype_id>/g, ids.author)
    .replaceAll('<id>', id)
    .replaceAll('01JZ8M4Q7R6T5V3W2X1Y0ZABCD', ids.root)
    .replaceAll('folder_id=…', `folder_id=${ids.folder}`)
    .replaceAll('slk_…', token)
    .replaceAll(/-d …/g, `-d '{"slug":"/once","title":"Once","datatype_id":"${ids.Page}"}'`)
    .replaceAll(/^WEBHOOK_SECRET=.*$/gm, '')
}

/** Compiles the example of docs/types.md against the types that its curl line has saved. */
async function compileTypes(cwd: string): Promise<void> {
  const [block] = of('ts').filter(({ page }) => page === 'docs/types.md')
  const types = readFileSync(join(cwd, 'src/content-types.ts'), 'utf8').replace(/\n\d{3} GET\n$/, '\n')
  writeFileSync(join(cwd, 'src/content-types.ts'), types)
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}')
  writeFileSync(join(cwd, 'src/page.ts'), `declare const api: string\n${block?.text}\nexport {}\n`)
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', '']
  const { stdout } = await run(resolve('node_modules/.bin/tsc'), [...options, 'src/page.ts'], { cwd }).catch(
    error => error as { stdout: string },
  )
  expect(stdout).toBe('')
}
