import { existsSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import { defineConfig } from 'vitepress'
import { copySources, makeRelative, refuseDeadLinks, writeIndexForModels } from './output.js'
import { tasks } from './sidebar.js'

const root = resolve(import.meta.dirname, '../..')
/** Where the site will be served, such as `/slugline/`. */
const base = process.env.DOCS_BASE ?? '/'

/** The address of a page, by its path in the repository. */
const addressOf = (path: string) => (path === 'README.md' ? '/' : `/${path.replace(/\.md$/, '.html')}`)

/** The id of a heading, as Git hosts name it, so that one link works in both places. */
const slugify = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
    .replaceAll(' ', '-')

/** The target of a link as the site has it: folders become their README, and other files of the repository stay. */
function targetOf(href: string, page: string): { href: string; isFile: boolean } {
  if (/^([a-z]+:|#|\/)/i.test(href)) return { href, isFile: false }
  const [path = '', anchor] = href.split('#')
  const inRoot = posix.join(posix.dirname(page), path)
  const source = existsSync(resolve(root, inRoot, 'README.md')) ? posix.join(inRoot, 'README.md') : inRoot
  const end = anchor === undefined ? '' : `#${anchor}`
  if (!source.endsWith('.md')) return { href: `${base}${source}`, isFile: true }
  return { href: `${source === 'README.md' ? '/index.md' : `/${source}`}${end}`, isFile: false }
}

export default defineConfig({
  base,
  lang: 'en',
  title: 'Slugline',
  description: 'A self-hosted headless CMS',
  // Without it browsers ask for /favicon.ico.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // The pages stay where Git hosts show them; the site has the same paths.
  srcDir: '../',
  srcExclude: ['node_modules/**', 'dist/**', 'test/**', 'src/**', 'quickstart/**', 'site/**', '**/node_modules/**'],
  rewrites: { 'README.md': 'index.md' },
  outDir: resolve(root, 'dist/docs'),
  cacheDir: resolve(root, 'node_modules/.cache/vitepress'),
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    languageAlias: { groq: 'js' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify },
    config(md) {
      // Braces in code are text, no expression of the site's generator.
      const code = md.renderer.rules.code_inline
      md.renderer.rules.code_inline = (tokens, index, options, env, self) => {
        tokens[index]?.attrSet('v-pre', '')
        return code?.(tokens, index, options, env, self) ?? ''
      }
      const shown = md.renderer.rules.link_open
      md.renderer.rules.link_open = (tokens, index, options, env, self) => {
        const link = tokens[index]
        const page = posix.relative(root, env.realPath ?? env.path)
        const { href, isFile } = targetOf(link?.attrGet('href') ?? '', page)
        link?.attrSet('href', href)
        if (isFile) link?.attrSet('target', '_self')
        return isFile || !shown ? self.renderToken(tokens, index, options) : shown(tokens, index, options, env, self)
      }
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: tasks.map(({ title, pages }) => ({
      text: title,
      items: pages.map(([text, path]) => ({ text, link: addressOf(path) })),
    })),
  },
  buildEnd({ outDir }) {
    copySources(root, outDir)
    writeIndexForModels(root, outDir)
    makeRelative(outDir, base)
    refuseDeadLinks(outDir)
  },
})
