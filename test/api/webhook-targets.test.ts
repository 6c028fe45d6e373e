import { describe, expect, it } from 'vitest'
import { systemActor } from '../../src/actor.js'
import { tables } from '../../src/db/tables.js'
import { testApp } from '../support/app.js'
import { updated } from '../support/events.js'
import { receiver, testNetwork } from '../support/receiver.js'

const net = testNetwork()
const target = await receiver()
const app = await testApp(
  { webhook_enabled: true, environment: 'production', webhook_allow_http: true },
  { outgoing: net.outgoing },
)
const { call, db, clock } = app
const path = '/api/v1/admin/webhooks'
const given = (url: string) => ({ name: 'x', url, events: ['*'], is_active: true })

for (const [name, addresses] of Object.entries({
  'public.test': ['93.184.216.34', '2606:2800:220:1::1'],
  'private.test': ['10.1.2.3'],
  'half.test': ['93.184.216.34', '127.0.0.1'],
  'mapped.test': ['::ffff:169.254.169.254'],
  'nat64.test': ['64:ff9b::a9fe:a9fe'],
  'isatap.test': ['2606:2800:220:1:0:5efe:192.168.0.1'],
  '127.0.0.1.nip.test': ['127.0.0.1'],
  localhost: ['127.0.0.1'],
  'localhost.': ['127.0.0.1'],
}))
  net.names.set(name, addresses)

/** Loopback, private, link-local, metadata, shared, special, in every spelling that a URL parser or resolver takes. */
const refused = `
127.0.0.1 127.0.0.2 127.255.255.254 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0x7F.0.0.0x1 017700000001 0177.0.0.1
0 0.0.0.0 0.1.2.3 00000.0x0 localhost LOCALHOST LocalHost localhost. a.localhost a.b.LOCALHOST. 127.0.0.1.
[::1] [::] [0:0:0:0:0:0:0:1] [0000::0001] [::ffff:127.0.0.1] [::FFFF:7f00:1] [::ffff:0:127.0.0.1] [::127.0.0.1]
[64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::10.0.0.1] [64:ff9b:1:a00:0:100::] [2002:7f00:1::] [2002:a9fe:a9fe::1]
[2001:0:7f00:1::] [2001:0:5db8:d822:0:0:80ff:fffe] [2606:2800:220:1:0:5efe:7f00:1] [2606:2800:220:1:200:5efe:a00:1]
10.0.0.1 10.255.255.255 012.0.0.1 167772161 172.16.0.1 172.31.255.254 192.168.0.1 3232235521 0xc0a80001
169.254.169.254 169.254.170.2 2852039166 0xa9fea9fe 0251.0376.0251.0376 [::ffff:169.254.169.254] [fd00:ec2::254]
100.64.0.1 100.127.255.254 100.100.100.200 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1
203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16 0xa83f8110 [::ffff:168.63.129.16]
[fe80::1] [fec0::1] [fc00::1] [fdff::1] [ff02::1] [100::1] [2001:db8::1] [3fff::1] [5f00::1] [2001:2::1] [4000::1]
１２７.０.０.１ 127。0。0。1 ⓛⓞⓒⓐⓛⓗⓞⓢⓣ %31%32%37.0.0.1 0x7f.0.0.1:8443 metadata.google.internal metadata metadata.goog
private.test half.test mapped.test nat64.test isatap.test 127.0.0.1.nip.test PRIVATE.test
`
  .trim()
  .split(/\s+/)
  .map(host => `https://${host}/hook`)

/** What no address of a receiver looks like. */
const malformed = [
  'https://good@public.test/',
  'https://good:pass@public.test/',
  'https://good@127.0.0.1/',
  'https://127.0.0.1#@good',
  'https://127.0.0.1\\@public.test/',
  'https://public.test\\@127.0.0.1/',
  'https://pub\tlic.test/',
  'https://public.test/\n',
  ' https://public.test/',
  'https://public.test:0/',
  'https://public.test:65536/',
  'https://',
  'https:///',
  '//public.test/',
  'public.test',
  '',
  'file:///etc/passwd',
  'gopher://public.test/',
  'data:text/plain,x',
  'ftp://public.test/',
  'ws://public.test/',
  'javascript:alert(1)',
  'https://[::1',
  'https://public.test:port/',
]

const { webhook_id } = (await call('POST', path, { body: given('https://public.test/hook') })).body

it('has a table of at least sixty spellings', () => {
  expect(new Set(refused).size).toBeGreaterThanOrEqual(90)
})

it.each([...refused, ...malformed])('refuses %s when it is made, and when it is changed', async url => {
  const dialled = net.dialled.length
  const made = await call('POST', path, { body: given(url) })
  expect([url, made.status, made.body.error]).toEqual([url, 400, expect.stringMatching(/^url: /)])
  const changed = await call('PUT', `${path}/${webhook_id}`, { body: { url } })
  expect([url, changed.status]).toEqual([url, 400])
  expect(net.dialled.length).toBe(dialled)
  expect(await db.count(tables.webhooks)).toBe(1)
  expect((await call('GET', `${path}/${webhook_id}`)).body.url).toBe('https://public.test/hook')
})

/** A webhook that came into the table before there were rules. */
const stored = (url: string) =>
  db.write(systemActor, tx =>
    tx.insert(tables.webhooks, {
      ...given(url),
      secret: 'a secret of sixteen',
      author_id: app.users.admin,
      headers: {},
    }),
  )

it('never calls such an address that is stored already, neither as a test nor as a delivery', async () => {
  await call('PUT', `${path}/${webhook_id}`, { body: { is_active: false } })
  const urls = [...refused, ...malformed.filter(url => url !== '')]
  const ids = new Map<string, string>()
  for (const url of urls) ids.set((await stored(url)).webhook_id, url)
  const from = net.dialled.length
  for (const id of ids.keys()) {
    const { status, body } = await call('POST', `${path}/${id}/test`)
    // A name that does not resolve fails at that.
    if (status === 200)
      expect([ids.get(id), body]).toEqual([
        ids.get(id),
        { status: 'failed', status_code: 0, duration: body.duration },
      ])
    else expect([ids.get(id), status]).toEqual([ids.get(id), 400])
  }
  await db.write(systemActor, tx => tx.emit('content.updated', updated()))
  clock.advance(2000)
  await app.services.delivery.drain()
  const rows = await app.deliveries()
  expect(rows).toHaveLength(urls.length)
  for (const { webhook_id, status, attempts, last_status_code, last_error } of rows)
    expect([ids.get(webhook_id), status, attempts, last_status_code, last_error]).toEqual([
      ids.get(webhook_id),
      'retrying',
      1,
      null,
      expect.stringMatching(/may not reach; nothing was sent|cannot be resolved/),
    ])
  expect(net.dialled.length).toBe(from)
  expect(target.received).toEqual([])
  await db.write(systemActor, async tx => {
    for (const id of ids.keys()) await tx.remove(tables.webhooks, id)
  })
  await call('PUT', `${path}/${webhook_id}`, { body: { is_active: true } })
})

describe('a name', () => {
  const url = () => `http://moving.test:${target.port}/hook`
  const emit = async () => {
    await db.write(systemActor, tx => tx.emit('content.updated', updated()))
    clock.advance(2000)
    await app.services.delivery.drain()
    return (await app.deliveries()).at(-1)
  }

  it('is refused at the attempt when it has turned private since it was saved', async () => {
    net.names.set('moving.test', ['93.184.216.34'])
    expect((await call('PUT', `${path}/${webhook_id}`, { body: { url: url() } })).status).toBe(200)
    expect(await emit()).toMatchObject({ status: 'success', last_status_code: 200 })
    expect(net.dialled.at(-1)).toEqual(['93.184.216.34'])
    const [before, sent] = [net.dialled.length, target.received.length]
    for (const addresses of [
      ['127.0.0.1'],
      ['93.184.216.34', '10.0.0.1'],
      ['::ffff:10.0.0.1'],
      ['169.254.169.254'],
    ]) {
      net.names.set('moving.test', addresses)
      expect(await emit()).toMatchObject({ status: 'retrying', last_status_code: null })
    }
    expect([net.dialled.length, target.received.length]).toEqual([before, sent])
  })

  it('is resolved once in each attempt, and the socket goes to what was judged', async () => {
    net.names.set('moving.test', ['93.184.216.34', '2606:2800:220:1::1'])
    const before = net.resolved.length
    await emit()
    expect(net.resolved.slice(before)).toEqual(['moving.test'])
    expect(net.dialled.at(-1)).toEqual(['93.184.216.34', '2606:2800:220:1::1'])
  })

  it('that does not resolve is taken, and judged when it does', async () => {
    const body = given('https://later.test/')
    const { status } = await call('POST', path, { body: { ...body, is_active: false } })
    expect(status).toBe(201)
  })
})

describe('settings', () => {
  const statusOf = async (settings: object, url: string) => {
    const { call } = await testApp(settings, { outgoing: net.outgoing })
    return (await call('POST', path, { body: given(url) })).status
  }
  const local = { environment: 'local', webhook_allow_http: true }
  it.each([
    ['plain HTTP is refused by default', {}, 'http://public.test/', 400],
    ['plain HTTP passes where it is allowed', { webhook_allow_http: true }, 'http://public.test/', 201],
    ['an upper-case scheme is a scheme', {}, 'HTTPS://PUBLIC.test/x?y=z', 201],
    ['loopback passes locally with plain HTTP', local, 'http://localhost/', 201],
    ['so does its number', local, 'http://127.0.0.1:9/', 201],
    ['mapped too', local, 'http://[::ffff:127.0.0.1]:9/', 201],
    ['not the unspecified address', local, 'http://0.0.0.0/', 400],
    ['nor a private one', local, 'http://10.0.0.1/', 400],
    ['nor without plain HTTP', { environment: 'local' }, 'https://localhost/', 400],
    ['nor in staging', { ...local, environment: 'staging' }, 'http://localhost/', 400],
    ['a listed network passes', { webhook_allowed_networks: ['10.1.0.0/16'] }, 'https://10.1.2.3/', 201],
    ['by name too', { webhook_allowed_networks: ['10.1.2.3'] }, 'https://private.test/', 201],
    ['its neighbour does not', { webhook_allowed_networks: ['10.2.0.0/16'] }, 'https://10.1.2.3/', 400],
    ['a list never opens loopback', { webhook_allowed_networks: ['0.0.0.0/0'] }, 'https://127.0.0.1/', 400],
    ['nor metadata', { webhook_allowed_networks: ['169.254.0.0/16'] }, 'https://169.254.169.254/', 400],
    ['NAT64 of a public address is one', {}, 'https://[64:ff9b::5db8:d822]/', 201],
  ])('%s', async (_, settings, url, expected) => {
    expect(await statusOf(settings, url)).toBe(expected)
  })
})
