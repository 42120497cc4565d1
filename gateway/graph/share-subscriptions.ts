import { type DocumentNode, type ExecutionResult, getOperationAST, Kind } from 'graphql'
import { LatestStream } from '../../platform/watch/latest-stream.ts'

/** What a subgraph answers a subscription with: events, or one result where it refuses. */
export type Subscribed = AsyncIterableIterator<ExecutionResult> | ExecutionResult

/** Subscribes, or joins a subscription of the same name that is open. */
export type ShareSubscription = (name: string, subscribe: () => Promise<Subscribed>) => Promise<Subscribed>

/** Subscriptions of which each event is all that there is to know: who comes later needs the last one alone. */
const shareable: ReadonlySet<string> = new Set(['taskUpdated', 'balanceChanged'])

/** Whether one subscription at a subgraph serves all who ask for the same. `tasksUpdated` is none: it begins with many. */
export function isShareable(document: DocumentNode, operationName?: string): boolean {
  const selections = getOperationAST(document, operationName)?.selectionSet.selections ?? []
  const fields = selections.filter(({ kind }) => kind === Kind.FIELD)
  return (
    fields.length === selections.length &&
    fields.every(field => field.kind === Kind.FIELD && shareable.has(field.name.value))
  )
}

/** An open subscription, and those who are told its events. */
interface Shared {
  events: AsyncIterator<ExecutionResult>
  readers: Set<LatestStream<ExecutionResult>>
  last: ExecutionResult | undefined
  state: 'new' | 'told' | 'over'
}

/**
 * Keeps one subscription open at a subgraph for all subscribers of the same: a thousand who watch one task are one
 * connection. Who joins is told the last event first. Each reads at his own pace, and finds the latest.
 */
export function openSharedSubscriptions(): ShareSubscription {
  const opening = new Map<string, Promise<Shared | ExecutionResult>>()

  return async (name, subscribe) => {
    for (;;) {
      const begun = opening.get(name) ?? begin(name, subscribe)
      const shared = await begun
      if (!('events' in shared)) return shared
      // It may have ended while it was waited for.
      if (opening.get(name) === begun) return join(name, shared)
    }
  }

  function begin(name: string, subscribe: () => Promise<Subscribed>): Promise<Shared | ExecutionResult> {
    const begun = subscribe().then(
      (answer): Shared | ExecutionResult => {
        if (!('next' in answer)) {
          opening.delete(name)
          return answer
        }
        return { events: answer, readers: new Set(), last: undefined, state: 'new' }
      },
      error => {
        opening.delete(name)
        throw error
      },
    )
    opening.set(name, begun)
    return begun
  }

  function join(name: string, shared: Shared): LatestStream<ExecutionResult> {
    const reader = new LatestStream<ExecutionResult>({
      onClose() {
        shared.readers.delete(reader)
        if (shared.readers.size > 0 || shared.state === 'over') return
        close(name, shared)
        void shared.events.return?.()
      },
    })
    shared.readers.add(reader)
    if (shared.last) reader.push(copyOf(shared.last))
    if (shared.state === 'new') void passOn(name, shared)
    return reader
  }

  async function passOn(name: string, shared: Shared): Promise<void> {
    const { events, readers } = shared
    shared.state = 'told'
    try {
      for (let step = await events.next(); !step.done; step = await events.next()) {
        shared.last = step.value
        for (const reader of readers) reader.push(copyOf(step.value))
      }
      close(name, shared)
      for (const reader of [...readers]) reader.end()
    } catch (error) {
      close(name, shared)
      for (const reader of [...readers])
        reader.fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** Nobody joins it any more. */
  function close(name: string, shared: Shared): void {
    if (shared.state !== 'over') opening.delete(name)
    shared.state = 'over'
  }
}

/** The runtime writes what it fetches later into an event. */
function copyOf(result: ExecutionResult): ExecutionResult {
  return result.data ? { ...result, data: structuredClone(result.data) } : result
}
