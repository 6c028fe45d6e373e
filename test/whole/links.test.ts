import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { engine } from '../support/database.js'

const tracked = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
const pages = tracked.trim().split('\n')

/** What a link of the page may name behind `#`: headings as GitHub names them, and ids that stand in the text. */
function anchorsOf(page: string): Set<string> {
  const text = readFileSync(page, 'utf8').replaceAll(/^```.*?^```$/gms, '')
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set([...headings, ...[...text.matchAll(/<a id="(.+?)">/g)].map(([, id = '']) => id)])
}

function brokenLinks(page: string): string[] {
  const text = readFileSync(page, 'utf8').replaceAll(/^```.*?^```$/gms, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter(target => !/^[a-z]+:/.test(target))
    .filter(target => {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : relative('', join(dirname(page), path))
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).has(anchor))
    })
}

describe.runIf(engine === 'sqlite')('the documents', () => {
  it.each(pages)('%s: every link leads somewhere', page => expect(brokenLinks(page)).toEqual([]))

  it('docs/decisions.md lists its topics, and no id stands twice', () => {
    const text = readFileSync('docs/decisions.md', 'utf8')
    const listed = [...text.matchAll(/^- \[(.+?)\]/gm)].map(([, topic]) => topic)
    expect(listed).toEqual([...text.matchAll(/^## (.+)$/gm)].map(([, topic]) => topic))
    const ids = [...text.matchAll(/^\*\*(D-\d+)\./gm)].map(([, id = '']) => id)
    expect(ids.length).toBeGreaterThan(200)
    expect(ids).toEqual([...new Set(ids)])
    expect([...text.matchAll(/<a id="(.+?)">/g)].map(([, id]) => id)).toEqual(ids.map(id => id.toLowerCase()))
  })
})
