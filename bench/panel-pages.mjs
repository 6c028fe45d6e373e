// The pages of the panel that are measured, and files to list.
import { createHash } from 'node:crypto'
import { tables } from '../dist/src/db/tables.js'

/** Inserts rows of files without stored bytes, because no page reads them. */
export async function fillMedia(db, files, author_id) {
  const actor = { userId: author_id, surface: 'cli', requestId: '', ipAddress: '', userAgent: 'bench' }
  for (let from = 0; from < files; from += 500)
    await db.write(actor, tx =>
      tx.insertAll(
        tables.media,
        Array.from({ length: Math.min(500, files - from) }, (_, i) => ({
          name: `photo-${from + i}.jpg`,
          display_name: `Photograph ${from + i}`,
          search_text: `photo-${from + i}.jpg photograph ${from + i}`,
          mimetype: 'image/jpeg',
          size: 1_000_000,
          width: 4000,
          height: 3000,
          object_key: `photo-${from + i}.jpg`,
          content_hash: createHash('sha256')
            .update(`${from + i}`)
            .digest('hex'),
          author_id,
        })),
      ),
    )
}

/** Returns the pages, by their names in the output. */
export async function pagesOf(db) {
  const first = async table => (await db.findAll(table, {}, { limit: 1 }))[0]
  const [route, entry, media, datatype, field, user] = await Promise.all(
    ['routes', 'contentData', 'media', 'datatypes', 'fields', 'users'].map(name => first(tables[name])),
  )
  const [child] = await db.findAll(tables.contentData, { parent_id: entry.root_id }, { limit: 1 })
  const lists =
    'content media routes redirects datatypes fields locales users roles tokens webhooks audit backups'
  return [
    ['overview', ''],
    ...lists.split(' ').map(name => [name, `/${name}`]),
    ['settings', '/settings'],
    ['profile', '/profile'],
    ['a page of content', `/content/entry/${entry.root_id}`],
    ['an entry', `/content/entry/${child.content_data_id}`],
    ['its versions', `/content/entry/${child.content_data_id}/versions`],
    ['waiting changes', `/content/entry/${child.content_data_id}/changes`],
    ...(media ? [['a file', `/media/${media.media_id}`]] : []),
    ['files by a word', '/media?text=graph%2099'],
    ['a route', `/routes/${route.route_id}`],
    ['a datatype', `/datatypes/${datatype.datatype_id}`],
    ['a field', `/fields/${field.field_id}`],
    ['a person', `/users/${user.user_id}`],
    ['trash', '/trash'],
    ['calendar', '/calendar'],
    ['imports', '/import'],
    ['content, page 400', '/content?page=400'],
    ['content by title', '/content?sort=title'],
    ['content of a datatype', `/content?datatype_id=${datatype.datatype_id}`],
    ['shared content', '/content?datatype_id=shared'],
    ['pages', '/content?datatype_id=pages'],
    ['drafts', '/content?status=draft'],
    ['published content', '/content?status=published'],
    ['scheduled content', '/content?status=scheduled'],
    ['unpublished changes', '/content?status=changed'],
    ['content of a person', `/content?author=${user.user_id}`],
    ['content by a frequent word', '/content?q=brakes'],
    ['content by a rare word', '/content?q=page-4711'],
    ['content by no word', '/content?q=xylophone'],
    ['choose a page', '/pick/pages?q=page'],
    ['choose an entry', '/pick/entries?q=Heading%2012'],
    ['new page', '/content/new'],
    ['delete a page', `/content/entry/${entry.root_id}/delete`],
    ['delete a route', `/routes/${route.route_id}/delete`],
    ['delete a datatype', `/datatypes/${datatype.datatype_id}/delete`],
    ['delete a field', `/fields/${field.field_id}/delete`],
    ['the audit log by a person', `/audit?user_id=${user.user_id}`],
    ['the audit log by a word', '/audit?text=page-4711'],
    ['find nothing', '/find'],
    ['find a frequent word', '/find/results?q=page'],
    ['find a rare word', '/find/results?q=Heading%2012'],
    ['find what is not there', '/find/results?q=xylophone'],
    ['admin space', '/space/content'],
  ]
}
