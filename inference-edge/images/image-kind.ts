import type { MediaAdmission } from '../../domain/inference/admit-media.ts'
import type { PaidKind } from '../pipeline/paid-kind.ts'
import { answerImages } from './answer-images.ts'
import { openImageRun } from './image-run.ts'
import { isForm, parseEdit } from './parse-edit.ts'
import { type ImageRequest, readImageRequest } from './read-image-request.ts'

type ImageKind = PaidKind<ImageRequest, ImageRequest & { rateTokens: number }>

/** `POST /v1/images/generations`. */
export const imageGenerations: ImageKind = imagesOf('images.generations')

/**
 * `POST /v1/images/edits`: the same, with the images of a form as `image_urls`. The response to a form has both URLs
 * and images, because OpenAI's clients send no `response_format` here, and some read `url` while others read
 * `b64_json`.
 */
export const imageEdits: ImageKind = {
  ...imagesOf('images.edits'),
  contentTypes: /^(application\/json|multipart\/form-data)\s*(;|$)/i,
}

/** Returns requests for images as a kind of paid request, under their name in the request log. */
function imagesOf(route: string): ImageKind {
  return {
    parser: ctx => parseEdit(ctx.req.headers),
    read({ inference }, ctx, { json }) {
      return readImageRequest(inference.models, json, {
        usualFormat: isForm(ctx.req.headers) ? 'both' : 'url',
      })
    },
    demand: (_edge, _key, request) => ({ ...request, rateTokens: 0 }),
    open(edge, ctx, { asked: request, allowed, client, keep }) {
      const { record, share, span } = ctx.state
      record.route = route
      const { model, parameters, labels } = request
      const admission: MediaAdmission = { allowed, labels, model, parameters, reservation: undefined }
      return answerImages(edge, ctx, openImageRun(record, { request, admission, client, share, span, keep }))
    },
  }
}
