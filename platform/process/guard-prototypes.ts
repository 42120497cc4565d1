/**
 * Makes what every object inherits impossible to change: no text that somebody sends can then become a
 * default of all objects of the process, whichever library takes it for the name of a property. `__proto__`
 * goes, as by Node's `--disable-proto=delete`, which every command and child process would have to be given
 * anew; `Object.prototype` takes no new names, and its functions, of which `Object` is one (`constructor`),
 * take no new values. Objects of their own may still have a `toString` or a `constructor`: assigning one to
 * them works as ever.
 *
 * Called once by every entry file (`run-main.ts`), and again by every worker thread (`task-thread.ts`), a
 * realm of its own.
 */
export function guardPrototypes(): void {
  Reflect.deleteProperty(Object.prototype, '__proto__')
  for (const name of Reflect.ownKeys(Object.prototype)) lock(name)
  Object.preventExtensions(Object.prototype)
}

/**
 * A property that is merely frozen would refuse to be assigned to any object that inherits it. A setter takes
 * its place, which gives the object a property of its own.
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
