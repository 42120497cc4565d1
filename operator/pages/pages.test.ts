import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig, settings } from '../../platform/config/read-config.ts'
import { allowancesPage } from './allowances-page.ts'
import { errorsPage } from './errors-page.ts'
import { envExample, settingsPage } from './settings-page.ts'

const checkout = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(checkout, name), 'utf8')
const notOurs = ['node_modules', 'dist', '.rubicon']
const listed = (pattern: string[]) => globSync(pattern, { cwd: checkout, exclude: notOurs })

/** The pages of the repository: at its top level, in docs, and the READMEs beside the code. */
const pages = listed(['*.md', 'docs/**/*.md', '*/**/README.md'])

test.each([
  ['.env.example', envExample],
  ['docs/settings.md', settingsPage],
  ['docs/errors.md', errorsPage],
  ['docs/allowances.md', allowancesPage],
])('%s is as generated: else run `npm run env:example`', (name, generate) => {
  expect(read(name)).toBe(generate())
})

test('the tree in the README names every folder of the system, and no other', () => {
  const [, tree = ''] = /```\n(schema\/[^`]*)```/.exec(read('README.md')) ?? []
  const named = [...tree.matchAll(/^([a-z-]+)\//gm)].map(([, folder]) => folder)
  const folders = readdirSync(checkout, { withFileTypes: true }).filter(entry => entry.isDirectory())
  const ours = folders.map(({ name }) => name).filter(name => !/^\.|^(node_modules|dist)$/.test(name))
  expect(named.toSorted()).toEqual(ours.toSorted())
})

test('the README names every npm script', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
  const commandOf = (script: string) =>
    /^(start|test)$/.test(script) ? `npm ${script}` : `npm run ${script}`
  expect(
    Object.keys(scripts)
      .map(commandOf)
      .filter(command => !read('README.md').includes(command)),
  ).toEqual([])
})

test('the README is short', () => {
  expect(read('README.md').split('\n').length).toBeLessThan(150)
})

test('the page of clients names the versions that the tests run', () => {
  const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(read('package.json'))
  // An earlier version is installed under an alias: `ai5` is `npm:ai@5.0.277`.
  const installed = Object.entries(devDependencies).map(([alias, version]) => {
    const [, name = alias, exact = version] = /^npm:(.+)@(.+)$/.exec(version) ?? []
    return { name, version: exact.replace(/\.\d+$/, '') }
  })
  const named = [...read('docs/clients.md').matchAll(/`([@\w/-]+)` (\d+\.\d+)(?=[,| ])/g)]
    .map(([, name, version]) => ({ name, version }))
    .filter(client => installed.some(({ name }) => name === client.name))
  expect(named.length).toBeGreaterThan(8)
  expect(installed).toEqual(expect.arrayContaining(named))
})

test('every link of a page leads to a file, and to a heading of it', () => {
  expect(pages.flatMap(brokenLinksOf)).toEqual([])
})

test('every path that a page names is there', () => {
  expect(pages.flatMap(missingPathsOf)).toEqual([])
})

test('every page that code cites is there, with the section', () => {
  const sources = listed(['**/*.{ts,sql,yaml,graphql}'])
  expect(sources.length).toBeGreaterThan(100)
  expect(sources.flatMap(missingCitationsOf)).toEqual([])
})

test('code cites no page that is not in the repository', () => {
  const elsewhere = /\b(contract|readme|decisions|design|facts|style)(: [A-Z`]|, [Dd]ecisions|\.md: )/i
  const cites = (text: string) =>
    text.split('\n').filter(line => /^\s*(\*|\/\*|\/\/|--|#)/.test(line) && elsewhere.test(line))
  const sources = listed(['**/*.{ts,sql,yaml,graphql}'])
  expect(sources.flatMap(source => cites(read(source)).map(line => `${source}: ${line}`))).toEqual([])
})

test('.env.example taken as it is, uncommented, is what holds without any', () => {
  const lines = envExample().matchAll(/^# ([A-Z0-9_]+)=(.*)$/gm)
  const env = Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
  expect(Object.keys(env)).toEqual(
    expect.arrayContaining(Object.values(settings).map(({ env: name }) => name)),
  )
  const plainly = (value: object) =>
    JSON.stringify(value, (_, part) =>
      typeof part === 'bigint' ? String(part) : part instanceof Map ? [...part] : part,
    )
  expect(plainly(readConfig(env))).toBe(plainly(readConfig({})))
})

function brokenLinksOf(page: string): string[] {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
  return links.flatMap(([link, path, anchor]) => {
    const target = path ? join(dirname(page), path) : page
    const isThere = existsSync(join(checkout, target))
    const isWhole = isThere && (!anchor || anchorsOf(target).includes(anchor))
    return isWhole ? [] : [`${page}: ${link}`]
  })
}

/**
 * Returns the missing paths of a page: paths in backticks that begin with a folder of the repository. Patterns with `…`,
 * `*` and the like do not count.
 */
function missingPathsOf(page: string): string[] {
  const named = [...read(page).matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, path]) => path!)
  return named
    .filter(path => existsSync(join(checkout, path.split('/')[0]!)) && !/^(dist|\.rubicon)\//.test(path))
    .filter(path => !existsSync(join(checkout, path)) && !existsSync(join(checkout, dirname(page), path)))
    .map(path => `${page}: ${path}`)
}

/** Pages of docs that a source names, as `docs/behaviour.md, Money` or `docs/decisions/….md`. */
function missingCitationsOf(source: string): string[] {
  const text = read(source).replaceAll(/\n\s*(\*|\/\/|--|#)? */g, ' ')
  const cited = [...text.matchAll(/\b(docs\/[\w/-]+\.md)(?:, ([A-Z][\w ]*\w))?/g)]
  return cited.flatMap(([citation, path, section]) => {
    if (!existsSync(join(checkout, path!))) return [`${source}: ${citation}`]
    const isThere =
      section === undefined || headingsOf(path!).some(heading => `${section} `.startsWith(`${heading} `))
    return isThere ? [] : [`${source}: ${citation}`]
  })
}

function headingsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)
}

function anchorsOf(page: string): string[] {
  return headingsOf(page).map(heading =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
