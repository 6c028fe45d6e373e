import { expect, it } from 'vitest'
import { BlocksHtml } from '../../src/systems/strapi/import/blocks.js'
import { toStrapiBlocks } from '../../src/systems/strapi/rich-text.js'
import { blog } from './sample.js'

const { app, make, picture, types } = await blog({ compat: { post: { blocks: ['body', 'excerpt'] } } })

const text = (words: string, ...marks: string[]) => ({
  type: 'text',
  text: words,
  ...Object.fromEntries(marks.map(mark => [mark, true])),
})
const item = (...children: unknown[]) => ({ type: 'list-item', children })
const blocks = [
  { type: 'heading', level: 2, children: [text('Bicycles')] },
  {
    type: 'paragraph',
    children: [
      text('Plain, '),
      text('bold', 'bold'),
      text(' and '),
      text('all', 'bold', 'italic', 'underline', 'strikethrough'),
      text(' at '),
      { type: 'link', url: 'https://example.org/a?b=c&d', children: [text('a '), text('link', 'italic')] },
      text('.'),
    ],
  },
  { type: 'paragraph', children: [text('two\nlines <here>')] },
  {
    type: 'list',
    format: 'unordered',
    children: [
      item(text('one')),
      {
        type: 'list',
        format: 'ordered',
        indentLevel: 1,
        children: [item(text('inside')), item(text('more'))],
      },
      item(text('two', 'bold')),
    ],
  },
  { type: 'quote', children: [text('Ride '), text('on', 'italic')] },
  { type: 'code', children: [text('a = 1\n  b = 2')] },
  { type: 'paragraph', children: [text('use '), text('npm ci', 'code')] },
]

it('gives the blocks back of which the HTML was made', () => {
  const html = new BlocksHtml(() => undefined).of(blocks)
  expect(toStrapiBlocks(html)).toEqual(blocks)
})

it('has a text beside each link, and lines where there are no blocks inside', () => {
  expect(toStrapiBlocks('<p><a href="/a">a</a></p><blockquote><p>x</p><p>y</p></blockquote><hr>')).toEqual([
    {
      type: 'paragraph',
      children: [text(''), { type: 'link', url: '/a', children: [text('a')] }, text('')],
    },
    { type: 'quote', children: [text('x'), text('\n'), text('y')] },
  ])
  expect(toStrapiBlocks('<table><tr><td>a</td><td>b</td></tr></table><p></p>')).toEqual([
    { type: 'paragraph', children: [text('a | b')] },
    { type: 'paragraph', children: [text('')] },
  ])
})

it('answers with blocks where the configuration says so, with pictures as files', async () => {
  const address = `https://files.example/media/${picture.media_id}/bike.jpg`
  const { route_id } = await make.route('/blocks', 'Blocks')
  const body = `<p>Look</p><p><img src="${address}" alt="Here"></p>`
  const { content_data_id } = await make.entry(
    types.post.datatype_id,
    { route_id },
    { status: 'published', fields: { body, excerpt: 'short' } },
  )
  const read = async (root: string) => {
    const address = `/compat/strapi/${root}/posts/${content_data_id}`
    const { body } = await app.call('GET', address, { as: 'nobody' })
    return body.data.attributes ?? body.data
  }
  for (const root of ['api', 'v4/api'])
    expect(await read(root)).toMatchObject({
      excerpt: 'short',
      body: [
        { type: 'paragraph', children: [text('Look')] },
        {
          type: 'image',
          image: {
            url: 'https://files.example/media/media/x/bike.jpg',
            alternativeText: 'Here',
            width: 2400,
            mime: 'image/jpeg',
          },
          children: [text('')],
        },
      ],
    })
  const list = await app.call('GET', '/compat/strapi/api/posts?sort=createdAt:desc&fields[0]=body', {
    as: 'nobody',
  })
  expect(list.body.data[1].body[0]).toEqual({
    type: 'paragraph',
    children: [text('Hello '), text('rider', 'bold'), text(' 12')],
  })
})
