// Three instances on MariaDB Galera with one writer behind HAProxy (Debian: mariadb-server galera-4 haproxy libfaketime).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  asUser,
  atEnd,
  databaseBalancer,
  folderFor,
  freePort,
  program,
  run,
  say,
  until,
} from './programs.mjs'
import { severalInstances } from './several.mjs'

const provider = '/usr/lib/galera/libgalera_smm.so'

/** Returns the rows of a statement as lists of texts. */
async function rowsAt(port, statement) {
  const where = ['--no-defaults', '-h', '127.0.0.1', '-P', String(port), '-u', 'root', '-N', '-B']
  const { stdout } = await run('mariadb', [...where, '-e', statement], { timeout: 20_000 })
  return stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map(line => line.split('\t'))
}

async function node(i) {
  const at = folderFor('mysql', `node${i}`)
  await run('mariadb-install-db', [
    ...['--no-defaults', '--user=mysql', `--datadir=${at}/data`, '--skip-test-db'],
    '--auth-root-authentication-method=normal',
  ])
  const [port, group, transfer, state] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const self = {
    ...{ name: `node${i}`, port, group },
    start(groups, isFirst = false) {
      const options = [
        ...['--no-defaults', `--datadir=${at}/data`, `--port=${port}`, '--bind-address=127.0.0.1'],
        ...[`--socket=${at}/socket`, `--pid-file=${at}/pid`, '--innodb-buffer-pool-size=64M'],
        ...['--innodb-flush-log-at-trx-commit=1', '--innodb-autoinc-lock-mode=2', '--binlog-format=ROW'],
        ...['--wsrep-on=ON', `--wsrep-provider=${provider}`, '--wsrep-cluster-name=trial'],
        ...[`--wsrep-cluster-address=gcomm://${isFirst ? '' : groups}`, `--wsrep-node-name=node${i}`],
        // A donor takes no changes meanwhile, so it is the node that writes last.
        ...['--wsrep-node-address=127.0.0.1', '--wsrep-sst-method=rsync', '--wsrep-sst-donor=node2,'],
        `--wsrep-sst-receive-address=127.0.0.1:${state}`,
        `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${group};ist.recv_addr=127.0.0.1:${transfer};gcache.size=64M`,
        ...(isFirst ? ['--wsrep-new-cluster'] : []),
      ]
      void program(self.name, ...asUser('mysql', 'mariadbd', ...options))
    },
    isSynced: () =>
      rowsAt(port, "show status like 'wsrep_local_state_comment'").then(
        ([row]) => row?.[1] === 'Synced',
        () => false,
      ),
    crash: () => process.kill(Number(readFileSync(join(at, 'pid'), 'utf8')), 'SIGKILL'),
  }
  return self
}

const connectionsOfSite = "select count(*) from information_schema.processlist where user = 'cms'"

/** Starts the cluster. @returns what `severalInstances` needs of a database */
async function startCluster() {
  const nodes = []
  for (const i of [0, 1, 2]) nodes.push(await node(i))
  const groups = nodes.map(({ group }) => `127.0.0.1:${group}`).join(',')
  atEnd(() => sleep(200))
  for (const [i, one] of nodes.entries()) {
    one.start(groups, i === 0)
    await until(`${one.name} is synced`, one.isSynced, { ms: 120_000, every: 300 })
  }
  for (const statement of [
    'create database cms',
    "create user cms@'%' identified by 'word'",
    "grant all on cms.* to cms@'%'",
    "create user cms@localhost identified by 'word'",
    'grant all on cms.* to cms@localhost',
    "create user checks@'%'",
    'create user checks@localhost',
  ])
    await rowsAt(nodes[0].port, statement)
  const port = await databaseBalancer([
    'option mysql-check user checks post-41',
    // The writer stays until it fails, and all connections are with it: two writers would not see each other's changes.
    'stick-table type integer size 1',
    'stick on int(1)',
    'default-server check inter 300ms fall 2 rise 2 on-marked-down shutdown-sessions',
    ...nodes.map(({ name, port }, i) => `server ${name} 127.0.0.1:${port}${i > 0 ? ' backup' : ''}`),
  ])
  say('Galera: three nodes, one of which writes')
  const isComplete = async () => (await Promise.all(nodes.map(one => one.isSynced()))).every(Boolean)
  return {
    config: {
      ...{ db_driver: 'mariadb', db_url: `127.0.0.1:${port}`, db_name: 'cms' },
      ...{ db_username: 'cms', db_password: 'word' },
    },
    async rowsOf(statement) {
      for (const one of nodes)
        if (await one.isSynced()) return rowsAt(one.port, `set sql_mode = ansi_quotes; use cms; ${statement}`)
      throw new Error('no node is synced')
    },
    /** Kills the node that the balancer writes to. It comes back after some seconds, and does not write then. */
    async killWriter() {
      const counts = await Promise.all(
        nodes.map(one =>
          rowsAt(one.port, connectionsOfSite).then(
            ([[n]]) => Number(n),
            () => -1,
          ),
        ),
      )
      const dead = nodes[counts.indexOf(Math.max(...counts))]
      dead.crash()
      say(`the writer ${dead.name} is killed; the nodes had ${counts.join(', ')} connections`)
      await until('it is not there', async () => !(await dead.isSynced()))
      void (async () => {
        await sleep(8000)
        dead.start(groups)
      })()
    },
    isComplete,
  }
}

export const trial = async (judgement, options) =>
  severalInstances(judgement, { ...options, database: await startCluster(), name: 'the writer' })
