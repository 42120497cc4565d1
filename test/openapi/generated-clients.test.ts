import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApiFile } from '../../gateway/openapi/build-openapi.ts'
import { document as described, type Json } from './the-document.ts'

const run = promisify(execFile)
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const document = fileURLToPath(openApiFile)

let folder: string

/** Two generators print code with the compiler's API, which TypeScript 7 does not have: they get that of TypeScript 5. */
const withTypeScript5 = `
import { registerHooks } from 'node:module'
const compiler = new URL('typescript.cjs', import.meta.url).href
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? compiler : name, context) })
`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clients-'))
  await writeFile(join(folder, 'with-typescript-5.mjs'), withTypeScript5)
  const compiler = JSON.stringify(join(modules, '@ts-morph/common'))
  await writeFile(join(folder, 'typescript.cjs'), `module.exports = require(${compiler}).ts`)
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs a tool of `node_modules` by the file that it is started with. */
function start(file: string, ...args: string[]) {
  const hook = join(folder, 'with-typescript-5.mjs')
  return run(process.execPath, ['--import', hook, join(modules, file), ...args], { cwd: folder })
}

/** A program that uses all three clients. */
const program = `
import { readBalance, type ApiKey, type Problem } from './hey/index.ts'
import { createKey } from './orval.ts'
import type { components, operations } from './types.ts'

export async function use(): Promise<string> {
  const { data, error } = await readBalance()
  const problem: Problem | undefined = error
  const created = await createKey({ name: 'Production', credit_reset_interval: 'monthly' })
  if (created.status !== 201) return created.data.msg
  const named: string = created.data.name
  return problem?.msg ?? \`\${named} \${data?.available.toFixed(2)}\`
}

export type Same = ApiKey extends components['schemas']['ApiKey'] ? true : never
export const same: Same = true
export type Overloaded = operations['createMessage']['responses'][529]

// @ts-expect-error: a word that the document does not list
void createKey({ name: 'Production', credit_reset_interval: 'yearly' })
`

test('the clients that openapi-typescript, hey-api and orval generate type-check, and so do programs with them', async () => {
  const single = join(folder, 'single-bodies.json')
  await writeFile(single, JSON.stringify(withSingleBodies()))
  await Promise.all([
    start('openapi-typescript/bin/cli.js', document, '-o', join(folder, 'types.ts')),
    start('@hey-api/openapi-ts/dist/run.mjs', '-i', document, '-o', join(folder, 'hey')),
    start('orval/dist/bin/orval.mjs', '--input', single, '--output', './orval.ts', '--client', 'fetch'),
  ])
  await writeFile(join(folder, 'program.ts'), program)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'ES2022',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'ESNext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    types: [],
  }
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts', 'hey'] }),
  )
  const compiler = join(modules, 'typescript/bin/tsc')
  const faults = await run(process.execPath, [compiler, '-p', folder]).catch(error => error)
  expect(faults.stdout).toBe('')
})

/** Returns the document with the first type of each body: orval's own code for several types does not type-check. */
function withSingleBodies(): Json {
  const copy = structuredClone(described)
  for (const path of Object.values<Json>(copy.paths))
    for (const { requestBody } of Object.values<Json>(path)) {
      const [first] = Object.entries(requestBody?.content ?? {})
      if (first) requestBody.content = Object.fromEntries([first])
    }
  return copy
}
