import { hashText } from '../../model/text/hash-text.ts'
import type { Exchange } from '../../server/exchange.ts'
import type { Simulator } from '../../simulator.ts'

/** What all chunks of one answer share. */
export interface Identity {
  readonly id: string
  readonly created: number
  readonly model: string
  readonly system_fingerprint: string
  readonly service_tier: 'default'
}

/** Names an answer after its request: no simulator names two alike. */
export function identifyAnswer(
  simulator: Simulator,
  { exchange, model }: { exchange: Exchange; model: string },
): Identity {
  const fingerprint = hashText(model).toString(16).padStart(10, '0')
  return {
    id: `chatcmpl-${exchange.id.toString(36).padStart(29, '0')}`,
    created: Math.floor(simulator.clock.now() / 1000),
    model,
    system_fingerprint: `fp_${fingerprint}`,
    service_tier: 'default',
  }
}

/** The id of one call of a tool, as unique as its answer's. */
export function identifyCall({ id }: Identity, candidate: number, call: number): string {
  return `call_${id.slice(-18)}${twoDigits(candidate)}${twoDigits(call)}`
}

function twoDigits(value: number): string {
  return value.toString(36).padStart(2, '0')
}
