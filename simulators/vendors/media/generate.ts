import type { Exchange, Refusal } from '../../server/exchange.ts'
import type { Failure, Fault } from '../../server/faults.ts'
import { startAnswer } from '../../server/faults.ts'
import { hashText } from '../model/text.ts'
import type { Simulator } from '../simulator.ts'
import type { Generation, Product } from './generation.ts'

const maxGenerations = 100_000

interface Submission {
  /** Who submits: idempotency keys are apart by it. */
  readonly caller: string
  readonly model: string
  readonly prompt: string
  readonly product: Product
  readonly refuse: (failure: Failure) => Refusal
  /** Undefined where the vendor honours none. */
  readonly idempotencyKey?: string | undefined
}

/** A generation, and what goes wrong with the answer to its submit; that happens once. */
interface Submitted {
  readonly generation: Generation
  readonly fault: Fault | undefined
}

/**
 * Notes a generation, after what its fault does before the first byte. The same idempotency key gives the same
 * generation.
 */
export async function submitGeneration(
  simulator: Simulator,
  exchange: Exchange,
  { caller, model, prompt, product, refuse, idempotencyKey }: Submission,
): Promise<Submitted> {
  const key = idempotencyKey && `${caller}\n${idempotencyKey}`
  const known = key && simulator.submitted.get(key)
  if (known) return { generation: known, fault: undefined }
  const fault = await startAnswer(simulator, exchange, { model, text: prompt, refuse })
  const { generations, clock, settings } = simulator
  if (generations.size >= maxGenerations) generations.delete(generations.keys().next().value ?? '')
  const startedAt = clock.now()
  const generation: Generation = {
    id: idOf(exchange.id, `${model}\n${prompt}`),
    model,
    prompt,
    product,
    fault,
    startedAt,
    endsAt: startedAt + durationOf(fault, settings.generationMs),
    cancelledAt: undefined,
    refusedPolls: 0,
    files: undefined,
  }
  // A vendor that was reached has it, whether its answer arrives or not.
  generations.set(generation.id, generation)
  if (key) simulator.submitted.set(key, generation)
  return { generation, fault }
}

function durationOf(fault: Fault | undefined, usualMs: number): number {
  if (fault?.name === 'stuck') return Number.POSITIVE_INFINITY
  return fault?.name === 'takes' || fault?.name === 'fail' ? (fault.waitMs ?? usualMs) : usualMs
}

function idOf(requestId: number, text: string): string {
  return `${hashText(text).toString(36)}${requestId.toString(36).padStart(8, '0')}`
}

/**
 * The generation that a poll asks for. Throws what `refuseMissing` makes of one that is not there or was lost, and
 * what `refuse` makes of the fault `poll`.
 */
export function findGeneration(
  simulator: Simulator,
  id: string,
  { refuseMissing, refuse }: { refuseMissing: () => Refusal; refuse: (failure: Failure) => Refusal },
): Generation {
  const generation = simulator.generations.get(id)
  if (!generation || generation.fault?.name === 'lost') throw refuseMissing()
  const { fault, model } = generation
  if (fault?.name === 'poll' && generation.refusedPolls < (fault.count ?? 1)) {
    generation.refusedPolls++
    throw refuse({ kind: 'status', status: fault.status, model, retryAfterMs: fault.waitMs ?? 1000 })
  }
  return generation
}

/** Cancels a generation. False where it has ended. */
export function cancelGeneration({ clock }: Simulator, generation: Generation): boolean {
  if (generation.cancelledAt !== undefined || clock.now() >= generation.endsAt) return false
  generation.cancelledAt = clock.now()
  return true
}
