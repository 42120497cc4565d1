import { isRecord } from '../../platform/checks.ts'
import type { AdapterServices, HttpRequest } from '../chat-adapter.ts'
import type { KnownTask, MediaAdapter, MediaCall, MediaState } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { readPlainFailure } from './openai-chat/failure.ts'
import { locate } from './openai-images.ts'
import { requireText, unexpectedShape } from './shared/answer.ts'
import { failedState } from './shared/generation-faults.ts'
import { loadImages } from './shared/input-images.ts'
import { keyHeader, keyOf } from './shared/media-files.ts'
import { buildFields } from './shared/media-request.ts'
import { encodeForm } from './shared/multipart.ts'

/**
 * The videos wire format of vendor_a and the vendors that are compatible with it: a form is posted to `/videos`, the
 * video is polled by its ID, and its content is downloaded with the credential. A video cannot be cancelled: `DELETE`
 * applies to a video that has ended.
 */
export const openaiVideos: MediaAdapter = {
  buildSubmit,
  readSubmit: async (answer, _call, target) => readVideo(await answer.json(), target),
  buildPoll,
  readPoll: async (answer, { target }) => readVideo(await answer.json(), target),
  readFailure: readPlainFailure,
}

async function buildSubmit(call: MediaCall, target: Target, services: AdapterServices): Promise<HttpRequest> {
  const fields = { model: call.entry.upstream.model, ...buildFields(call, ['image_urls']) }
  const images = await loadImages(call, services)
  const { body, contentType } = await encodeForm(
    fields,
    images.map(image => ({ field: 'input_reference', image })),
  )
  return {
    ...locate(target, '/videos'),
    headers: { ...headersOf(target), 'content-type': contentType },
    body,
  }
}

function buildPoll({ upstream, target }: KnownTask): HttpRequest {
  return { ...locate(target, pathOf(upstream.id)), method: 'GET', headers: headersOf(target) }
}

function pathOf(id: string): string {
  return `/videos/${encodeURIComponent(id)}`
}

function headersOf(target: Target): Record<string, string> {
  return {
    ...keyHeader(keyOf(target), target.apiKey),
    accept: 'application/json',
    'accept-encoding': 'identity',
  }
}

function readVideo(video: Record<string, unknown>, target: Target): MediaState {
  const id = requireText(video.id)
  switch (video.status) {
    case 'queued':
    case 'in_progress':
      return { status: 'running', upstream: { id }, progress: numberOf(video.progress) }
    case 'completed': {
      const { path } = locate(target, `${pathOf(id)}/content`)
      return { status: 'done', files: [{ path, key: keyOf(target), contentType: 'video/mp4' }] }
    }
    case 'failed': {
      const { code, message } = isRecord(video.error) ? video.error : {}
      return failedState(code, message)
    }
    default:
      throw unexpectedShape()
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
