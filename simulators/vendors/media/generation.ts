import { type Answer, type Exchange, pause, type Refusal } from '../../server/exchange.ts'
import { type Fault, failsAgain, spoilBody, startAnswer, statusFailure } from '../faults.ts'
import type { Host } from '../host.ts'
import { hashText } from '../model/text.ts'
import type { Handler, Simulator } from '../simulator.ts'
import type { SoundFormat } from './make-files.ts'
import type { Size } from './sizes.ts'

export type Product =
  | { readonly kind: 'image'; readonly size: Size; readonly count: number }
  | { readonly kind: 'video'; readonly size: Size; readonly seconds: number }
  | { readonly kind: 'sound'; readonly format: SoundFormat; readonly seconds: number }

/** A submitted generation. Its status follows from the clock. */
export interface Generation {
  readonly id: string
  readonly model: string
  readonly prompt: string
  readonly product: Product
  readonly fault: Fault | undefined
  /** When it was submitted, in Unix milliseconds. */
  readonly startedAt: number
  /** When it ends, in Unix milliseconds; infinite for the fault `stuck`. */
  readonly endsAt: number
  cancelledAt: number | undefined
}

interface Submission {
  readonly model: string
  readonly prompt: string
  readonly product: Product
  /** Undefined if the vendor does not support idempotency keys. */
  readonly idempotencyKey?: string | string[] | undefined
}

/** A vendor whose generations clients poll. */
interface MediaVendor extends Host {
  /** The error for a generation that does not exist. */
  refuseMissing(): Refusal
  /** The body of the error that the fault `error-frame` puts into the answer to a submit. */
  readonly errorInAnswer?: unknown
}

export type Answering = (
  generation: Generation,
  simulator: Simulator,
  exchange: Exchange,
) => Answer | Promise<Answer>

/** Handles submits. `read` parses a request, and throws the vendor's error for an invalid one. */
export function submitting(
  vendor: MediaVendor,
  read: (exchange: Exchange) => Submission | Promise<Submission>,
  present: (generation: Generation, simulator: Simulator, exchange: Exchange) => object,
  status = 200,
): Handler {
  return async (simulator, exchange) => {
    const caller = await vendor.authenticate(exchange, simulator)
    const submission = { caller, refuse: vendor.refuseFailure, ...(await read(exchange)) }
    const { generation, fault } = await submitGeneration(simulator, exchange, submission)
    const body = present(generation, simulator, exchange)
    return spoilBody({ status, body }, fault, vendor.errorInAnswer)
  }
}

/** Handles calls about one generation. `idOf` returns its ID. */
export function withGeneration(
  vendor: MediaVendor,
  handle: Answering,
  idOf = ({ params }: Exchange): string => params.id ?? '',
): Handler {
  return async (simulator, exchange) => {
    await vendor.authenticate(exchange, simulator)
    const generation = simulator.generations.get(idOf(exchange))
    if (!generation || generation.fault?.name === 'lost') throw vendor.refuseMissing()
    const { fault, model } = generation
    if (fault?.name === 'poll' && failsAgain(simulator, generation.id, fault.count ?? 1))
      throw vendor.refuseFailure(statusFailure(fault.status, model, fault.waitMs))
    return handle(generation, simulator, exchange)
  }
}

const maxGenerations = 100_000

interface Submitted {
  readonly generation: Generation
  readonly fault: Fault | undefined
}
type CallerSubmission = Submission & { readonly caller: string; readonly refuse: Host['refuseFailure'] }

/**
 * Applies the part of the fault that precedes the first byte, then stores a generation. A repeated idempotency key
 * returns the existing generation without a fault.
 */
async function submitGeneration(
  simulator: Simulator,
  exchange: Exchange,
  submission: CallerSubmission,
): Promise<Submitted> {
  const { caller, model, prompt, product, refuse, idempotencyKey } = submission
  const key = idempotencyKey && `${caller}\n${idempotencyKey}`
  const known = key && simulator.submitted.get(key)
  if (known) return { generation: known, fault: undefined }
  const fault = await startAnswer(simulator, exchange, { model, text: prompt, refuse })
  const { generations, clock, settings } = simulator
  if (generations.size >= maxGenerations) generations.delete(generations.keys().next().value ?? '')
  const startedAt = clock.now()
  const generation: Generation = {
    id: `${hashText(`${model}\n${prompt}`).toString(36)}${exchange.id.toString(36).padStart(8, '0')}`,
    ...{ model, prompt, product, fault, startedAt },
    endsAt: startedAt + durationMs(fault, settings.generationMs),
    cancelledAt: undefined,
  }
  // The vendor has accepted the submit at this point, even if its answer gets lost.
  generations.set(generation.id, generation)
  if (key) simulator.submitted.set(key, generation)
  return { generation, fault }
}

/** Submits a generation and waits until it ends. Throws the error that `refuse` makes of the fault `fail`. */
export async function finishGeneration(
  simulator: Simulator,
  exchange: Exchange,
  submission: CallerSubmission,
): Promise<Submitted> {
  const { generation, fault } = await submitGeneration(simulator, exchange, submission)
  const waitMs = generation.endsAt - generation.startedAt
  if (waitMs > 0 && Number.isFinite(waitMs)) await pause(exchange, waitMs)
  if (fault?.name === 'fail') throw submission.refuse(statusFailure(fault.status, submission.model))
  return { generation, fault }
}

function durationMs(fault: Fault | undefined, defaultMs: number): number {
  if (fault?.name === 'stuck') return Number.POSITIVE_INFINITY
  return fault?.name === 'takes' || fault?.name === 'fail' ? (fault.waitMs ?? defaultMs) : defaultMs
}

/** Cancels a generation. Returns false if it has ended. */
export function cancelGeneration({ clock }: Simulator, generation: Generation): boolean {
  if (generation.cancelledAt !== undefined || clock.now() >= generation.endsAt) return false
  generation.cancelledAt = clock.now()
  return true
}

interface Status {
  readonly state: 'queued' | 'running' | 'done' | 'cancelled' | 'failed'
  readonly percent: number
  /** Whether the generation failed because of the content policy. */
  readonly isRefused: boolean
}

/** The share of a generation's duration that it waits in the vendor's queue. */
const queuedShare = 0.1

/** Returns the present status of a generation. */
export function statusOf(
  { fault, startedAt, endsAt, cancelledAt }: Generation,
  { clock }: Pick<Simulator, 'clock'>,
): Status {
  const isRefused = fault?.name === 'refusal'
  const now = clock.now()
  if (cancelledAt !== undefined) return { state: 'cancelled', percent: 0, isRefused }
  if (now >= endsAt)
    return { state: isRefused || fault?.name === 'fail' ? 'failed' : 'done', percent: 100, isRefused }
  const share = Number.isFinite(endsAt) ? (now - startedAt) / (endsAt - startedAt) : 0.5
  return { state: share < queuedShare ? 'queued' : 'running', percent: Math.floor(share * 100), isRefused }
}

/** The messages that vendors give for failed generations. */
export const refusedMessage = 'The prompt was refused by the content policy.'
export const failedMessage = 'The generation failed because of an internal error.'
