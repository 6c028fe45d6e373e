import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const sources = readdirSync('src/services', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .toSorted()
const filesWith = (pattern: RegExp) =>
  sources.filter(name => pattern.test(readFileSync(join('src/services', name), 'utf8')))

const writes = '\\.(insert|insertAll|update|remove|removeAll|setSilently)\\(\\s*(space\\.)?'

// What opens a tree without edit-trees.ts forgets what the public goes on to see.
it.each([
  [
    'takes the locks of trees',
    /\.lockAndBumpTree\(/,
    ['book-update', 'edit-trees', 'public-book', 'public-state', 'repair', 'staging'],
  ],
  ['makes trees', /\.createTree\(/, ['entry-rows', 'placement', 'repair']],
  [
    'makes entries that may be edited',
    /\bas EditableEntry/,
    ['create-entries', 'edit-trees', 'entry-rows', 'update-children'],
  ],
  ['changes entries', new RegExp(`${writes}contentData\\b`), ['entry-rows', 'placement', 'repair']],
  [
    'changes values',
    new RegExp(`${writes}contentFields\\b`),
    [
      'cascades',
      'content-fields',
      'duplicate',
      'entry-rows',
      'placement',
      'repair',
      'restore',
      'trash-restore',
      'write-values',
    ],
  ],
])('%s in no file but these', (_, pattern, files) => {
  expect(filesWith(pattern)).toEqual(files.map(name => `content/${name}.ts`))
})
