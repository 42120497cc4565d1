import { type Profiler, Session } from 'node:inspector'

/** Native methods that go over a whole list. */
const scans = ['includes', 'indexOf', 'lastIndexOf', 'splice', 'shift', 'unshift', 'concat', 'slice'] as const

/** Native methods that call back for each element: counted here, since optimised code no longer counts calls. */
const visits = 'find findIndex findLast findLastIndex some every filter map flatMap forEach'.split(' ')

/**
 * How much work our code does in a call, whatever the machine: how often each of its blocks is run, and how many
 * elements that native functions visit. `folders` selects the counted code, such as `/upstreams/`.
 */
export function countWork(folders: readonly string[], act: () => void): number {
  coverage ??= startCoverage()
  takeCounts(coverage) // which sets them to zero
  const natives = watchScans()
  try {
    act()
  } finally {
    natives.restore()
  }
  let blocks = 0
  for (const { url, functions } of takeCounts(coverage)) {
    if (!folders.some(folder => url.includes(folder))) continue
    for (const { ranges } of functions) for (const { count } of ranges) blocks += count
  }
  return blocks + natives.elements
}

/** One thread for all counts: starting it costs more than the counted work. */
let coverage: Session | undefined

function startCoverage(): Session {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return session
}

function takeCounts(session: Session): Profiler.ScriptCoverage[] {
  let counts: Profiler.ScriptCoverage[] = []
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error
    counts = result
  })
  return counts
}

/** Counts the work of the native methods of lists and maps; `restore` undoes the counting. */
function watchScans() {
  const undoing: (() => void)[] = []
  const watch = {
    elements: 0,
    restore() {
      for (const undo of undoing) undo()
    },
  }
  const replace = (
    prototype: object,
    name: PropertyKey,
    wrap: (list: { length?: number }, given: unknown[]) => unknown[],
  ) => {
    const original: unknown = Reflect.get(prototype, name)
    undoing.push(() => void Reflect.set(prototype, name, original))
    Reflect.set(prototype, name, function (this: object, ...given: unknown[]) {
      return Reflect.apply(original as () => unknown, this, wrap(this, given))
    })
  }
  for (const prototype of [Map.prototype, Set.prototype]) {
    for (const name of ['has', 'get', 'set', 'add']) {
      if (!(name in prototype)) continue
      replace(prototype, name, (_map, given) => {
        watch.elements += 1
        return given
      })
    }
  }
  for (const name of [...scans, Symbol.iterator] as const) {
    replace(Array.prototype, name, (list, given) => {
      watch.elements += list.length ?? 0
      return given
    })
  }
  for (const name of visits) {
    replace(Array.prototype, name, (_list, [visit, ...rest]) => [
      (...seen: unknown[]) => {
        watch.elements += 1
        return Reflect.apply(visit as () => unknown, undefined, seen)
      },
      ...rest,
    ])
  }
  return watch
}
