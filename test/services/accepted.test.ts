import { expect, it } from 'vitest'
import { prefersMarkdown } from '../../src/routes/accepted.js'

it.each([
  ['text/markdown', true],
  ['Text/Markdown; charset=utf-8', true],
  ['text/markdown, text/html, */*', true],
  ['text/markdown;q=0.5', true],
  ['text/html, text/markdown;q=0.9, */*;q=0.1', true],
  ['application/json;q=0.5, text/markdown', true],
  ['application/json;q=0, text/markdown;q=0.1', true],
  ['*/*, text/markdown', true],
  ['application/json, text/markdown', false],
  ['text/markdown;q=0.5, application/json', false],
  ['text/markdown;q=0.5, */*', false],
  ['text/markdown;q=0.5, application/*', false],
  ['text/markdown;q=0', false],
  ['text/*', false],
  ['*/*', false],
  ['application/json', false],
  ['text/html;x="text/markdown"', false],
  ['text/markdownish', false],
  ['', false],
  [null, false],
  [`text/markdown, ${'a/b, '.repeat(200)}`, false],
])('%s', (accept, isPreferred) => expect(prefersMarkdown(accept)).toBe(isPreferred))
