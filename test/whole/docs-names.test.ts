import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.js'
import { configFields } from '../../src/config-fields.js'
import { testApp } from '../support/app.js'

const pages = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter(path => !/^CHANGELOG|^docs\/decisions|^docs\/panel\/pages/.test(path) && existsSync(path))
const texts = pages.map(path => [path, readFileSync(path, 'utf8')] as const)

/** What stands in a page as code: blocks and spans. */
const codeIn = (text: string): string[] =>
  [...text.matchAll(/^```.*?\n(.*?)^```|`([^`]+)`/gms)].map(([, block, span]) => block ?? span ?? '')

/** Names that the pages have and the product does not, each with its page. */
function unknown(find: (code: string) => string[], isKnown: (name: string) => boolean): string[] {
  const found = texts.flatMap(([path, text]) =>
    codeIn(text).flatMap(code => find(code).map(name => ({ path, name }))),
  )
  expect(found.length).toBeGreaterThan(5)
  return found.filter(({ name }) => !isKnown(name)).map(({ path, name }) => `${path}: ${name}`)
}

it('every command that the pages name exists', () => {
  const words = new Set([...commands.map(command => command.words), 'help'])
  const groups = new Set([...words].map(name => name.split(' ')[0]))
  const found = (code: string) =>
    [...code.matchAll(/(?<!role )(?:^|\b)(?<!create )slugline ([a-z]+)(?: ([a-z]+))?/gm)].map(
      ([, one = '', two]) => (two && words.has(`${one} ${two}`) ? `${one} ${two}` : one),
    )
  expect(unknown(found, name => words.has(name) || groups.has(name))).toEqual([])
})

it('every npm script that the pages name exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object }
  const example = JSON.parse(readFileSync('examples/eleventy/package.json', 'utf8')) as { scripts: object }
  const known = new Set([...Object.keys(scripts), ...Object.keys(example.scripts)])
  const found = (code: string) => [...code.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name)
  expect(unknown(found, name => known.has(name))).toEqual([])
})

it('every field of a configuration that the pages show exists', () => {
  const found = (code: string) => {
    if (!/^\{/.test(code.trim())) return []
    try {
      const keys = Object.keys(JSON.parse(code))
      return keys.some(key => key in configFields) ? keys : []
    } catch {
      return []
    }
  }
  expect(unknown(found, name => name in configFields)).toEqual([])
})

it('every endpoint that the pages name exists', async () => {
  const app = await testApp()
  const { paths } = (await app.call('GET', '/api/v1/openapi.json', { as: 'nobody' })).body
  const patterns = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      method =>
        new RegExp(
          `^${method} (/api/v1)?${path.replace(/^\/api\/v1/, '').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`,
          'i',
        ),
    ),
  )
  const found = (code: string) =>
    [...code.matchAll(/^(GET|POST|PUT|DELETE) (\/[^\s?]+)/g)]
      .map(([, method, path]) => `${method} ${path}`)
      .filter(
        name =>
          !/^\w+ \/(<slug>|compat\/|deliveries|\{id\}|old|new|query\.md|service\/\{id\}\/purge|zones\/\{id\}\/purge_cache)/.test(
            name,
          ),
      )
  expect(unknown(found, name => patterns.some(pattern => pattern.test(name)))).toEqual([])
})
