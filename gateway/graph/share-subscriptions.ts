import { type DocumentNode, type ExecutionResult, getOperationAST, Kind } from 'graphql'
import { LatestStream } from '../../platform/watch/latest-stream.ts'

/** The response of a subgraph to a subscription: events, or a single result if it refuses. */
export type Subscribed = AsyncIterableIterator<ExecutionResult> | ExecutionResult

/** Subscribes, or joins an open subscription with the same name. */
export type ShareSubscription = (name: string, subscribe: () => Promise<Subscribed>) => Promise<Subscribed>

/** Subscriptions whose events each contain the complete state. A later subscriber needs only the last event. */
const shareable: ReadonlySet<string> = new Set(['taskUpdated', 'balanceChanged'])

/**
 * Returns whether one subscription at a subgraph can serve several subscribers. `tasksUpdated` cannot, because it
 * begins with several events.
 */
export function isShareable(document: DocumentNode, operationName?: string): boolean {
  const selections = getOperationAST(document, operationName)?.selectionSet.selections ?? []
  const fields = selections.filter(({ kind }) => kind === Kind.FIELD)
  return (
    fields.length === selections.length &&
    fields.every(field => field.kind === Kind.FIELD && shareable.has(field.name.value))
  )
}

/** An open subscription and its subscribers. */
interface Shared {
  events: AsyncIterableIterator<ExecutionResult>
  readers: Set<LatestStream<ExecutionResult>>
  last: ExecutionResult | undefined
  state: 'new' | 'open' | 'ended'
}

/**
 * Keeps one subscription at a subgraph open for all identical subscriptions: 1,000 subscribers of a task use one
 * connection. A new subscriber first receives the last event. Each subscriber reads at its own pace and receives the
 * latest event.
 */
export function openSharedSubscriptions(): ShareSubscription {
  const opening = new Map<string, Promise<Shared | ExecutionResult>>()

  return async (name, subscribe) => {
    for (;;) {
      const opened = opening.get(name) ?? open(name, subscribe)
      const shared = await opened
      if (!('events' in shared)) return shared
      // It may have ended while this call waited.
      if (opening.get(name) === opened) return join(name, shared)
    }
  }

  function open(name: string, subscribe: () => Promise<Subscribed>): Promise<Shared | ExecutionResult> {
    const opened = subscribe().then(
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
    opening.set(name, opened)
    return opened
  }

  function join(name: string, shared: Shared): LatestStream<ExecutionResult> {
    const reader = new LatestStream<ExecutionResult>({
      onClose() {
        shared.readers.delete(reader)
        if (shared.readers.size > 0 || shared.state === 'ended') return
        close(name, shared)
        void shared.events.return?.()
      },
    })
    shared.readers.add(reader)
    if (shared.last) reader.push(copyOf(shared.last))
    if (shared.state === 'new') void forwardEvents(name, shared)
    return reader
  }

  async function forwardEvents(name: string, shared: Shared): Promise<void> {
    shared.state = 'open'
    try {
      for await (const event of shared.events) {
        shared.last = event
        for (const reader of shared.readers) reader.push(copyOf(event))
      }
      end(name, shared, reader => reader.end())
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error))
      end(name, shared, reader => reader.fail(cause))
    }
  }

  /** Ends every subscriber. Each leaves `readers` when it ends. */
  function end(
    name: string,
    shared: Shared,
    endReader: (reader: LatestStream<ExecutionResult>) => void,
  ): void {
    close(name, shared)
    for (const reader of [...shared.readers]) endReader(reader)
  }

  /** Prevents further subscribers from joining. */
  function close(name: string, shared: Shared): void {
    if (shared.state !== 'ended') opening.delete(name)
    shared.state = 'ended'
  }
}

/** Copies a result, because the runtime writes later results into an event. */
function copyOf(result: ExecutionResult): ExecutionResult {
  return result.data ? { ...result, data: structuredClone(result.data) } : result
}
