import { afterAll, beforeAll, onTestFinished } from 'vitest'

/**
 * Starts what the tests of a file (or of a `describe` block) share, before the first of them, and closes it after the last.
 * Returns a view of the started object; reading it earlier throws. Later calls close first, so they may use earlier ones.
 */
export function perFile<T extends object>(
  start: () => T | Promise<T>,
  close: (started: T) => unknown = closeItself,
): T {
  let started: T | undefined
  const current = (): T => {
    if (!started)
      throw new Error('This object starts before the first test. Read it inside a test or a hook.')
    return started
  }
  beforeAll(async () => {
    started = await start()
  })
  afterAll(async () => {
    if (started) await close(started)
  })
  return new Proxy<T>(Object.create(null), {
    get(_, name) {
      const value: unknown = Reflect.get(current(), name)
      // Methods of a class may read private fields, which a proxy has not.
      return typeof value === 'function' && !Object.hasOwn(current(), name) ? value.bind(current()) : value
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, name) => {
      const property = Reflect.getOwnPropertyDescriptor(current(), name)
      return property && { ...property, configurable: true }
    },
  })
}

function closeItself(started: object): unknown {
  return 'close' in started && typeof started.close === 'function' ? started.close() : undefined
}

/** Returns what a test started, and closes it when the test ends. */
export function forThisTest<T extends { close(): unknown }>(started: T): T {
  onTestFinished(async () => {
    await started.close()
  })
  return started
}
