import { expect, it } from 'vitest'
import { chosenOf } from '../../src/systems/wordpress/write/chosen.js'

const members: Readonly<Record<string, string>> = {
  id: '1',
  title: '{"rendered":"A"}',
  content: '{"rendered":"B","protected":false}',
  acf: '{"at":{"x":1,"y":[2]},"tags":[{"id":3}]}',
}

it.each([
  ['id', '{"id":1}'],
  ['title,id', '{"title":{"rendered":"A"},"id":1}'],
  ['content.protected,content.rendered', '{"content":{"protected":false,"rendered":"B"}}'],
  ['content.protected,content', '{"content":{"rendered":"B","protected":false}}'],
  ['id.rendered', '{"id":1}'],
  ['acf.at.x', '{"acf":{"at":{"x":1}}}'],
  ['acf.at.x,acf.at.y', '{"acf":{"at":{"x":1,"y":[2]}}}'],
  ['acf.tags.id', '{"acf":{"tags":[{"id":3}]}}'],
  ['acf.nothing', '{"acf":{}}'],
  ['nothing,constructor', '{}'],
])('chooses %s', (fields, wanted) => {
  const paths = fields.split(',').map(path => path.split('.'))
  expect(chosenOf(name => (Object.hasOwn(members, name) ? members[name] : undefined), paths)).toBe(wanted)
})
