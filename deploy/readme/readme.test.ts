import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../platform/config/read-config.ts'
import { settings } from '../../platform/config/settings.ts'
import { errorsTable } from './describe-errors.ts'
import { envExample, settingsTable } from './describe-settings.ts'
import { placeBetween } from './place-between.ts'

const checkout = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(checkout, name), 'utf8')

test('.env.example tells the settings as they are: else run `npm run env:example`', () => {
  expect(read('.env.example')).toBe(envExample())
})

test('the README tells settings and errors as they are: else run `npm run env:example`', () => {
  const readme = read('README.md')
  expect(readme).toBe(placeBetween(readme, 'settings', settingsTable()))
  expect(readme).toBe(placeBetween(readme, 'errors', errorsTable()))
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

test('every file that the README points to is there', () => {
  const links = [...read('README.md').matchAll(/\]\((?!https?:|#)([^)#]+)\)/g)].map(([, path]) => path!)
  expect(links.filter(path => !existsSync(join(checkout, path)))).toEqual([])
})

test('.env.example taken as it is, uncommented, is what holds without any', () => {
  const lines = envExample().matchAll(/^# ([A-Z_]+)=(.*)$/gm)
  const env = Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
  expect(Object.keys(env)).toEqual(
    expect.arrayContaining(Object.values(settings).map(({ env: name }) => name)),
  )
  const plainly = (value: object) =>
    JSON.stringify(value, (_, part) => (part instanceof Map ? [...part] : part))
  expect(plainly(readConfig(env))).toBe(plainly(readConfig({})))
})

test('a missing marker is said by name', () => {
  expect(() => placeBetween('text', 'settings', '')).toThrow('<!-- settings -->')
})
