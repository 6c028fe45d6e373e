// Three instances on PostgreSQL by Patroni behind HAProxy (Debian: patroni etcd-server postgresql haproxy libfaketime).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  asUser,
  atEnd,
  databaseBalancer,
  folderFor,
  freePort,
  listens,
  pgPrograms,
  program,
  rowsOf,
  say,
  until,
  writeFor,
} from './programs.mjs'
import { severalInstances } from './several.mjs'

const configuration = ({ name, at, port, rest, etcd }) => `scope: trial
name: ${name}
restapi: { listen: '127.0.0.1:${rest}', connect_address: '127.0.0.1:${rest}' }
etcd3: { host: '127.0.0.1:${etcd}' }
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 5
    retry_timeout: 5
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters: { wal_level: replica, hot_standby: 'on', max_connections: 100, wal_log_hints: 'on', shared_buffers: 64MB }
  initdb: [{ encoding: UTF8 }, { auth-host: trust }, { auth-local: trust }]
postgresql:
  listen: '127.0.0.1:${port}'
  connect_address: '127.0.0.1:${port}'
  data_dir: ${at}/data
  bin_dir: ${pgPrograms()}
  pgpass: ${at}/pgpass
  authentication:
    superuser: { username: postgres, password: x }
    replication: { username: replicator, password: x }
    rewind: { username: rewind, password: x }
  parameters: { unix_socket_directories: '${at}' }
  pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']
`

async function startEtcd() {
  const at = folderFor('postgres', 'etcd')
  const [client, peer] = [await freePort(), await freePort()]
  const [clients, peers] = [client, peer].map(port => `http://127.0.0.1:${port}`)
  const flags = ['--listen-client-urls', clients, '--advertise-client-urls', clients]
  flags.push('--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers)
  flags.push('--initial-cluster', `default=${peers}`, '--data-dir', join(at, 'data'))
  void program('etcd', ...asUser('postgres', 'etcd', ...flags))
  await until('etcd listens', () => listens(client))
  return client
}

async function node(i, etcd) {
  const name = `pg${i}`
  const at = folderFor('postgres', name)
  const self = { name, at, port: await freePort(), rest: await freePort(), etcd }
  const file = join(at, 'patroni.yml')
  writeFor('postgres', file, configuration(self))
  let patroni
  const ask = path =>
    fetch(`http://127.0.0.1:${self.rest}/${path}`, { signal: AbortSignal.timeout(2000) }).then(
      async answer => ({ status: answer.status, json: await answer.json().catch(() => undefined) }),
      () => ({ status: 0 }),
    )
  return {
    ...self,
    start() {
      patroni = program(`patroni-${name}`, ...asUser('postgres', 'patroni', file), { cwd: at })
    },
    isLeader: async () => (await ask('primary')).status === 200,
    members: async () => (await ask('cluster')).json?.members ?? [],
    /** Kills Patroni and the server at one moment, as a machine that fails. */
    async crash() {
      // The postmaster stays when Patroni is killed.
      const postmaster = Number(readFileSync(join(at, 'data/postmaster.pid'), 'utf8').split('\n')[0])
      const ended = patroni?.kill()
      process.kill(postmaster, 'SIGKILL')
      await ended
    },
  }
}

/** Starts the cluster. @returns what `severalInstances` needs of a database */
async function startCluster() {
  const etcd = await startEtcd()
  const nodes = await Promise.all([0, 1, 2].map(i => node(i, etcd)))
  atEnd(async () => {
    for (const one of nodes) await one.crash().catch(() => undefined)
    await sleep(500)
  })
  const leader = async () => {
    for (const one of nodes) if (await one.isLeader()) return one
    return undefined
  }
  const isComplete = async () => {
    const members = (await Promise.all(nodes.map(one => one.members()))).find(list => list.length > 0) ?? []
    const isUp = members.filter(({ state }) => /running|streaming/.test(state)).length === 3
    return isUp && members.some(({ role }) => role === 'sync_standby')
  }
  nodes[0].start()
  await until('Patroni has a leader', leader, { ms: 120_000, every: 500 })
  for (const one of nodes.slice(1)) one.start()
  await until('Patroni has a synchronous standby', isComplete, { ms: 40_000, every: 500 })
  const port = await databaseBalancer([
    'option httpchk GET /primary',
    'http-check expect status 200',
    'default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
    ...nodes.map(one => `server ${one.name} 127.0.0.1:${one.port} check port ${one.rest}`),
  ])
  const db_url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const answers = () =>
    rowsOf(db_url, 'select 1').then(
      () => true,
      () => false,
    )
  await until('the database answers through HAProxy', answers)
  say('Patroni: a leader, a synchronous standby and another one')
  return {
    config: { db_driver: 'postgres', db_url },
    rowsOf: statement => rowsOf(db_url, statement),
    /** Kills the leader; it comes back when another one leads. */
    async killWriter() {
      const dead = await leader()
      if (!dead) throw new Error('no leader')
      await dead.crash()
      say(`the leader ${dead.name} is killed`)
      await until('another leader', async () => ![undefined, dead].includes(await leader()), {
        ms: 120_000,
        every: 200,
      })
      dead.start()
      void until(`${dead.name} is back`, isComplete, { ms: 120_000, every: 500 }).catch(error => say(error))
    },
    isComplete,
  }
}

export const trial = async (judgement, options) =>
  severalInstances(judgement, { ...options, database: await startCluster(), name: 'the leader' })
