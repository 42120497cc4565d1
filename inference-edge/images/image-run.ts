import type { OnceRequest } from '../../domain/idempotency/run-once.ts'
import type { MediaAdmission } from '../../domain/inference/admit-media.ts'
import { settleMedia } from '../../domain/inference/settle-media.ts'
import { type RequestRecord, recordLeaving } from '../../domain/ledger/request-record.ts'
import { discardInputs } from '../../domain/media/discard-files.ts'
import { carriesData } from '../../domain/media/host-inputs.ts'
import type { Problem } from '../../schema/errors.ts'
import { problemIn, UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'
import type { AccountShare } from '../pipeline/request-share.ts'
import type { WatchedClient } from '../pipeline/watch-client.ts'
import type { ImageRequest } from './read-image-request.ts'

/** One admitted request for images on its way to its settlement. */
export interface ImageRun {
  /** What is known of the request, filled in as it goes; its id and time may be those of an earlier try. */
  record: RequestRecord
  request: ImageRequest
  admission: MediaAdmission
  client: WatchedClient
  share: AccountShare | undefined
  /** The parameters with addresses that vendors can fetch; made before the first call. */
  hosted: Promise<Record<string, unknown>> | undefined
  /** A vendor has the request, or a part of it. */
  hasBegun: boolean
  isSettled: boolean
  /** Keeps the answer; absent where the client sent no `Idempotency-Key`. */
  keep: OnceRequest['keep'] | undefined
}

export function openImageRun(
  record: RequestRecord,
  {
    request,
    admission,
    client,
    share,
    keep,
  }: Pick<ImageRun, 'request' | 'admission' | 'client' | 'share' | 'keep'>,
): ImageRun {
  record.model = request.model.entry.model
  record.vendor = request.model.entry.provider
  record.endUser = request.endUser ?? null
  return {
    record,
    request,
    admission,
    client,
    share,
    keep,
    hosted: undefined,
    hasBegun: false,
    isSettled: false,
  }
}

/** Settles the run, once, for so many images; resolves when that is durable. Throws what `settleMedia` throws. */
export async function settleImages(edge: Edge, run: ImageRun, made: number): Promise<void> {
  const { record, admission, client } = run
  run.isSettled = true
  if (record.status === 0) record.status = 200
  await settleMedia(edge.inference, admission, { record, end: { made, isDelivered: client.hasLeft } })
}

/** Ends a run that failed: released, and logged. Resolves to what to tell the client; nothing where it has left. */
export async function endFailed(edge: Edge, run: ImageRun, error: unknown): Promise<Problem | undefined> {
  const isGone = run.client.hasLeft || (error instanceof UpstreamFailure && error.kind === 'aborted')
  const problem = problemIn(error)
  const { record } = run
  if (!run.isSettled) {
    if (isGone) recordLeaving(record)
    else {
      record.status = problem.status
      record.errorCode = problem.code
    }
    await settleImages(edge, run, 0).catch(failure =>
      edge.log.error(
        { err: failure, requestId: record.requestId },
        'a failed request is settled later, if at all',
      ),
    )
    await discardImages(edge, run)
  }
  return isGone ? undefined : problem
}

/** Deletes the images that a request carried: it was not charged. */
async function discardImages({ media }: Edge, { hosted, admission, record }: ImageRun): Promise<void> {
  if (!hosted || !carriesData(admission.parameters)) return
  await hosted.catch(() => {}) // it may have stored some of them
  const { requestId, startedAt: since } = record
  await discardInputs(media, { accountId: admission.allowed.key.accountId, requestId, since })
}
