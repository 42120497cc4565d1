import { createHash } from 'node:crypto'
import type { KeptAnswer } from '../../domain/idempotency/claim-key.ts'
import { requireStorage } from '../../domain/media/media.ts'
import { discardMedia, type StoredMedia } from '../../domain/media/store-media.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { answerOnce } from '../pipeline/claim-idempotency.ts'
import { checkRates } from '../pipeline/count-request.ts'
import { identifyCaller } from '../pipeline/identify-caller.ts'
import { AccountShare } from '../pipeline/request-share.ts'
import { whileWaiting } from '../server/shed-load.ts'
import { receiveUpload } from './receive-upload.ts'

/** What a body may be: JSON, a form, or the file itself. */
const contentTypes =
  /^(application\/(json|octet-stream)|multipart\/form-data|image\/(png|jpeg|webp|gif)|video\/mp4)\s*(;|$)/i

/**
 * `POST /v1/uploads`: stores a file for later requests of the account (docs/behaviour.md, Stored media). Throws what is
 * told to the client.
 */
export async function serveUpload(edge: Edge, ctx: EdgeContext): Promise<void> {
  const key = await identifyCaller(edge, ctx, { contentTypes })
  requireStorage(edge.media)
  ctx.state.record.route = 'uploads'
  const share = new AccountShare(edge.accounts, key)
  try {
    const allowed = await checkRates(edge, ctx, key)
    const { stored, digest } = await whileWaiting(edge.load, receiveUpload(edge, ctx, { key, share }))
    const fingerprint = digest && createHash('sha256').update(`${ctx.path}\n`).update(digest).digest()
    let isAnswered = false
    try {
      const received = { bytes: stored.bytes, fingerprint, allowed }
      await answerOnce(edge, ctx, { key, received }, async keep => {
        const answer = answerOf(stored)
        const standing = (await keep?.(answer)) ?? answer
        ctx.status = standing.status
        ctx.type = standing.contentType
        ctx.body = Buffer.from(standing.body)
        isAnswered = standing === answer
      })
    } finally {
      if (!isAnswered) await discardMedia(edge.media, { accountId: key.accountId, ...stored })
    }
  } catch (error) {
    share.pace(ctx.req)
    throw error
  } finally {
    share.release()
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
