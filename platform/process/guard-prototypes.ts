/**
 * Protects the process against prototype pollution. `__proto__` is removed, as by Node's `--disable-proto=delete`,
 * which would have to be passed to every command and child process; `Object.prototype` accepts no new properties, and
 * its functions cannot be changed. Other objects can still have their own `toString` or `constructor`.
 *
 * Called once by every entry file (`run-main.ts`), and by every worker thread (`task-thread.ts`), which is a separate
 * realm.
 */
export function guardPrototypes(): void {
  Reflect.deleteProperty(Object.prototype, '__proto__')
  for (const name of Reflect.ownKeys(Object.prototype)) lock(name)
  Object.preventExtensions(Object.prototype)
}

/**
 * Makes a property of `Object.prototype` read-only. If it were frozen, assigning the same name to any other
 * object would throw, so a setter defines it on that object instead.
 */
function lock(name: PropertyKey): void {
  const known = Object.getOwnPropertyDescriptor(Object.prototype, name)
  if (!known?.configurable) return
  const value: unknown = known.value
  if (typeof value === 'function') Object.freeze(value)
  Object.defineProperty(Object.prototype, name, {
    configurable: false,
    enumerable: false,
    get: () => value,
    set(this: unknown, given: unknown) {
      if (this === Object.prototype) throw new TypeError(`Object.prototype.${String(name)} cannot be changed`)
      const own = { value: given, configurable: true, enumerable: true, writable: true }
      Object.defineProperty(this, name, own)
    },
  })
}
