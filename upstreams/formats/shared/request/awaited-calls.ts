/** Calls of tools that await their results, in the order in which they were made. Ids may come more than once. */
export interface AwaitedCalls<Call> {
  add(id: string, call: Call): void
  /** The first call with this id that awaits its result; it awaits none any more. Undefined where there is none. */
  take(id: string): Call | undefined
  /** The first call that awaits its result; undefined where none does. */
  readonly first: Call | undefined
}

/** However many calls there are, and however they are called, each costs the same. */
export function openAwaitedCalls<Call>(): AwaitedCalls<Call> {
  const byId = new Map<string, { calls: Call[]; taken: number }>()
  const open = new Set<Call>()
  return {
    add(id, call) {
      open.add(call)
      const known = byId.get(id)
      if (known) known.calls.push(call)
      else byId.set(id, { calls: [call], taken: 0 })
    },
    take(id) {
      const known = byId.get(id)
      const call = known?.calls[known.taken]
      if (!known || call === undefined) return undefined
      known.taken += 1
      open.delete(call)
      return call
    },
    get first() {
      const [first] = open
      return first
    },
  }
}
