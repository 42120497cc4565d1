import type { MediaAdmission } from '../../domain/inference/admit-media.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { answerOnce } from '../pipeline/claim-idempotency.ts'
import { checkRates } from '../pipeline/count-request.ts'
import { identifyCaller } from '../pipeline/identify-caller.ts'
import { type Received, withBody } from '../pipeline/receive-body.ts'
import { watchClient } from '../pipeline/watch-client.ts'
import { whileWaiting } from '../server/shed-load.ts'
import { answerImages } from './answer-images.ts'
import { openImageRun } from './image-run.ts'
import { makeImages } from './make-images.ts'
import { isForm, parseEdit } from './parse-edit.ts'
import { readImageRequest } from './read-image-request.ts'

/** How a request for images comes. */
interface ImageRoute {
  /** As the log of requests names it. */
  route: string
  contentTypes?: RegExp
}

const generations: ImageRoute = { route: 'images.generations' }
const edits: ImageRoute = {
  route: 'images.edits',
  contentTypes: /^(application\/json|multipart\/form-data)\s*(;|$)/i,
}

/** `POST /v1/images/generations`. */
export function generateImages(edge: Edge, ctx: EdgeContext): Promise<void> {
  return serveImages(edge, ctx, generations)
}

/**
 * `POST /v1/images/edits`: the same, with the images of a form as `image_urls`. To a form it answers addresses and the
 * images: of OpenAI's clients, which send no `response_format` here, some read the one and some the other.
 */
export function editImages(edge: Edge, ctx: EdgeContext): Promise<void> {
  return serveImages(edge, ctx, edits)
}

/**
 * Serves a request for images, from the key to the charge: identify, read, replay, admit, call, store, settle, answer.
 * With an `Idempotency-Key` all from `admit` on happens once. Throws what is told to the client.
 */
async function serveImages(edge: Edge, ctx: EdgeContext, { route, contentTypes }: ImageRoute): Promise<void> {
  const { inference, load } = edge
  const { record } = ctx.state
  const key = await identifyCaller(edge, ctx, { contentTypes })
  const parse = parseEdit(ctx.req.headers)
  const usualFormat = isForm(ctx.req.headers) ? 'both' : 'url'
  const serve = async ({ json, ...received }: Received) => {
    const request = readImageRequest(inference.models, json, { usualFormat })
    await answerOnce(edge, ctx, { key, received }, async (keep, earlier) => {
      const client = watchClient(ctx.res, { stays: keep !== undefined })
      try {
        const allowed = await checkRates(edge, ctx, key, { tokens: 0, earlier })
        const { model, parameters } = request
        const admission: MediaAdmission = { allowed, model, parameters, reservation: undefined }
        record.route = route
        const run = openImageRun(record, { request, admission, client, share: ctx.state.share, keep })
        await answerImages(edge, ctx, run, whileWaiting(load, makeImages(edge, run)))
      } finally {
        client.cancellation.cancel()
      }
    })
  }
  await withBody(edge, ctx, key, serve, { parse })
}
