import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../platform/config/read-config.ts'
import { settings } from '../../platform/config/settings.ts'
import { envExample, settingsTable } from './describe-settings.ts'
import { placeBetween } from './place-between.ts'

const checkout = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(checkout, name), 'utf8')

test('.env.example tells the settings as they are: else run `npm run env:example`', () => {
  expect(read('.env.example')).toBe(envExample())
})

test('the README tells the settings as they are: else run `npm run env:example`', () => {
  expect(read('README.md')).toBe(placeBetween(read('README.md'), 'settings', settingsTable()))
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
