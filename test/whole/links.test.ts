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

  describe('docs/decisions', () => {
    const folder = 'docs/decisions/'
    const decisions = pages.filter(page => page.startsWith(folder) && !page.endsWith('README.md'))
    const numbersOf = (page: string) =>
      [...readFileSync(page, 'utf8').matchAll(/<a id="d-(\d+)">/g)].map(([, number = '']) => number)
    const numbers = decisions.flatMap(numbersOf)

    it('the index lists every page once, by its title', () => {
      const listed = [...readFileSync(`${folder}README.md`, 'utf8').matchAll(/^- \[(.+)\]\((.+)\)$/gm)]
      expect(listed.map(([, title, file]) => `${file} # ${title}`).sort()).toEqual(
        decisions
          .map(page => `${page.slice(folder.length)} ${readFileSync(page, 'utf8').split('\n')[0]}`)
          .sort(),
      )
    })

    it.each(decisions)('%s has its four parts, and the number of its name first', page => {
      const [, status = '', ...parts] = readFileSync(page, 'utf8').split(/\n\n(?=Status: |## )/)
      expect(status).toMatch(/^Status: (accepted|replaced by .+), \d{4}(-\d{2}-\d{2})?\. Numbers: /)
      expect(parts.map(part => part.split('\n')[0])).toEqual(['## Context', '## Decision', '## Consequences'])
      expect(page.slice(folder.length)).toMatch(new RegExp(`^${numbersOf(page)[0]}-[a-z0-9-]+\\.md$`))
    })

    it('no number stands twice', () => expect(numbers).toEqual([...new Set(numbers)]))

    it('every page and every number that is cited anywhere exists', () => {
      const cited = execFileSync(
        'git',
        ['grep', '-hoE', '\\bD-[0-9]{3}\\b|docs/decisions[-a-z0-9./]*\\.md'],
        {
          encoding: 'utf8',
        },
      )
      const known = new Set([...numbers.map(number => `D-${number}`), ...decisions, `${folder}README.md`])
      expect([...new Set(cited.trim().split('\n'))].filter(citation => !known.has(citation))).toEqual([])
    })
  })
})
