import type { MediaAdmission } from '../../domain/inference/admit-media.ts'
import type { RequestRecord } from '../../domain/ledger/request-record.ts'
import type { Span } from '../../platform/tracing/tracing.ts'
import type { RunState } from '../pipeline/paid-kind.ts'
import type { RequestShare } from '../pipeline/request-share.ts'
import type { ImageRequest } from './read-image-request.ts'

/** One admitted request for images, until its settlement. */
export interface ImageRun extends RunState {
  request: ImageRequest
  admission: MediaAdmission
  share: RequestShare | undefined
  /** The span of the request, if requests are traced. */
  span: Span | undefined
  /** The parameters with URLs that vendors can fetch; created before the first call. */
  hosted: Promise<Record<string, unknown>> | undefined
  /** Whether a vendor has the request, or a part of it. */
  hasBegun: boolean
}

export function openImageRun(
  record: RequestRecord,
  given: Pick<ImageRun, 'request' | 'admission' | 'client' | 'share' | 'span' | 'keep'>,
): ImageRun {
  const { model, labels } = given.request
  record.model = model.entry.model
  record.vendor = model.entry.provider
  record.metadata = labels.metadata
  record.endUser = labels.endUser
  const begun = { hosted: undefined, hasBegun: false, hasReachedClient: false, isSettled: false }
  return { record, ...given, ...begun }
}
