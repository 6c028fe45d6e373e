import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { tasks } from './sidebar.js'

const pagesIn = (out: string) =>
  readdirSync(out, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.html'))

const isLocal = (target: string) => !/^([a-z]+:|\/\/)/i.test(target)

/** Copies the Markdown twin of each page, and the files of the repository that pages link to. */
export function copySources(root: string, out: string): void {
  const tracked = execFileSync('git', ['ls-files', '*.md', '*.example', 'docs/**.png', 'docs/**.svg', 'docs/**.txt', 'docs/**.cast', 'examples'], { cwd: root, encoding: 'utf8' })
  for (const file of tracked.trim().split('\n')) {
    mkdirSync(dirname(join(out, file)), { recursive: true })
    copyFileSync(join(root, file), join(out, file))
  }
  copyFileSync(join(root, 'README.md'), join(out, 'index.md'))
}

/** Writes `llms.txt`: each page by task, with the first sentence of its text. */
export function writeIndexForModels(root: string, out: string): void {
  const summary = (path: string) => {
    const text = readFileSync(join(root, path), 'utf8').replaceAll(/^```.*?^```$/gms, '')
    const paragraph = text.split(/\n{2,}/).find(part => /^[A-Z`*]/.test(part)) ?? ''
    return paragraph.replaceAll('\n', ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').split(/(?<=\.) /)[0] ?? ''
  }
  const lines = tasks.flatMap(({ title, pages }) => [
    `\n## ${title}\n`,
    ...pages.map(([name, path]) => `- [${name}](${path}): ${summary(path)}`),
  ])
  writeFileSync(join(out, 'llms.txt'), `# Slugline\n\n> ${summary('README.md')}\n${lines.join('\n')}\n`)
}

/** Makes every address in the pages relative, so that they can be read from a folder, without a server. */
export function makeRelative(out: string, base: string): void {
  for (const file of pagesIn(out)) {
    const up = relative(dirname(file), '') || '.'
    const html = readFileSync(join(out, file), 'utf8').replaceAll(
      /(<[^>]*? (?:href|src)=")\/([^"/][^"]*)?"/g,
      (_, before: string, path = '') => {
        const target = `/${path}`.startsWith(base) ? `/${path}`.slice(base.length) : path
        return `${before}${up}/${target.replace(/^(?=#|$)/, 'index.html')}"`
      },
    )
    writeFileSync(join(out, file), html)
  }
}

/** @throws if a link leads to a file that is missing, or to an anchor that its page does not have */
export function refuseDeadLinks(out: string): void {
  const pages = new Map(pagesIn(out).map(file => [file, readFileSync(join(out, file), 'utf8')]))
  const ids = new Map([...pages].map(([file, html]) => [file, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]))
  const dead = new Set<string>()
  for (const [file, html] of pages)
    for (const [, href = ''] of html.matchAll(/<(?:a|img)[^>]*? (?:href|src)="([^"]+)"/g)) {
      if (file === '404.html' || !isLocal(href)) continue
      const [path = '', anchor] = decodeURI(href).split('#')
      const target = path === '' ? file : posix.join(posix.dirname(file), path)
      const isFound = existsSync(join(out, target)) && (!anchor || !ids.has(target) || ids.get(target)?.has(anchor))
      if (!isFound) dead.add(`${file}: ${href}`)
    }
  if (dead.size > 0) throw new Error(`Dead links:\n${[...dead].join('\n')}`)
}
