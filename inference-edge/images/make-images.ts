import { holdMedia } from '../../domain/inference/admit-media.ts'
import { requireModel } from '../../domain/inference/allowed-models.ts'
import { endUserToken } from '../../domain/inference/cache-token.ts'
import { mayStartCall, recheckKey } from '../../domain/inference/check-key-and-rate.ts'
import { recheckPayer } from '../../domain/inference/recheck-payer.ts'
import { hostInputs } from '../../domain/media/host-inputs.ts'
import type { MediaModel } from '../../domain/models/model-cache.ts'
import { recordOutcome } from '../../upstreams/attempts.ts'
import type { MediaCall, MediaFile } from '../../upstreams/media-adapter.ts'
import type { Target } from '../../upstreams/targets.ts'
import { tryInOrder } from '../../upstreams/try-in-order.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'
import { isStillUsable, listAttempts, type ModelAttempt, mayCallWithOwn } from '../pipeline/list-attempts.ts'
import { recordAttempt } from '../pipeline/record-attempt.ts'
import { traceAttempt } from '../pipeline/trace-attempt.ts'
import { generate, type ImageGeneration } from './generate.ts'
import type { ImageRun } from './image-run.ts'

type ImageAttempt = ModelAttempt<MediaModel>

/** The files of a vendor, which are fetched with the credential of the attempt. */
export interface MadeImages {
  files: MediaFile[]
  target: Target
}

/** The result of an attempt whose credential was deleted or disabled. The next attempt follows. */
class CredentialUnusable extends Error {}

/**
 * Generates images, attempt by attempt, until one succeeds. Money is held before the first attempt that costs money.
 * The key must still be valid immediately before each call. Resolves to at least one image. Throws the errors of
 * `tryInOrder`, `holdMedia`, `hostInputs` and `generate`.
 */
export async function makeImages(edge: Edge, run: ImageRun): Promise<MadeImages> {
  const { allowed, model } = run.admission
  requireModel(edge.inference, allowed.key, model.entry)
  const attempts = await listAttempts(edge, { key: allowed.key, models: [model] })
  const onAttemptEnd = (attempt: ImageAttempt, failure: UpstreamFailure | undefined) => {
    if (failure) run.client.detachClient()
    void recordOutcome(edge.inference.byok, attempt.own, failure)
  }
  const ownBudgetMs = edge.config.firstByteTimeoutMs
  return tryInOrder({ attempts, ownBudgetMs, onAttemptEnd }, attempt => tryOne(edge, run, attempt))
}

/** Makes one attempt. Resolves to undefined if its credential was deleted or disabled. */
async function tryOne(edge: Edge, run: ImageRun, attempt: ImageAttempt): Promise<MadeImages | undefined> {
  const { own, target, entry } = attempt
  if (!own) await holdMedia(edge.inference, run.admission)
  else if (!(await isStillUsable(edge, run.admission.allowed, own))) return undefined
  const call = await callFor(edge, run, attempt)
  const startedAt = performance.now()
  const ended = await Promise.allSettled(
    splitCall(call, run.request.count).map((part, index) =>
      generate(edge, generationOf(edge, run, { attempt, call: part, index })),
    ),
  )
  const durationMs = performance.now() - startedAt
  const note = (failure: UpstreamFailure | undefined) => {
    recordAttempt(run.record.attempts, { entry, target }, { durationMs, failure })
    traceAttempt(run.span, run.record.requestId, { entry, target, durationMs, failure })
  }
  const files = ended.flatMap(part => (part.status === 'fulfilled' ? part.value : []))
  const failures = ended.flatMap(part => (part.status === 'rejected' ? [part.reason] : []))
  for (const failure of failures) {
    if (!(failure instanceof UpstreamFailure) || failure.kind === 'aborted') continue
    note(failure.redactFor(target))
  }
  if (files.length > 0) {
    note(undefined)
    return { files: files.slice(0, run.request.count), target }
  }
  if (failures.every(failure => failure instanceof CredentialUnusable)) return undefined
  // A Problem explains more to the client than the failure of a vendor.
  throw failures.find(failure => !(failure instanceof UpstreamFailure)) ?? failures[0]
}

/** Returns the call, with inputs that the vendor can fetch. They are stored once, after the money is held. */
async function callFor(edge: Edge, run: ImageRun, { entry }: ImageAttempt): Promise<MediaCall> {
  const { accountId, hasCredits } = run.admission.allowed.key
  const { requestId } = run.record
  const owner = { accountId, requestId, prolongs: hasCredits }
  run.hosted ??= hostInputs(edge.media, run.admission.parameters, owner)
  const { endUser } = run.request.labels
  const cacheToken = endUserToken(edge.inference, { accountId, endUser: endUser ?? undefined })
  return { entry, parameters: await run.hosted, cacheToken }
}

/** Splits a call into one per image if the vendor generates one image per call. */
function splitCall(call: MediaCall, count: number): MediaCall[] {
  if (!call.entry.generation.one_at_a_time || count === 1) return [call]
  const one = { ...call, parameters: { ...call.parameters, n: 1 } }
  return Array.from({ length: count }, () => one)
}

function generationOf(
  edge: Edge,
  run: ImageRun,
  { attempt, call, index }: { attempt: ImageAttempt; call: MediaCall; index: number },
): ImageGeneration {
  const { inference } = edge
  const { allowed } = run.admission
  const { target, own } = attempt
  return {
    call,
    target,
    accountId: allowed.key.accountId,
    idempotencyKey: `${run.record.requestId}-${index}`,
    cancellation: run.client.cancellation.fork(),
    countAnswer: bytes => run.share?.countAnswer(bytes, { isOwn: own !== undefined }),
    async mayCall(isAgain) {
      if (run.client.hasLeft && !run.hasBegun) throw new UpstreamFailure('aborted')
      if (!own) await (run.hasBegun ? recheckKey(inference, allowed) : recheckPayer(inference, run.admission))
      else if (!(await mayCallWithOwn(edge, allowed, { own, isCounted: isAgain })))
        throw new CredentialUnusable()
      requireModel(inference, allowed.key, attempt.entry)
    },
    // From here on the vendor bills the call: a disconnect does not cancel it.
    mayStart() {
      if (!mayStartCall(inference, allowed)) return false
      run.hasBegun = true
      run.client.keepUntilAnswered()
      return true
    },
  }
}
