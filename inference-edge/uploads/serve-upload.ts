import { createHash } from 'node:crypto'
import type { KeptAnswer } from '../../domain/idempotency/claim-key.ts'
import type { KeepAnswer } from '../../domain/idempotency/run-once.ts'
import { requireStorage } from '../../domain/media/media.ts'
import { discardMedia, type StoredMedia } from '../../domain/media/store-media.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { claimIdempotency, readIdempotencyKey } from '../pipeline/claim-idempotency.ts'
import { countRequest, failCounted } from '../pipeline/count-request.ts'
import { identifyCaller } from '../pipeline/identify-caller.ts'
import { RequestShare } from '../pipeline/request-share.ts'
import { whileWaiting } from '../server/shed-load.ts'
import { receiveUpload } from './receive-upload.ts'

/** Content types of the body: JSON, a form, or the file itself. */
const contentTypes =
  /^(application\/(json|octet-stream)|multipart\/form-data|image\/(png|jpeg|webp|gif)|video\/mp4)\s*(;|$)/i

/** `POST /v1/uploads`: stores a file for later requests of the account (docs/behaviour.md, Stored media). */
export async function serveUpload(edge: Edge, ctx: EdgeContext): Promise<void> {
  const key = await identifyCaller(edge, ctx, { contentTypes, admitsSession: true })
  requireStorage(edge.media)
  ctx.state.record.route = 'uploads'
  using share = new RequestShare(edge.accounts, key)
  ctx.state.share = share
  try {
    await countRequest(edge, ctx, key)
    const { stored, digest } = await whileWaiting(edge.load, receiveUpload(edge, ctx, { key, share }))
    let isAnswered = false
    const answer = async (keep?: KeepAnswer) => {
      const own = answerOf(stored)
      const kept = (await keep?.(own)) ?? own
      ctx.status = kept.status
      ctx.type = kept.contentType
      ctx.body = Buffer.from(kept.body)
      isAnswered = kept === own
    }
    try {
      const idempotencyKey = readIdempotencyKey(ctx)
      if (idempotencyKey === undefined || digest === undefined) return await answer()
      const fingerprint = createHash('sha256').update(`${ctx.path}\n`).update(digest).digest()
      await claimIdempotency(edge, ctx, { key, idempotencyKey, fingerprint }, answer)
    } finally {
      if (!isAnswered) await discardMedia(edge.media, { accountId: key.accountId, ...stored })
    }
  } catch (error) {
    return await failCounted(edge, ctx, { key, error })
  }
}

function answerOf({ id, url, contentType, bytes, createdAt, expiresAt }: StoredMedia): KeptAnswer {
  const body = {
    id,
    object: 'upload',
    url,
    content_type: contentType,
    bytes,
    created: Math.floor(createdAt.getTime() / 1000),
    expires_at: Math.floor(expiresAt.getTime() / 1000),
  }
  return {
    status: 200,
    contentType: 'application/json; charset=utf-8',
    body: Buffer.from(JSON.stringify(body)),
  }
}
