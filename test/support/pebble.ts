import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { selfSignedCertificate } from '../../src/node/self-signed.js'
import { freePort } from './process.js'
import { programPath } from './programs.js'

/** A certificate authority that speaks ACME: Debian's package `pebble`. */
export interface Pebble {
  directoryUrl: string
  /** A file with the certificate of the authority's own address, for `NODE_EXTRA_CA_CERTS`. */
  caFile: string
  /** The root certificate that clients must trust. */
  root: string
  /** Serial numbers of what it has issued, oldest first, in lower-case hex. */
  issued(): string[]
  /** Its output. */
  output(): string
}

interface Settings {
  /** The ports that it checks for HTTP-01 and for TLS-ALPN-01. */
  httpPort: number
  tlsPort: number
  /** The validity of its certificates, in seconds. */
  validitySeconds?: number
}

/** False if every engine is required, as in `.ci/run`: then Pebble is required too. */
export const pebbleMissing =
  !programPath('pebble') && process.env.TEST_ALL === undefined
    ? 'the package pebble is not installed'
    : undefined

function run(command: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = new Promise(done => child.once('exit', done).once('error', done))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (output += data))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exit
  })
  return () => output
}

const fetched = (url: string, ca: string): Promise<string> =>
  new Promise((resolve, reject) => {
    get(url, { ca }, answer => {
      let text = ''
      answer.on('data', data => (text += data)).on('end', () => resolve(text))
    }).on('error', reject)
  })

/** Starts Pebble, with a DNS server that resolves every name to this machine. */
export async function startPebble({ httpPort, tlsPort, validitySeconds }: Settings): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-pebble-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [port, management, dns, dnsManagement] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const { pem } = await selfSignedCertificate(['localhost'], Date.now())
  const own = join(folder, 'own.pem')
  writeFileSync(own, pem)
  writeFileSync(
    join(folder, 'pebble.json'),
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate: own,
        privateKey: own,
        httpPort,
        tlsPort,
        ...(validitySeconds === undefined ? {} : { certificateValidityPeriod: validitySeconds }),
      },
    }),
  )
  const off = (name: string) => [`-${name}`, '']
  run(
    'pebble-challtestsrv',
    [
      ...[
        '-defaultIPv4',
        '127.0.0.1',
        '-dns01',
        `127.0.0.1:${dns}`,
        '-management',
        `127.0.0.1:${dnsManagement}`,
      ],
      ...['defaultIPv6', 'http01', 'https01', 'tlsalpn01'].flatMap(off),
    ],
    {},
  )
  const output = run(
    'pebble',
    ['-config', join(folder, 'pebble.json'), '-dnsserver', `127.0.0.1:${dns}`],
    // Every order needs its challenges, and one nonce in five is refused.
    { PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0', PEBBLE_WFE_NONCEREJECT: '20' },
  )
  const until = Date.now() + 20_000
  for (;;) {
    const root = await fetched(`https://127.0.0.1:${management}/roots/0`, pem).catch(() => undefined)
    if (root?.includes('BEGIN CERTIFICATE'))
      return {
        directoryUrl: `https://127.0.0.1:${port}/dir`,
        caFile: own,
        root,
        issued: () =>
          [...output().matchAll(/Issued certificate serial ([0-9a-f]+)/g)].map(([, serial = '']) => serial),
        output,
      }
    if (Date.now() > until) throw new Error(`pebble does not answer: ${output()}`)
    await sleep(50)
  }
}
