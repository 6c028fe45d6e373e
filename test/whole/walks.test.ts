import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** The walks of docs/architecture.md, by their titles: the modules of each with the names that they export. */
const walks = readFileSync('docs/architecture.md', 'utf8')
  .split(/^## /m)
  .filter(section => /^(A|An) /.test(section))
  .map(section => {
    const [title = '', ...lines] = section.split('\n')
    const text = lines.join(' ').replaceAll(/ +/g, ' ')
    return { title, text, steps: [...text.matchAll(/`(src\/[^`]+\.tsx?)` \(`(\w+)`\)/g)] }
  })

const exported = (file: string, name: string): boolean =>
  existsSync(file) &&
  new RegExp(`^export (?:async )?(?:function\\*?|const|class) ${name}\\b`, 'm').test(
    readFileSync(file, 'utf8'),
  )

it('there is a walk of a page, a write, an event, a query and a save', () => {
  expect(walks.map(({ title }) => title)).toEqual([
    'A page',
    'A write',
    'An event',
    'A GROQ query',
    'A panel save',
  ])
})

it.each(walks)('$title goes through modules that there are, and what they export', ({ steps, text }) => {
  expect(steps.filter(([, file = '', name = '']) => !exported(file, name)).map(([step]) => step)).toEqual([])
  // Every module stands with a name that can be looked for.
  expect(text.match(/`src\/[^`]+\.tsx?`/g)).toHaveLength(steps.length)
})

it.each(walks)('$title goes through twelve modules at most', ({ steps }) => {
  const modules = new Set(steps.map(([, file]) => file))
  expect(modules.size).toBeGreaterThan(0)
  expect(modules.size).toBeLessThanOrEqual(12)
})
