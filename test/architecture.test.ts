import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/** Who may import whom. Tests, and the programs that start or observe the whole system, may import everything. */
const mayImport: Record<string, readonly string[] | 'everything'> = {
  schema: [],
  platform: [],
  domain: ['schema', 'platform'],
  upstreams: ['schema', 'platform'],

  // The entry points. None imports another, except the gateway, which runs the subgraphs in its own process.
  subgraphs: ['domain', 'schema', 'platform'],
  gateway: ['subgraphs', 'domain', 'schema', 'platform'],
  'inference-edge': ['upstreams', 'domain', 'schema', 'platform'],
  worker: ['upstreams', 'domain', 'schema', 'platform'],

  operator: ['upstreams', 'domain', 'schema', 'platform'],
  deploy: [],
  // A client of the graph and of /v1: everything that it can do, partners can do too.
  console: [],
  dev: 'everything',
  // A simulator that took our own shapes of a vendor's format could not find them wrong.
  simulators: ['platform'],
  bench: 'everything',
  test: 'everything',
}

/** The ledger is independent: it imports only the context from the domain. */
const ledgerMayImport = ['domain/ledger/', 'domain/context.ts']

/** Within upstreams `call` brings formats, clouds and HTTP together; all of them may import the files at its root. */
const upstreamsMayImport: Record<string, readonly string[]> = {
  call: ['formats', 'clouds', 'http', 'beside'],
  beside: ['formats'],
  clouds: ['http'],
}

/** An entry file, SYSTEM/main.ts, puts a process together: it passes in what the rest of its system must not know. */
const entryMayImport = ['upstreams']

/** Here the files at a folder's root both build on its subfolders and declare what those share. */
const sharesItsRoot = ['inference-edge', 'simulators/vendors', 'domain/inference']

const longestFileLines = 300
const maxFilesInFolder = 20

const checkout = join(import.meta.dirname, '..')
/** `npm run typecheck` writes the types of the graph here. The file is not committed. */
const generated = 'console/graph/introspection.d.ts'
const files = globSync('**/*.{ts,tsx,mts}', {
  cwd: checkout,
  exclude: ['node_modules', 'dist', '.rubicon', generated],
})
const sources = files.filter(file => file.includes('/'))

test('nobody imports whom they may not', () => {
  expect(sources.flatMap(file => forbiddenImports(file, importsOf(file)))).toEqual([])
})

test('no circle of imports leads out of a folder and back', () => {
  expect(circlesAmong(new Map(sources.map(file => [file, importsOf(file, 'values')])))).toEqual([])
})

test('folders import each other one way only, types included', () => {
  const imports = new Map(sources.filter(file => !isTest(file)).map(file => [file, importsOf(file)]))
  expect(circlesAmong(folderImports(imports))).toEqual([])
})

test('no folder holds a single file and nothing else', () => {
  const all = globSync('**/*', { cwd: checkout, exclude: ['node_modules', 'dist', '.rubicon'] })
  const contents = Map.groupBy(all, path => dirname(path))
  const single = [...contents].filter(([folder, paths]) => folder !== '.' && paths.length === 1)
  expect(single.map(([folder]) => folder)).toEqual([])
})

test(`no file is longer than ${longestFileLines} lines, no folder holds more than ${maxFilesInFolder} files`, () => {
  const code = sources.filter(file => !isTest(file))
  expect(code.filter(file => textOf(file).split('\n').length > longestFileLines)).toEqual([])
  const counts = Object.groupBy(code, file => dirname(file))
  expect(Object.keys(counts).filter(folder => (counts[folder]?.length ?? 0) > maxFilesInFolder)).toEqual([])
})

test('the compiler is not silenced', () => {
  const silencers = /@ts-(ignore|nocheck|expect-error)|biome-ignore\S* lint\/suspicious\/noExplicitAny/
  const code = sources.filter(file => !isTest(file) && systemOf(file) !== 'test')
  expect(code.filter(file => silencers.test(textOf(file)))).toEqual([])
})

test('entry files declare their constants before they wait: what runs meanwhile cannot read later ones', () => {
  const late = /^await [\s\S]*^(?:const|let|class) /m
  expect(sources.filter(file => !isTest(file) && late.test(textOf(file)))).toEqual([])
})

test('the rules refuse what they are there for', () => {
  const refused: [file: string, imported: string][] = [
    ['schema/errors.ts', 'platform/money.ts'],
    ['platform/log.ts', 'schema/errors.ts'],
    ['domain/keys/create-key.ts', 'upstreams/call.ts'],
    ['domain/ledger/settle.ts', 'domain/callers/caller.ts'],
    ['upstreams/call.ts', 'domain/byok/order-credentials.ts'],
    ['upstreams/formats/gemini/adapter.ts', 'upstreams/clouds/vertex.ts'],
    ['upstreams/clouds/bedrock.ts', 'upstreams/formats/anthropic-messages/adapter.ts'],
    ['upstreams/chat-adapter.ts', 'upstreams/http/exchange.ts'],
    ['inference-edge/main.ts', 'gateway/main.ts'],
    ['gateway/main.ts', 'inference-edge/app.ts'],
    ['gateway/start-control.ts', 'upstreams/call.ts'],
    ['subgraphs/byok/byok-resolver.ts', 'upstreams/call.ts'],
    ['worker/main.ts', 'dev/start.ts'],
    ['simulators/vendors/gemini/generate.ts', 'upstreams/formats/gemini/wire.ts'],
    ['worker/main.ts', 'worker/main.test.ts'],
    ['console/session/session.ts', 'domain/accounts/sessions.ts'],
    ['gateway/start-control.ts', 'console/build/files.ts'],
    ['attic/old.ts', 'schema/errors.ts'],
  ]
  for (const [file, imported] of refused) expect(forbiddenImports(file, [imported]), file).toHaveLength(1)
  expect(forbiddenImports('domain/ledger/settle.ts', ['domain/context.ts', 'domain/ledger/hold.ts'])).toEqual(
    [],
  )
  expect(forbiddenImports('worker/main.test.ts', ['dev/services/ports.ts'])).toEqual([])

  const circle = new Map([
    ['a/one.ts', ['b/two.ts']],
    ['b/two.ts', ['b/friend.ts', 'c/three.ts']],
    ['b/friend.ts', ['b/two.ts']],
    ['c/three.ts', ['b/two.ts']],
  ])
  expect(circlesAmong(circle)).toEqual(['b/two.ts → c/three.ts → b/two.ts'])

  const folders = new Map([
    ['a/one.ts', ['a/parts/two.ts']],
    ['a/parts/two.ts', ['a/shared.ts']],
    ['inference-edge/app.ts', ['inference-edge/routes/three.ts']],
    ['inference-edge/routes/three.ts', ['inference-edge/edge.ts', 'inference-edge/sse/four.ts']],
    ['inference-edge/sse/four.ts', ['inference-edge/routes/five.ts']],
  ])
  expect(circlesAmong(folderImports(folders))).toEqual([
    'a/* → a/parts/* → a/*',
    'inference-edge/routes/* → inference-edge/sse/* → inference-edge/routes/*',
  ])
})

function forbiddenImports(file: string, imports: string[]): string[] {
  return imports.filter(imported => !isAllowed(file, imported)).map(imported => `${file} imports ${imported}`)
}

function isAllowed(file: string, imported: string): boolean {
  if (isTest(file)) return true
  if (isTest(imported)) return false
  if (file.startsWith('domain/ledger/') && imported.startsWith('domain/'))
    return ledgerMayImport.some(folder => imported.startsWith(folder))
  if (file.startsWith('upstreams/') && imported.startsWith('upstreams/'))
    return isAllowedInUpstreams(file, imported)
  const [system, other] = [systemOf(file), systemOf(imported)]
  if (file === `${system}/main.ts` && entryMayImport.includes(other)) return true
  const allowed = mayImport[system] ?? []
  return allowed === 'everything' || (system in mayImport && system === other) || allowed.includes(other)
}

function isAllowedInUpstreams(file: string, imported: string): boolean {
  const [, part = ''] = file.split('/')
  const [, other = ''] = imported.split('/')
  return part === other || other.endsWith('.ts') || upstreamsMayImport[part]?.includes(other) === true
}

function systemOf(file: string): string {
  return file.split('/')[0]!
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file)
}

/** What of ours a file imports, as paths from the checkout. With `values`, types do not count. */
function importsOf(file: string, kind: 'all' | 'values' = 'all'): string[] {
  const statement = /^(?:import|export)\s(type\s)?[^'"]*?from\s+'(\.[^']+)'|\bimport\(?\s*'(\.[^']+)'/gm
  return [...textOf(file).matchAll(statement)]
    .filter(([, type]) => kind === 'all' || type === undefined)
    .map(([, , from, directly]) => join(dirname(file), from ?? directly ?? ''))
}

function textOf(file: string): string {
  return readFileSync(join(checkout, file), 'utf8')
}

/** Which folder imports which, each named `folder/*`, without what `sharesItsRoot` allows. */
function folderImports(imports: ReadonlyMap<string, string[]>): Map<string, string[]> {
  const isShared = (folder: string, other: string) =>
    sharesItsRoot.some(root => folder === root && other.startsWith(`${root}/`))
  const folders = new Map<string, string[]>()
  for (const [file, imported] of imports) {
    const folder = dirname(file)
    const others = imported.map(path => dirname(path))
    const counted = others.filter(
      other => other !== folder && !isShared(folder, other) && !isShared(other, folder),
    )
    folders.set(`${folder}/*`, [...(folders.get(`${folder}/*`) ?? []), ...counted.map(other => `${other}/*`)])
  }
  return folders
}

/** The circles between folders that are met when following imports, each listed once. */
function circlesAmong(imports: ReadonlyMap<string, string[]>): string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const follow = (file: string, path: string[]) => {
    const circle = path.includes(file) ? path.slice(path.indexOf(file)) : []
    if (new Set(circle.map(part => dirname(part))).size > 1) circles.push([...circle, file].join(' → '))
    if (done.has(file) || path.includes(file)) return
    for (const imported of imports.get(file) ?? []) follow(imported, [...path, file])
    done.add(file)
  }
  for (const file of imports.keys()) follow(file, [])
  return circles
}
