// Builds the files that the panel gives to browsers: scripts, style sheets and the icons, each also compressed.
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { brotliCompress, gzip } from 'node:zlib'
import { build } from 'esbuild'

const from = dirname(fileURLToPath(import.meta.url))
const to = join(from, '../../../dist/panel')

/** The icons by the names that `Icon` takes. */
const icons = {
  add: 'plus',
  alert: 'triangle-alert',
  audit: 'scroll-text',
  back: 'arrow-left',
  backups: 'archive',
  bold: 'bold',
  calendar: 'calendar-days',
  check: 'check',
  clock: 'clock',
  code: 'code',
  comment: 'message-square',
  content: 'files',
  copy: 'copy',
  datatypes: 'box',
  down: 'arrow-down',
  drag: 'grip-vertical',
  email: 'at-sign',
  file: 'file',
  folder: 'folder',
  globe: 'globe',
  heading: 'heading',
  home: 'house',
  html: 'code-xml',
  imports: 'import',
  in: 'arrow-right',
  italic: 'italic',
  json: 'braces',
  keys: 'key-round',
  lines: 'align-left',
  link: 'link',
  list: 'list',
  locales: 'languages',
  lock: 'lock',
  media: 'image',
  menu: 'menu',
  more: 'ellipsis',
  number: 'hash',
  numbers: 'list-ordered',
  open: 'chevron-right',
  out: 'arrow-left',
  people: 'users',
  profile: 'circle-user-round',
  redirects: 'corner-down-right',
  quote: 'text-quote',
  redo: 'redo-2',
  relation: 'waypoints',
  remove: 'x',
  roles: 'shield-check',
  routes: 'link-2',
  rule: 'minus',
  seek: 'search',
  select: 'list-checks',
  settings: 'settings',
  space: 'layers',
  strike: 'strikethrough',
  sub: 'subscript',
  sup: 'superscript',
  switch: 'toggle-left',
  table: 'table',
  text: 'pilcrow',
  trash: 'trash-2',
  type: 'type',
  full: 'maximize-2',
  underline: 'underline',
  undo: 'undo-2',
  up: 'arrow-up',
  webhooks: 'webhook',
}

const icon = async ([name, file]) => {
  const path = createRequire(import.meta.url).resolve(`lucide-static/icons/${file}.svg`)
  const svg = await readFile(path, 'utf8')
  const inner = svg.slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.lastIndexOf('</svg>'))
  return `<symbol id="${name}" viewBox="0 0 24 24">${inner.replace(/\s+/g, ' ').trim()}</symbol>`
}

const sprite = async () =>
  `<svg xmlns="http://www.w3.org/2000/svg">${(await Promise.all(Object.entries(icons).map(icon))).join('')}</svg>`

/** The sources of the panel's files, by path from the root of the repository. */
export const sources = ['node_modules/lucide-static/icons']

const built = async (entryPoints, more) => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: join(from, '../../..'),
    entryPoints,
    outdir: to,
    bundle: true,
    minify: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    legalComments: 'none',
    metafile: true,
    write: false,
    ...more,
  })
  sources.push(...Object.keys(metafile.inputs))
  return outputFiles
}

// The build puts the address of a script into the script that loads it, so that no page can name another one.
const addressOf = ([{ contents }], name) => {
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 12)
  return JSON.stringify(`/admin/files/${hash}/${name}`)
}
const markdown = await built({ markdown: join(from, 'editor/markdown.ts') }, { format: 'esm' })
const editorStyle = await built(undefined, {
  stdin: { contents: "@import './editor.css' layer(content);", loader: 'css', resolveDir: from },
  outdir: undefined,
  outfile: join(to, 'editor.css'),
})
const editor = await built(
  { editor: join(from, 'editor/editor.ts') },
  {
    format: 'esm',
    external: ['/admin/files/*'],
    define: {
      markdownAddress: addressOf(markdown, 'markdown.js'),
      editorStyleAddress: addressOf(editorStyle, 'editor.css'),
    },
  },
)
/** Scripts that only the pages load that need them. */
const ofPages = await built(
  Object.fromEntries(
    ['webauthn', 'media-library', 'media-item', 'media-crop', 'field-order', 'narrow'].map(name => [
      name,
      join(from, `${name}.ts`),
    ]),
  ),
  { format: 'esm' },
)
/** The modules with the texts of the scripts, by language. English texts are in the scripts. */
const translations = { de: './de/browser.js', fr: './fr/browser.js', 'ar-XB': './mirrored.js' }
const texts = Object.fromEntries(
  await Promise.all(
    Object.entries(translations).map(async ([language, module]) => [
      language,
      await built(undefined, {
        stdin: {
          contents: `import { browser } from '${module}'\nglobalThis.sluglineTexts = browser`,
          loader: 'ts',
          resolveDir: join(from, '../../texts'),
        },
        outdir: undefined,
        outfile: join(to, `texts-${language}.js`),
      }),
    ]),
  ),
)

/** The word of the link that `edit.js` shows in front ends, by language; that script has no other text. */
function editWords() {
  const word = 'Edit'
  const wordIn = language => {
    const page = {}
    runInNewContext(texts[language][0].text, page)
    return page.sluglineTexts[word]
  }
  return JSON.stringify({ en: word, de: wordIn('de'), fr: wordIn('fr') })
}
const outputFiles = [
  ...Object.values(texts).flat(),
  ...markdown,
  ...editorStyle,
  ...editor,
  ...ofPages,
  ...(await built(
    {
      panel: join(from, 'panel.ts'),
      edit: join(from, 'edit.ts'),
      page: join(from, 'page/page.ts'),
      style: join(from, 'panel.css'),
    },
    {
      format: 'iife',
      external: ['/admin/files/*'],
      define: { editorAddress: addressOf(editor, 'editor.js'), editWords: editWords() },
    },
  )),
  // Beside a script of the same name, so it is built on its own.
  ...(await built({ page: join(from, 'page/page.css') }, {})),
]

await rm(to, { recursive: true, force: true })
await mkdir(to, { recursive: true })
const files = outputFiles.map(({ path, contents }) => [path, Buffer.from(contents)])
files.push([join(to, 'icons.svg'), Buffer.from(await sprite())])
for (const [path, contents] of files) {
  await writeFile(path, contents)
  await writeFile(`${path}.br`, await promisify(brotliCompress)(contents))
  await writeFile(`${path}.gz`, await promisify(gzip)(contents, { level: 9 }))
}
