import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

// Every test process is guarded (test/guarded.ts), so these look at their own.

const names = ['constructor', 'hasOwnProperty', 'toString', 'valueOf', 'isPrototypeOf']

test('`__proto__` is a name like any other', () => {
  const plain = {}
  Object.assign(plain, JSON.parse('{"__proto__": {"polluted": true}}'))
  expect(Object.getPrototypeOf(plain)).toBe(Object.prototype)
  expect(Object.keys(plain)).toEqual(['__proto__'])
})

test('no object gets a default', () => {
  expect(() => Object.assign(Object.prototype, { base_url: 'https://elsewhere.example' })).toThrow(TypeError)
  for (const name of names)
    expect(() => Object.assign(Object.prototype, { [name]: 'x' }), name).toThrow(TypeError)
  expect(() => Object.defineProperty(Object.prototype, 'toString', { value: 'x' })).toThrow(TypeError)
  expect(() => Object.setPrototypeOf(Object.prototype, {})).toThrow(TypeError)
})

test('what is found under an inherited name takes nothing', () => {
  for (const name of names) {
    const inherited: unknown = Reflect.get({}, name)
    expect(() => Object.assign(inherited as object, { keys: 'x', call: 'x' }), name).toThrow(TypeError)
  }
})

test('an object may have such names itself, however it gets them', () => {
  for (const name of names) {
    const assigned: Record<string, unknown> = {}
    assigned[name] = 1
    expect(Object.entries(assigned)).toEqual([[name, 1]])
    expect(Object.entries(Object.assign({}, { [name]: 2 }))).toEqual([[name, 2]])
    expect(Object.entries({ ...JSON.parse(`{"${name}": 3}`) })).toEqual([[name, 3]])
  }
})

test.each([
  'gateway/main.ts',
  'subgraphs/main.ts',
  'inference-edge/main.ts',
  'worker/main.ts',
  'operator/migrate.ts',
])('%s guards its process', entry => {
  const probe =
    'process.on("exit", () => console.log("__proto__" in {}, Object.isExtensible(Object.prototype)))'
  const { stdout } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(probe)}`, entry, '--help'],
    { encoding: 'utf8' },
  )
  expect(stdout.trim().split('\n').at(-1)).toBe('false false')
})
