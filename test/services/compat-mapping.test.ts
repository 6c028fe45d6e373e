import { expect, it } from 'vitest'
import { mappingOf } from '../../src/systems/mapping.js'

const datatype = (name: string) =>
  ({ datatype_id: name, name, label: name, visibility: 'public' }) as Parameters<
    typeof mappingOf
  >[0]['datatypes'] extends ReadonlyMap<string, infer D>
    ? D
    : never

function namesOf(names: readonly string[], settings: Parameters<typeof mappingOf>[1] = {}) {
  const datatypes = new Map(names.map(name => [name, datatype(name)]))
  const schema = { datatypes, fields: new Map(), order: () => 0 } as unknown as Parameters<
    typeof mappingOf
  >[0]
  return mappingOf(schema, settings).map(({ wordpress, strapi, single }) => [wordpress, strapi, single])
}

it.each([
  ['post', 'posts', 'post'],
  ['blogPost', 'blog-posts', 'blog-post'],
  ['hero_image', 'hero-images', 'hero-image'],
  ['category', 'categories', 'category'],
  ['day', 'days', 'day'],
  ['box', 'boxes', 'box'],
  ['branch', 'branches', 'branch'],
])('calls %s %s', (name, plural, single) => {
  expect(namesOf([name])).toEqual([[plural, plural, single]])
})

it('lets the configuration decide, and guesses no name that it has given to another', () => {
  expect(namesOf(['news', 'post'], { news: { wordpress: 'posts', strapi: 'news-items' } })).toEqual([
    ['posts', 'news-items', 'news'],
    ['post-list', 'posts', 'post'],
  ])
})

it('names components and the members with children, as the configuration says or as Strapi would', () => {
  const datatypes = new Map(['page', 'richText', 'cardGrid'].map(name => [name, datatype(name)]))
  const schema = { datatypes, fields: new Map(), order: () => 0 } as unknown as Parameters<
    typeof mappingOf
  >[0]
  const named = mappingOf(schema, {
    page: { children: 'blocks' },
    richText: { component: 'shared.rich-text' },
  }).map(({ component, children }) => [component, children])
  expect(named).toEqual([
    ['blocks.card-grid', 'children'],
    ['blocks.page', 'blocks'],
    ['shared.rich-text', 'children'],
  ])
})
