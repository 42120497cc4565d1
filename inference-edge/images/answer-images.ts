import { priceOfMade } from '../../domain/inference/admit-media.ts'
import { settleRequest } from '../../domain/inference/settle-request.ts'
import { recordLeaving } from '../../domain/ledger/request-record.ts'
import { discardInputs } from '../../domain/media/discard-files.ts'
import { carriesData } from '../../domain/media/host-inputs.ts'
import { hole, SplicedJson } from '../../platform/json/spliced-json.ts'
import { dollars } from '../../platform/money.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { beginSettlement, type PaidRun } from '../pipeline/paid-kind.ts'
import { respondKept } from '../pipeline/respond-kept.ts'
import { whileWaiting } from '../server/shed-load.ts'
import { deliverImages, type ImageData } from './deliver-images.ts'
import type { ImageRun } from './image-run.ts'
import { type MadeImages, makeImages } from './make-images.ts'

/**
 * Returns the steps of a request for images. The response is sent when the images are stored and charged. A client that
 * disconnects while they are generated pays for them. A failure is not charged and has its own HTTP status.
 */
export function answerImages(edge: Edge, ctx: EdgeContext, run: ImageRun): PaidRun {
  const { record, client, request, admission, keep } = run
  const { clock } = edge.inference.context
  let made!: MadeImages
  let data: ImageData[] = []
  return {
    state: run,
    async attempt() {
      made = await whileWaiting(edge.load, makeImages(edge, run))
      record.vendor = made.target.vendor
      record.byokId = made.target.byokId ?? null
      record.firstByteMs = clock.monotonic() - record.begunAt
      if (!client.hasLeft) data = await whileWaiting(edge.load, deliverImages(edge, run, made))
    },
    settle() {
      if (client.hasLeft) recordLeaving(record)
      return settleImages(edge, run, data.length || made.files.length)
    },
    async respond() {
      const body = await print(
        { created: Math.floor(clock.now() / 1000), cost: dollars(record.costNanos) },
        data,
      )
      ctx.set('x-model', request.model.entry.model)
      const standing = admission.allowed.key
      await respondKept(edge, ctx, { body, keep, standing, byokId: made.target.byokId })
    },
    async settleFailed() {
      await settleImages(edge, run, 0).finally(() => discardImages(edge, run))
    },
  }
}

/** Charges the images that were made, or releases the hold. Resolves when that is durable. */
function settleImages(edge: Edge, run: ImageRun, made: number): Promise<void> {
  const { record, admission } = run
  const { allowed, reservation } = admission
  const { isDelivered } = beginSettlement(run)
  const price = record.byokId === null ? priceOfMade(admission, made) : undefined
  return settleRequest(edge.inference, record, { allowed, reservation, price, isDelivered })
}

/** Deletes the images that an uncharged request sent. */
async function discardImages({ media }: Edge, { hosted, admission, record }: ImageRun): Promise<void> {
  if (!hosted || !carriesData(admission.parameters)) return
  await hosted.catch(() => {}) // it may have stored some of them
  const { requestId, startedAt: since } = record
  await discardInputs(media, { accountId: admission.allowed.key.accountId, requestId, since })
}

function print(charged: { created: number; cost: number }, images: ImageData[]): Promise<Buffer> {
  const data = images.map(image => (image.b64_json ? { ...image, b64_json: hole } : image))
  return new SplicedJson(
    { ...charged, data },
    images.flatMap(({ b64_json }) => b64_json ?? []),
  ).print()
}
