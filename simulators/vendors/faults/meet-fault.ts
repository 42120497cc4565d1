import type { Exchange } from '../server/exchange.ts'
import type { Refusal } from '../server/refusal.ts'
import { closed, pause } from '../server/wait.ts'
import type { Simulator } from '../simulator.ts'
import type { Fault } from './fault.ts'

/** What is wrong with a call, for a wire format to say in its vendor's words. */
export interface Trouble {
  readonly kind: 'status' | 'quota' | 'too-long'
  readonly status: number
  readonly model: string
  /** How long a client should wait before it tries again. */
  readonly retryAfterMs: number
}

const mostFailuresKept = 10_000

/**
 * Lets pass, before the first byte of an answer, what its fault and the set latency ask for:
 * waits, never answers, or throws the refusal that the wire format makes of the trouble.
 */
export async function meetFault(
  simulator: Simulator,
  exchange: Exchange,
  {
    fault,
    model,
    text,
    refuse,
  }: { fault: Fault | undefined; model: string; text: string; refuse: (trouble: Trouble) => Refusal },
): Promise<void> {
  const { latencyMs } = simulator.settings
  const waitMs = fault?.name === 'slow' ? latencyMs + (fault.waitMs ?? 1000) : latencyMs
  if (waitMs > 0) await pause(exchange.response, waitMs)
  if (!fault) return
  if (fault.name === 'hang') return closed(exchange.response)
  if (fault.name === 'flaky' && !failOnceMore(simulator, fault, `${exchange.path}\n${model}\n${text}`)) return
  const kind = troubleOf[fault.name]
  if (kind) throw refuse({ kind, status: fault.status, model, retryAfterMs: fault.waitMs ?? 1000 })
}

const troubleOf: Partial<Record<Fault['name'], Trouble['kind']>> = {
  status: 'status',
  flaky: 'status',
  quota: 'quota',
  'too-long': 'too-long',
}

/** Counts one more failure of this fault, unless it has failed often enough. */
function failOnceMore({ failures }: Simulator, fault: Fault, defaultKey: string): boolean {
  const key = fault.key ?? defaultKey
  const failed = failures.get(key) ?? 0
  if (failed >= (fault.count ?? 1)) return false
  if (failures.size >= mostFailuresKept) failures.clear()
  failures.set(key, failed + 1)
  return true
}
