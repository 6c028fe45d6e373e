import { describe, expect, it } from 'vitest'
import { tables } from '../../src/db/tables.js'
import { type TestApp, testApp } from '../support/app.js'
import { uploader } from '../support/media.js'
import { sampleOf } from '../support/ssh-sample.js'
import { type Client, goTo, openPage, openScreens } from '../support/ssh-screens.js'
import { testStorage } from '../support/storage.js'

/** Two people in one form: nobody's words are written over by who has not seen them. */

const nothing = 'There is nothing to save.'
const others = 'Other changes were saved meanwhile'
const both = 'Somebody else changed these fields'

/** What is stored of an entry, by the names of the fields; empty where there is no value. */
async function storedOf({ db }: TestApp, content_data_id: string): Promise<Record<string, string>> {
  const values = await db.findAll(tables.contentFields, { content_data_id })
  const fields = await db.findAll(tables.fields, {})
  return Object.fromEntries(
    fields.map(({ name, field_id }) => [
      name,
      values.find(value => value.field_id === field_id)?.field_value ?? '',
    ]),
  )
}

const line = (text: string) => (client: Client) => {
  client.press('enter', 'ctrl+u')
  client.type(text)
  client.press('enter')
}
/** Puts a text in place of what the editor shows. */
const long = (text: string) => (client: Client) => {
  client.press('enter')
  client.type('\x1b[1;5F')
  for (let i = 0; i < 40; i++) client.press('backspace')
  client.type(text)
  client.press('ctrl+s')
}
const pick = (text: string) => (client: Client) => {
  client.press('enter')
  client.type(text)
  client.press('enter')
}

interface Ids {
  readonly section: string
  readonly media: readonly [string, string]
}

interface Typed {
  readonly name: string
  type(client: Client): void
  /** What is stored after it was typed, and what somebody else stores. */
  readonly mine: string | ((ids: Ids) => string)
  readonly theirs: string | ((ids: Ids) => string)
  /** What is stored before both of them; nothing where it is left out. */
  readonly first?: string
}

/** The fields of the sample in their order, one of each type. */
const fields: readonly Typed[] = [
  { name: 'title', type: line('Mine'), mine: 'Mine', theirs: 'Theirs' },
  { name: 'text', type: long('<p>Mine</p>'), mine: '<p>Mine</p>', theirs: '<p>Theirs</p>' },
  { name: 'summary', type: long('Mine'), mine: 'Mine', theirs: 'Theirs\nin two lines' },
  { name: 'rating', type: line('1'), mine: '1', theirs: '2' },
  { name: 'since', type: line('2001-01-01'), mine: '2001-01-01', theirs: '2002-02-02' },
  {
    name: 'opens',
    type: line('2027-01-01T01:00'),
    mine: '2027-01-01T01:00:00Z',
    // Its seconds are in no form.
    theirs: '2028-02-02T02:00:02Z',
  },
  { name: 'open', type: client => client.press(' '), mine: 'false', theirs: 'false', first: 'true' },
  { name: 'kind', type: pick('office'), mine: 'office', theirs: '', first: 'shop' },
  { name: 'key', type: line('mine'), mine: 'mine', theirs: 'theirs' },
  { name: 'eMail', type: line('mine@example.com'), mine: 'mine@example.com', theirs: 'theirs@example.com' },
  {
    name: 'related',
    type(client) {
      client.press('enter')
      client.type('contact')
      client.press('tab', 'enter')
    },
    mine: ({ section }) => JSON.stringify([section]),
    theirs: ({ section }) => JSON.stringify([section, section]),
  },
  {
    name: 'site',
    type: line('https://mine.example/'),
    mine: 'https://mine.example/',
    theirs: 'https://theirs.example/',
  },
  { name: 'picture', type: pick('mine'), mine: ({ media }) => media[0], theirs: ({ media }) => media[1] },
  { name: 'extra', type: long('{"mine": 1}'), mine: '{"mine": 1}', theirs: '{"theirs": 2}' },
]

const at = (client: Client, index: number) =>
  client.press('home', ...Array.from({ length: index }, () => 'down'))

async function opened() {
  const storage = await testStorage()
  const app = await testApp({ ...storage.config, i18n_enabled: true })
  const { root } = await sampleOf(app)
  const upload = uploader(app)
  const [mine, theirs] = [await upload('mine.txt', 'mine'), await upload('theirs.txt', 'theirs')]
  const entries = (await app.call('GET', '/api/v1/content?limit=100')).body as {
    content_data_id: string
    sort_order: number
    parent_id: string | null
  }[]
  const contact = entries
    .filter(({ parent_id }) => parent_id === root)
    .toSorted((a, b) => a.sort_order - b.sort_order)[1]
  const ids: Ids = {
    section: contact?.content_data_id ?? '',
    media: [mine.body.media_id, theirs.body.media_id],
  }
  const client = await openScreens(app)
  await openPage(client, 'entry')
  await client.misses('… Administrator')
  return {
    app,
    client,
    textOf: (value: Typed['mine']) => (typeof value === 'string' ? value : value(ids)),
    stored: () => storedOf(app, root),
    /** Somebody else saves, by the API. */
    async theirs(values: Record<string, string>) {
      const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value || null]))
      const { status, text } = await app.call('PUT', `/api/v1/content?q=${root}`, { body: { fields: given } })
      expect([status, text]).toEqual([200, text])
    },
    events: async () => (await app.audits()).length,
  }
}

describe.each(fields)('a field of an entry: $name', ({ name, type, mine, theirs, first = '' }) => {
  const index = fields.findIndex(field => field.name === name)
  const other = name === 'title' ? 'key' : 'title'
  const otherAt = fields.findIndex(field => field.name === other)

  it('stays as somebody else has saved it while nothing is typed, or something else', async () => {
    const { client, stored, textOf, theirs: save, events } = await opened()
    const value = textOf(theirs)
    await save({ [name]: value })
    const before = await events()
    client.press('ctrl+s')
    await client.sees(nothing)
    expect((await stored())[name]).toBe(value)
    expect(await events()).toBe(before)
    await save({ [name]: first })
    at(client, otherAt)
    line('other')(client)
    client.press('ctrl+s')
    await client.sees(others)
    expect(await stored()).toMatchObject({ [name]: first })
    client.press('ctrl+s')
    await client.sees('Saved.')
    expect(await stored()).toMatchObject({ [name]: first, [other]: 'other' })
  })

  it('is saved as it was typed beside what somebody else has saved, and asked about where both have written it', async () => {
    const { client, stored, textOf, theirs: save } = await opened()
    const [own, value] = [textOf(mine), textOf(theirs)]
    at(client, index)
    type(client)
    await client.sees(/\* /)
    await save({ [other]: 'other' })
    client.press('ctrl+s')
    await client.sees(others)
    client.press('ctrl+s')
    await client.sees('Saved.')
    expect(await stored()).toMatchObject({ [name]: own, [other]: 'other' })

    // Both the same field, once for each way out.
    for (const [key, kept] of [
      ['t', value],
      ['m', own],
    ] as const) {
      await save({ [name]: first })
      client.press('ctrl+s')
      await client.sees(nothing)
      await client.misses('… Administrator')
      at(client, index)
      type(client)
      await client.sees(/\* /)
      await save({ [name]: value })
      client.press('ctrl+s')
      if (own === value) {
        // Both have turned the switch the same way.
        await client.sees(others)
        continue
      }
      await client.sees(both)
      expect((await stored())[name]).toBe(value)
      client.press(key, 'enter')
      await client.sees('Accepted.')
      client.press('ctrl+s')
      await client.sees(kept === value ? nothing : 'Saved.')
      expect((await stored())[name]).toBe(kept)
    }
  })
})

describe('T1, T2: a text that both have changed', () => {
  it('has both changes where they are of different lines, and is shown before it is saved', async () => {
    const { client, stored, theirs } = await opened()
    await theirs({ summary: 'one\ntwo\nthree\nfour' })
    client.press('ctrl+s')
    await client.sees('one')
    at(client, 2)
    client.press('enter')
    client.type('My ')
    client.press('ctrl+s')
    await client.sees('* Summary')
    await theirs({ summary: 'one\ntwo\nthree\ntheir four' })
    client.press('ctrl+s')
    const seen = await client.sees(both)
    expect(seen).toMatch(/\[ \] yours +\[ \] theirs/)
    expect(seen).toMatch(/\+ My one/)
    expect(seen).toMatch(/\+ their four/)
    expect(seen).toMatch(/\[x\] both, merged/)
    client.press('enter')
    await client.sees('Accepted.')
    expect((await stored()).summary).toBe('one\ntwo\nthree\ntheir four')
    client.press('ctrl+s')
    await client.sees('Saved.')
    expect((await stored()).summary).toBe('My one\ntwo\nthree\ntheir four')
  })

  it('is kept twice, or written anew, where they have changed the same line', async () => {
    const { client, stored, theirs } = await opened()
    line('Mine')(client)
    await client.sees('* Title')
    await theirs({ title: 'Theirs' })
    client.press('ctrl+s')
    await client.sees(/\[x\] yours +\[ \] theirs/)
    expect(client.text()).toContain('[ ] both, theirs first')
    // The chosen value in turn.
    client.press('b')
    await client.sees(/\[x\] both, theirs first\n +Theirs Mine/)
    client.press(' ')
    await client.sees('[x] yours')
    client.press('left', 'e')
    await client.sees('back to the form')
    client.type('In\rtwo lines: ')
    client.press('ctrl+s')
    // The field has one line.
    await client.sees(/\[x\] your own words\n +In two lines: Theirs Mine/)
    client.press('enter')
    await client.sees('Accepted.')
    client.press('ctrl+s')
    await client.sees('Saved.')
    expect((await stored()).title).toBe('In two lines: Theirs Mine')
  })

  it('is chosen in a small window, where the marked field is in view', async () => {
    const { client, theirs } = await opened()
    client.resize(40, 12)
    for (const [i, text] of ['title', 'text', 'summary'].entries()) {
      at(client, i)
      ;(text === 'title' ? line('Mine') : long('Mine'))(client)
    }
    await client.sees('* Summary')
    await theirs({ title: 'Theirs', text: '<p>Theirs</p>', summary: 'Theirs' })
    client.press('ctrl+s')
    await client.sees(/Title\n \[x\] yours/)
    client.press('down', 'down', ' ')
    await client.sees(/Summary\n \[ \] yours[\s\S]*\[x\] theirs/)
  })
})

describe('what was opened and closed between typing and saving', () => {
  it.each<[string, (client: Client) => Promise<unknown>]>([
    [
      'the long editor, and back',
      async client => {
        at(client, 2)
        client.press('enter')
        await client.sees('back to the form')
        client.press('escape')
        await client.misses('back to the form')
      },
    ],
    [
      'the long editor, and kept',
      async client => {
        at(client, 2)
        client.press('enter')
        await client.sees('back to the form')
        client.type('Typed. ')
        client.press('ctrl+s')
        await client.sees('* Summary')
      },
    ],
    [
      'a picker',
      async client => {
        at(client, 10)
        client.press('enter')
        await client.sees('Search')
        client.press('escape')
        await client.misses('Search')
      },
    ],
    [
      'versions',
      async client => {
        client.press('v')
        await client.sees('› Versions')
        client.press('q')
        await client.misses('› Versions')
      },
    ],
    [
      'unpublished changes',
      async client => {
        client.press('c')
        await client.sees('Not published yet')
        client.press('q')
        await client.misses('Not published yet')
      },
    ],
    [
      'the comments',
      async client => {
        client.press('m')
        await client.sees('No comments yet.')
        client.press('q')
        await client.misses('No comments yet.')
      },
    ],
    [
      'the languages',
      async client => {
        client.press('l')
        await client.sees('All languages')
        client.press('escape')
        await client.misses('All languages')
      },
    ],
    [
      'the schedule',
      async client => {
        client.press('P')
        await client.sees('Public from')
        client.press('q')
        await client.misses('Public from')
      },
    ],
    [
      'another screen',
      async client => {
        await goTo(client, 'people', 'editor@example.com')
        client.press('q')
        await client.misses('editor@example.com')
      },
    ],
    [
      'the question about leaving',
      async client => {
        client.press('q')
        await client.sees('leave without saving')
        client.press('n')
        await client.misses('leave without saving')
      },
    ],
  ])('%s', async (_name, between) => {
    const { client, stored, theirs } = await opened()
    line('Mine')(client)
    await client.sees('* Title')
    await theirs({ title: 'Theirs' })
    await between(client)
    await client.misses('… Administrator')
    await client.sees('* Title')
    client.press('ctrl+s')
    await client.sees(both)
    expect((await stored()).title).toBe('Theirs')
    // Who goes back from the question is asked again.
    client.press('escape')
    await client.misses(both)
    client.press('ctrl+s')
    await client.sees(both)
    expect((await stored()).title).toBe('Theirs')
    client.press('m', 'enter', 'ctrl+s')
    await client.sees('Saved.')
    expect((await stored()).title).toBe('Mine')
  })

  it('a session that ended: nothing of it is stored', async () => {
    const { client, stored, theirs, events } = await opened()
    line('Mine')(client)
    await client.sees('* Title')
    await theirs({ title: 'Theirs' })
    const before = await events()
    client.hangUp()
    client.press('ctrl+s')
    expect((await stored()).title).toBe('Theirs')
    expect(await events()).toBe(before)
  })

  it('a publish in the form: what is typed then is typed into what is public now', async () => {
    const { client, stored } = await opened()
    client.press('p')
    await client.sees('will be public')
    client.press('y')
    await client.sees('is public')
    await client.sees(/Page · published/)
    line('Mine')(client)
    client.press('ctrl+s')
    await client.sees('Saved.')
    expect((await stored()).title).toBe('Mine')
  })
})
