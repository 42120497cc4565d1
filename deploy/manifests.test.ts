import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig, settings } from '../platform/config/read-config.ts'

const checkout = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')

/** A resource of Kubernetes. Its schema is checked here, so that the other tests can trust its shape. */
// biome-ignore lint/suspicious/noExplicitAny: documents of many kinds
type Resource = any

const manifests = globSync('kubernetes/*/*.yaml', { cwd: import.meta.dirname })
  .filter(path => !path.endsWith('kustomization.yaml'))
  .flatMap(path =>
    parseAllDocuments(read(path)).map(document => ({ path, resource: document.toJS() as Resource })),
  )
const resources = manifests.map(({ resource }) => resource)
const ofKind = (kind: string): Resource[] => resources.filter(resource => resource.kind === kind)
const workloads = [...ofKind('Deployment'), ...ofKind('Job')]
const podOf = (workload: Resource) => workload.spec.template.spec
const compose: Resource = parse(read('compose.yaml'), { merge: true })
const ownServices = Object.entries<Resource>(compose.services).filter(([, { image }]) =>
  image.startsWith('rubicon:'),
)
const units = globSync('systemd/*.service', { cwd: import.meta.dirname })

/** The name of a package module for a kind: `apps/v1` of `kubernetes-models`. */
function moduleOf({ apiVersion, kind }: Resource): string {
  const [group = '', version] = apiVersion.split('/')
  return ['kubernetes-models', ...(version ? [group, version] : [group]), kind].join('/')
}

test.each(manifests.map(({ path, resource }) => [path, resource.kind, resource]))(
  '%s: %s fits the schema of Kubernetes',
  async (_path, kind, resource) => {
    const { [kind]: Model } = await import(moduleOf(resource))
    expect(() => new Model(resource).validate()).not.toThrow()
  },
)

test('no resource has a field that Kubernetes does not know', () => {
  expect(faultsOfTypes(resources)).toBe('')
  const [deployment] = structuredClone(ofKind('Deployment'))
  podOf(deployment).containers[0].readinesProbe = { periodSeconds: 1 }
  expect(faultsOfTypes([deployment])).toContain('readinesProbe')
}, 120_000)

/** Returns the compiler's errors for resources as literals: unlike the schemas, types refuse unknown fields. */
function faultsOfTypes(all: Resource[]): string {
  const folder = mkdtempSync(join(checkout, 'node_modules/.manifests-'))
  try {
    const lines = all.map(resource => {
      const type = `import('${moduleOf(resource)}').I${resource.kind}`
      return `export const ${resource.kind}${Math.random().toString(36).slice(2)}: ${type} = ${JSON.stringify(resource)}`
    })
    writeFileSync(join(folder, 'resources.ts'), lines.join('\n'))
    const options =
      '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2024 --types'.split(' ')
    execFileSync('npx', ['tsc', ...options, '', join(folder, 'resources.ts')], {
      cwd: checkout,
      encoding: 'utf8',
    })
    return ''
  } catch (error) {
    return (error as { stdout: string }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('each kustomization lists the files beside it', () => {
  for (const name of ['base', 'example']) {
    const { resources: listed } = parse(read(`kubernetes/${name}/kustomization.yaml`))
    const beside = manifests
      .filter(({ path }) => path.startsWith(`kubernetes/${name}/`))
      .map(({ path }) => path)
    const own = listed.filter((file: string) => !file.startsWith('../'))
    expect(own.toSorted()).toEqual([...new Set(beside.map(path => path.split('/')[2]))].toSorted())
  }
})

test('references between resources lead to resources', () => {
  const labels = new Map(
    workloads.map(({ metadata, spec }) => [metadata.name, spec.template.metadata.labels]),
  )
  const selects = (selector: Record<string, string>) =>
    [...labels.values()].some(all => Object.entries(selector).every(([name, value]) => all[name] === value))
  for (const { spec } of ofKind('Service')) expect(selects(spec.selector), JSON.stringify(spec)).toBe(true)
  for (const { spec } of ofKind('PodDisruptionBudget')) expect(selects(spec.selector.matchLabels)).toBe(true)
  for (const { spec } of ofKind('NetworkPolicy')) expect(selects(spec.podSelector.matchLabels)).toBe(true)
  for (const { spec } of ofKind('HorizontalPodAutoscaler'))
    expect(labels.has(spec.scaleTargetRef.name)).toBe(true)
  const services = ofKind('Service').map(({ metadata }) => metadata.name)
  expect(services).toContain(new URL(settingsOfBase.CONTROL_URL!).hostname)
  const [{ spec: ingress }] = ofKind('Ingress')
  expect(services).toContain(ingress.rules[0].http.paths[0].backend.service.name)
})

const settingsOfBase = valuesOf(read('kubernetes/base/settings.env').trim().split('\n'))
const settingsOfExample = valuesOf(
  parse(read('kubernetes/example/kustomization.yaml')).configMapGenerator[0].literals,
)
const variables = new Set(Object.values(settings).map(({ env }) => env))

function valuesOf(lines: string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

/** The variables that a file in the format of `.env` sets. */
function variablesIn(path: string): string[] {
  return Array.from(read(path).matchAll(/^([A-Z_]+)=/gm), ([, name]) => name!)
}

/** What an operator sets in compose's `.env` or in the secret of Kubernetes. */
const secrets = {
  DATABASE_URL: 'postgres://rubicon:password@postgres:5432/rubicon',
  REDIS_URL: 'redis://:password@redis:6379',
  MASTER_KEYS: `1=${Buffer.alloc(32, 7).toString('base64')}`,
  KEY_PEPPER: 'a'.repeat(64),
  SUBGRAPH_SECRET: 'b'.repeat(64),
  SMTP_URL: 'smtps://user:password@mail.example.com',
  MAIL_FROM: 'Rubicon <alerts@example.com>',
}

test('settings of Kubernetes and compose are complete for production, and have no secrets', () => {
  const ofCompose = ownServices.map(([, { environment }]) =>
    Object.fromEntries(
      Object.entries<string>(environment).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{\w+[^}]*\}/g, 'x'),
      ]),
    ),
  )
  const all = [
    { ...settingsOfBase, ...settingsOfExample },
    ...ofCompose.map(env => ({ NODE_ENV: 'production', ...env })),
  ]
  for (const env of all) {
    expect(Object.keys(env).filter(name => !variables.has(name))).toEqual([])
    expect(() => readConfig({ ...secrets, ...env })).not.toThrow()
    expect(Object.keys(env).filter(name => /PEPPER|MASTER|SECRET|API_KEY/.test(name))).toEqual([])
  }
  expect(ofKind('Secret')).toEqual([])
  for (const workload of workloads)
    expect(podOf(workload).containers[0].envFrom).toContainEqual({ secretRef: { name: 'rubicon-secrets' } })

  const ofOperator = [...variablesIn('.env.example'), 'DATABASE_URL', 'REDIS_URL']
  expect(ofOperator).toEqual(expect.arrayContaining(Object.keys(secrets)))
  const ownOfCompose = ['RUBICON_HOST', 'POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'VENDOR_A_API_KEY']
  expect(ofOperator.filter(name => !variables.has(name))).toEqual(ownOfCompose)
})

test('pods run without privileges on a read-only file system, with probes of the ports that are set', () => {
  const portOf: Record<string, string | undefined> = {
    'rubicon-edge': settingsOfBase.HEALTH_PORT,
    'rubicon-control': settingsOfBase.CONTROL_HEALTH_PORT,
    'rubicon-worker': settings.workerPort.default,
  }
  for (const workload of workloads) {
    const pod = podOf(workload)
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    })
    const [container] = pod.containers
    expect(container).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      resources: {
        requests: { cpu: expect.anything(), memory: expect.anything() },
        limits: { memory: expect.anything() },
      },
    })
    if (workload.kind === 'Job') continue
    for (const [probe, path] of [
      ['startupProbe', '/readyz'],
      ['readinessProbe', '/readyz'],
      ['livenessProbe', '/healthz'],
    ] as const) {
      const { httpGet } = container[probe]
      expect(httpGet.path).toBe(path)
      const { containerPort } = container.ports.find((port: Resource) => port.name === httpGet.port)
      expect(String(containerPort)).toBe(portOf[workload.metadata.name])
    }
  }
  for (const [name, service] of ownServices)
    expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'], init: true })
  expect(read('Dockerfile')).toMatch(/^USER 1000:1000$/m)
})

/** The time in which a process closes after its requests have ended, in milliseconds (platform/process/run-main.ts). */
const closingMs = { edge: 10_000, other: 5_000 }

test('processes have the time to drain before they are killed', () => {
  const drainMs = (env: Record<string, string>) => {
    const { drainDelayMs, shutdownGraceMs } = readConfig(env)
    return drainDelayMs + shutdownGraceMs
  }
  const needed = (name: string, env: Record<string, string>) =>
    drainMs(env) + (name.includes('edge') ? closingMs.edge : closingMs.other)
  const inKubernetes = {
    DRAIN_DELAY_MS: settingsOfBase.DRAIN_DELAY_MS!,
    SHUTDOWN_GRACE_MS: settingsOfBase.SHUTDOWN_GRACE_MS!,
  }
  for (const deployment of ofKind('Deployment')) {
    const { terminationGracePeriodSeconds, containers } = podOf(deployment)
    const stopMs = 1_000 * (containers[0].lifecycle?.preStop.sleep.seconds ?? 0)
    expect(1_000 * terminationGracePeriodSeconds - stopMs).toBeGreaterThanOrEqual(
      needed(deployment.metadata.name, inKubernetes),
    )
    const { periodSeconds, failureThreshold } = containers[0].readinessProbe
    expect(1_000 * periodSeconds * failureThreshold).toBeLessThan(Number(inKubernetes.DRAIN_DELAY_MS))
  }
  for (const [name, { stop_grace_period }] of ownServices)
    expect(1_000 * Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(
      name === 'migrate' ? 0 : needed(name, {}),
    )
  for (const path of units.filter(unit => !unit.includes('migrate')))
    expect(1_000 * Number(/^TimeoutStopSec=(\d+)$/m.exec(read(path))?.[1])).toBeGreaterThanOrEqual(
      needed(path, {}),
    )
})

test('every command runs an entry file of the repository', () => {
  const ofPods = workloads.map(workload => podOf(workload).containers[0].command)
  const ofServices = ownServices.map(([, { command }]) => command)
  const texts = [...ofPods, ...ofServices].map(String).concat(units.map(read), read('Dockerfile'))
  for (const text of texts) {
    const entries = Array.from(text.matchAll(/dist\/([\w/-]+)\.js/g), ([, entry]) => `${entry}.ts`)
    expect(entries.length).toBeGreaterThan(0)
    expect(entries.filter(entry => !existsSync(join(checkout, entry)))).toEqual([])
  }
})

test('images name no registry, and the Node of the image is the one of the repository', () => {
  const ofCompose = Object.values<Resource>(compose.services).map(({ image }) => image)
  const bases = Array.from(read('Dockerfile').matchAll(/^FROM (\S+)/gm), ([, image]) => image!)
  const ofPods = workloads.map(workload => podOf(workload).containers[0].image)
  for (const image of [...ofCompose, ...bases, ...ofPods]) expect(image).toMatch(/^[a-z]+(:\S+)?$/)
  const version = readFileSync(join(checkout, '.nvmrc'), 'utf8').trim()
  expect(new Set(bases)).toEqual(new Set([`node:${version}-bookworm-slim`]))
})

test('the proxies wait for models as long as the edge, and limit no body, so that the edge refuses', () => {
  const { totalTimeoutMs } = readConfig({})
  const nginx = read('nginx.conf.template')
  const [{ metadata }] = ofKind('Ingress')
  const ingress = (name: string) => metadata.annotations[`nginx.ingress.kubernetes.io/${name}`]
  const timeouts = [/proxy_read_timeout (\d+)s/.exec(nginx)?.[1], ingress('proxy-read-timeout')]
  for (const seconds of timeouts) expect(1_000 * Number(seconds)).toBeGreaterThanOrEqual(totalTimeoutMs)
  const sizes = [/client_max_body_size (\w+)/.exec(nginx)?.[1], ingress('proxy-body-size')]
  expect(sizes).toEqual(['0', '0'])
  expect([/proxy_buffering (\w+)/.exec(nginx)?.[1], ingress('proxy-buffering')]).toEqual(['off', 'off'])
})
