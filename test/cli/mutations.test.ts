import { describe, expect, it } from 'vitest'
import { runAs } from '../../src/cli/command.js'
import { siteCommands } from '../../src/cli/site-commands.js'
import { internalTables, tables } from '../../src/db/tables.js'
import { HttpError } from '../../src/errors.js'
import { testApp } from '../support/app.js'
import { factories } from '../support/factories.js'
import { uploader } from '../support/media.js'
import { newKey, publicKeyOf } from '../support/ssh.js'
import { sshActor } from '../support/ssh-screens.js'
import { testStorage } from '../support/storage.js'
import { unread } from '../support/terminal.js'

/**
 * Each command that changes something: whether it deletes (then it asks, and is refused where nobody can be asked),
 * changes much (then it asks a person), or shows with `--dry-run` what it would do. The others change one record.
 */

const storage = await testStorage()
const app = await testApp({ ...storage.config, webhook_enabled: true })
const actor = await sshActor(app, 'admin')
const rows = factories(app)
const post = await rows.datatype('Post', { visibility: 'public' })
await rows.field(post.datatype_id, 'Title', 'text')
let made = 0
const fresh = (word: string) => `${word}${++made}`

async function record(path: string, body: object, id: string): Promise<string> {
  const answer = await app.call('POST', `/api/v1${path}`, { body })
  expect([path, answer.status]).toEqual([path, 201])
  return answer.body[id]
}
const routeId = () => record('/routes', { slug: `/${fresh('page')}`, title: 'A page' }, 'route_id')
const entryId = async (status = 'draft') =>
  (await rows.entry(post.datatype_id, { route_id: await routeId() }, { status, fields: { title: 'Winter' } }))
    .content_data_id as string
const treeId = async (status = 'draft') => {
  const id = await entryId(status)
  await rows.entry(post.datatype_id, { parent_id: id }, { status, fields: { title: 'Snow' } })
  return id
}
const trashId = async () => {
  const id = await entryId()
  await app.call('DELETE', `/api/v1/content?q=${id}`)
  return (await app.call('GET', `/api/v1/trash?content_data_id=${id}`)).body[0].trash_id as string
}
const versionId = async () =>
  record('/content/versions', { content_data_id: await entryId() }, 'content_version_id')
const keyId = async () =>
  (await app.services.sshKeys.add(actor, { public_key: publicKeyOf(newKey()), label: 'laptop' })).ssh_key_id
const upload = uploader(app)

interface Case {
  readonly given: () => Promise<readonly string[]>
  readonly input?: string
}
const one = (id: () => Promise<string>): Case => ({ given: async () => [await id()] })

const deletes: Readonly<Record<string, Case>> = {
  'user delete': one(() =>
    record(
      '/users',
      { email: `${fresh('user')}@example.com`, password: 'a long enough password' },
      'user_id',
    ),
  ),
  'roles delete': one(() => record('/roles', { label: fresh('role') }, 'role_id')),
  'token delete': one(() => record('/tokens', { user_id: app.users.admin, label: fresh('key') }, 'token_id')),
  'keys remove': one(keyId),
  'media delete': one(async () => (await upload(`${fresh('file')}.txt`, 'a file')).body.media_id),
  'content delete': one(entryId),
  'trash delete': one(trashId),
  'comments delete': one(async () =>
    record('/comments', { content_data_id: await entryId(), body: 'Is this right?' }, 'comment_id'),
  ),
  'routes delete': one(routeId),
  'redirects delete': one(() =>
    record('/redirects', { slug: `/${fresh('old')}`, target: '/' }, 'redirect_id'),
  ),
  'datatypes delete': one(() =>
    record('/datatypes', { label: fresh('Kind'), type: 'content' }, 'datatype_id'),
  ),
  'fields delete': one(() =>
    record('/fields', { parent_id: post.datatype_id, label: fresh('Field'), field_type: 'text' }, 'field_id'),
  ),
  'locales delete': one(() =>
    record('/locales', { code: `de-x-${fresh('l')}`, label: 'A language' }, 'locale_id'),
  ),
  'webhooks delete': one(() => app.subscribe()),
}

const asks: Readonly<Record<string, Case>> = {
  'content publish': one(treeId),
  'content unpublish': one(() => treeId('published')),
  'versions restore': one(versionId),
}

const dry: Readonly<Record<string, Case>> = {
  'content import': {
    given: async () => [],
    input: '{"datatype":"post","slug":"/imported","title":"Imported","fields":{"title":"Imported"}}\n',
  },
  'content repair': { given: async () => [] },
  'config set': { given: async () => ['webhook_max_retries', '7'] },
  'model apply': {
    given: async () => [],
    input: JSON.stringify({ datatypes: [{ name: 'dry', label: 'Dry', type: 'content' }] }),
  },
}

/** Commands that change or make one record, or none that anybody could lose. */
const plain = [
  ...[
    'content create',
    'content update',
    'content schedule',
    'pages create',
    'media upload',
    'trash restore',
  ],
  ...['comments create', 'comments update', 'user create', 'user password', 'user role', 'roles create'],
  'user reset-second-factor',
  ...[
    'roles update',
    'token create',
    'token update',
    'token revoke',
    'keys add',
    'routes create',
    'routes update',
  ],
  ...['redirects create', 'redirects update', 'datatypes create', 'datatypes update', 'fields create'],
  ...['fields update', 'locales create', 'locales update', 'webhooks create', 'webhooks update'],
  ...['webhooks test', 'webhooks replay', 'deliveries retry', 'backup create', 'media regenerate'],
]
const reads = /^(\S+ (list|get|tail|check|compare|export|pull|plan)|query|search|go|top|types|compat)$/

/** All rows of the database, as one text. */
async function digest(): Promise<string> {
  const all: Record<string, unknown> = {}
  for (const table of [...Object.values(tables), ...Object.values(internalTables)])
    all[table.name] = await app.db.findAll(table as never)
  return JSON.stringify(all)
}

async function run(
  words: string,
  { given, input = '' }: Case,
  options: Record<string, string>,
  answer?: string,
) {
  const command = siteCommands.find(found => found.words === words)
  if (!command) throw new Error(`there is no command ${words}`)
  const args = await given()
  const before = await digest()
  const asked: string[] = []
  let out = ''
  const io = {
    ...unread,
    write(some: string) {
      out += some
    },
    writeError: () => undefined,
    readSecret: async () => '',
    isInteractive: false,
    async *input() {
      yield Buffer.from(input)
    },
    ask:
      answer === undefined
        ? undefined
        : async (question: string) => {
            asked.push(question)
            return answer
          },
  }
  const error: unknown = await runAs(actor, app.services, command, { io, options, given: args }).then(
    () => undefined,
    found => found,
  )
  if (error !== undefined && !(error instanceof HttpError)) throw error
  return { out, asked, error: error?.message, isSame: (await digest()) === before }
}

it('has a line for each command', () => {
  const changing = [...Object.keys(deletes), ...Object.keys(asks), ...Object.keys(dry), ...plain]
  const all = siteCommands.map(({ words }) => words)
  expect(changing.toSorted()).toEqual(all.filter(words => !reads.test(words)).toSorted())
})

describe('a command that deletes', () => {
  it.each(Object.entries(deletes))('%s', async (words, about) => {
    const refused = await run(words, about, {})
    expect(refused).toMatchObject({ isSame: true, error: expect.stringContaining('add --yes') })
    const declined = await run(words, about, {}, 'no')
    expect(declined).toMatchObject({ isSame: true, error: 'nothing was changed' })
    expect(declined.asked).toEqual([expect.stringMatching(/^Delete /)])
    const shown = await run(words, about, { 'dry-run': '' })
    expect(shown).toMatchObject({ isSame: true, error: undefined, asked: [] })
    expect(shown.out).toMatch(/^This would delete /)
    expect(await run(words, about, { yes: '' })).toMatchObject({ isSame: false, error: undefined })
  })
})

describe('a command that changes much', () => {
  it.each(Object.entries(asks))('%s', async (words, about) => {
    const declined = await run(words, about, {}, 'no')
    expect(declined).toMatchObject({ isSame: true, error: 'nothing was changed' })
    expect(declined.asked).toHaveLength(1)
    const shown = await run(words, about, { 'dry-run': '' }, 'no')
    expect(shown).toMatchObject({ isSame: true, error: undefined, asked: [] })
    expect(shown.out).toMatch(/^This would /)
    // A script has said what it means.
    expect(await run(words, about, {})).toMatchObject({ isSame: false, error: undefined })
    expect(await run(words, about, { yes: '' }, 'no')).toMatchObject({ isSame: false, asked: [] })
  })
})

it.each(Object.entries(dry))('%s changes nothing with --dry-run', async (words, about) => {
  const shown = await run(words, about, { 'dry-run': '' })
  expect(shown).toMatchObject({ isSame: true, error: undefined })
  expect(shown.out).not.toBe('')
})
