import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const checkout = join(import.meta.dirname, '..')

/** Dependencies that no file imports, with the reason for each. */
const reasons: Record<string, string> = {
  '@mikro-orm/core': 'peer of @mikro-orm/postgresql, which wants the same version',
  'graphql-yoga': "peer of the gateway runtime's plugins, which share one copy with it",
  '@aws-sdk/s3-request-presigner': 'peer of flydrive, whose driver of S3 imports it',
  graphiql: 'a file of the explorer, which `npm run build` copies',
  node: 'what npm scripts run on',
  tsx: 'the loader of what has decorators: `npm run control`',
  '@biomejs/biome': '`npm run lint`',
  '@hey-api/openapi-ts': 'generates a client in test/openapi',
  'openapi-typescript': 'generates a client in test/openapi',
  orval: 'generates a client in test/openapi',
  '@ts-morph/common': 'brings the TypeScript API that these generators need',
  'kubernetes-models': 'the schemas and types that deploy/manifests.test.ts loads by kind',
  'relay-runtime': 'what the code imports that the Relay compiler generates',
  tailwindcss: 'console/ui/styles.css imports it',
  typescript: '`npm run typecheck`, `npm run build`',
  '@types/busboy': 'types',
  '@types/koa': 'types',
  '@types/koa__router': 'types',
  '@types/node': 'types',
  '@types/oidc-provider': 'types',
  '@types/pg': 'types',
  '@types/smtp-server': 'types',
  '@types/react': 'types',
  '@types/react-dom': 'types',
  '@types/ws': 'types',
}

const {
  dependencies,
  devDependencies,
}: Record<string, Record<string, string>> = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
const files = globSync('**/*.{ts,tsx}', { cwd: checkout, exclude: ['node_modules', 'dist', '.rubicon'] })
const imports = new Map(files.map(file => [file, importsOf(readFileSync(join(checkout, file), 'utf8'))]))

/** The packages that a file imports, by name. */
function importsOf(text: string): Set<string> {
  const specifiers = text.matchAll(/(?:\bfrom|\bimport|\bresolve)\s*\(?\s*'(?!\.|node:)([^']+)'/g)
  return new Set(
    [...specifiers].map(([, path = '']) => path.split('/', path.startsWith('@') ? 2 : 1).join('/')),
  )
}

function isImported(name: string, byWhom: (file: string) => boolean): boolean {
  return files.some(file => byWhom(file) && imports.get(file)!.has(name))
}

/** Whether a file is missing in the production tree. */
const isOfDevelopment = (file: string) =>
  /^(test|bench|console|dev|simulators|deploy)\/|\.test\.ts$/.test(file) || !file.includes('/')

test('every package is imported somewhere, or has a reason', () => {
  const all = Object.keys({ ...dependencies, ...devDependencies })
  const unused = all.filter(name => !isImported(name, () => true))
  expect(unused.toSorted()).toEqual(Object.keys(reasons).toSorted())
})

test('production installs the packages that its files import, and no others', () => {
  const unreasoned = (names: Record<string, string> = {}) => Object.keys(names).filter(name => !reasons[name])
  expect(unreasoned(dependencies).filter(name => !isImported(name, file => !isOfDevelopment(file)))).toEqual(
    [],
  )
  const production = files.filter(file => !isOfDevelopment(file))
  const run = new Set(production.flatMap(file => [...importsOf(withoutTypes(file))]))
  expect(unreasoned(devDependencies).filter(name => run.has(name))).toEqual([])
})

/** A file without what it imports of types alone. */
function withoutTypes(file: string): string {
  return readFileSync(join(checkout, file), 'utf8').replaceAll(/^import type [^']*'[^']*'/gm, '')
}

test('every version is exact', () => {
  const versions = Object.entries({ ...dependencies, ...devDependencies })
  expect(
    versions.filter(([, version]) => !/^(npm:@?[\w/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
  ).toEqual([])
})
