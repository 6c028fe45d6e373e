import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { parseConfig } from '../../src/config.js'
import { installedPackages } from '../support/installed.js'

const chart = 'deploy/helm/slugline'
const read = (path: string) => readFileSync(path, 'utf8')
const values = parse(read(`${chart}/values.yaml`))

const cache = mkdtempSync(join(tmpdir(), 'slugline-go-'))
afterAll(() => rmSync(cache, { recursive: true, force: true }))

/** The chart as the engine of Helm's templates renders it. It is no `helm lint`. */
function rendered(given: object) {
  return spawnSync('go', ['run', 'test/tools/helm/main.go', chart, JSON.stringify(given)], {
    encoding: 'utf8',
    env: { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: cache },
  })
}

const image = { repository: 'registry.example.com/slugline' }
const first = rendered({ image })
const hasEngine = !first.error && !/cannot find package/.test(first.stderr)

const several = {
  ...{ image, replicas: 3, existingSecret: 'secrets' },
  config: {
    db_driver: 'postgres',
    db_url: 'db:5432',
    db_password: '${DB_PASSWORD}',
    app_secret: '${APP_SECRET}',
  },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'certificate', annotations: { a: 'b' } },
  networkPolicy: { enabled: true, from: [{ namespaceSelector: {} }] },
  resources: { limits: { memory: '512Mi' } },
}

function documents({ status, stdout, stderr }: ReturnType<typeof rendered>) {
  expect([status, stderr]).toEqual([0, ''])
  const all = parseAllDocuments(stdout) as Exclude<ReturnType<typeof parseAllDocuments>, { empty: true }>
  expect(all.flatMap(one => one.errors)).toEqual([])
  const values = all.map(one => one.toJS()).filter(Boolean)
  return Object.fromEntries(values.map(value => [value.kind, value]))
}

it('the chart has the version of the service, and a configuration that it takes', () => {
  const { version } = JSON.parse(read('package.json'))
  expect(parse(read(`${chart}/Chart.yaml`))).toMatchObject({ version, appVersion: version })
  expect(parseConfig(values.config, {}).unknown).toEqual([])
})

it.runIf(hasEngine)('one instance with SQLite: a volume, no root, a root that cannot be written', () => {
  const { StatefulSet, Service, ConfigMap, ...more } = documents(first)
  expect(more).toEqual({})
  const { config } = parseConfig(JSON.parse(ConfigMap.data['cms.config.json']), {})
  expect([config.port, config.db_driver]).toEqual([':8080', 'sqlite'])
  const { spec } = StatefulSet.spec.template
  const [container] = spec.containers
  const { version } = JSON.parse(read('package.json'))
  expect(container).toMatchObject({
    image: `${image.repository}:${version}`,
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
    ports: [{ name: 'http', containerPort: 8080 }],
    livenessProbe: { httpGet: { path: '/api/v1/health/live', port: 'http' } },
    readinessProbe: { httpGet: { path: '/api/v1/health/ready', port: 'http' } },
  })
  expect(container.envFrom).toBeUndefined()
  expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 })
  // More than two checks of the readiness pass while a stopping instance still answers.
  const { stop_delay_seconds } = values.config
  expect(stop_delay_seconds).toBeGreaterThan(2 * container.readinessProbe.periodSeconds)
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(stop_delay_seconds)
  const claims = StatefulSet.spec.volumeClaimTemplates.map((claim: { metadata: object }) => claim.metadata)
  const volumes = [...spec.volumes, ...claims].map(({ name }) => name)
  const mounts = container.volumeMounts.map(({ name }: { name: string }) => name)
  expect(volumes.toSorted()).toEqual(mounts.toSorted())
  expect(StatefulSet.spec.template.metadata.labels).toMatchObject(StatefulSet.spec.selector.matchLabels)
  expect(Service.spec.selector).toEqual(StatefulSet.spec.selector.matchLabels)
})

it.runIf(hasEngine)('several instances on a server, with everything that is optional', () => {
  const { StatefulSet, Service, Ingress, NetworkPolicy, ConfigMap } = documents(rendered(several))
  expect(JSON.parse(ConfigMap.data['cms.config.json'])).toMatchObject(several.config)
  expect(StatefulSet.spec.replicas).toBe(3)
  expect(StatefulSet.spec.template.spec.containers[0]).toMatchObject({
    envFrom: [{ secretRef: { name: 'secrets' } }],
    resources: several.resources,
  })
  const [{ host, http }] = Ingress.spec.rules
  expect(Ingress.spec.tls).toEqual([{ hosts: [host], secretName: 'certificate' }])
  expect(http.paths[0].backend.service.name).toBe(Service.metadata.name)
  expect(NetworkPolicy.spec.ingress).toEqual([
    { ports: [{ port: 'http' }], from: several.networkPolicy.from },
  ])
})

it.runIf(hasEngine).each([
  ['several replicas need PostgreSQL', { image, replicas: 2 }],
  ['need one config.app_secret', { image, replicas: 2, config: { db_driver: 'mysql' } }],
  ['image.repository', {}],
])('refuses with "%s"', (message, given) => {
  const { status, stderr } = rendered(given)
  expect(status).not.toBe(0)
  expect(stderr).toContain(message)
})

it.runIf(hasEngine)('everything is as the schemas of Kubernetes have it', async () => {
  const folder = await installedPackages('test/chart-schemas', 'chart-schemas')
  const schemas = createRequire(join(folder, 'package.json'))
  const check = (value: { apiVersion: string; kind: string }) => {
    const { [value.kind]: Kind } = schemas(`kubernetes-models/${value.apiVersion}`)
    new Kind(value).validate()
  }
  const all = Object.values<{ apiVersion: string; kind: string }>(documents(rendered(several)))
  expect(all).toHaveLength(5)
  for (const one of all) {
    expect(() => check(one)).not.toThrow()
    const broken = { ...one, metadata: 1 }
    expect(() => check(broken)).toThrow()
  }
})
