import type { HttpRequest } from '../chat-adapter.ts'
import type { MediaAdapter, MediaAnswer, MediaCall, MediaState } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { failureOfErrorBody, readPlainFailure } from './openai-chat/failure.ts'
import { locate } from './openai-images.ts'
import { keyHeader, keyOf } from './shared/media-files.ts'
import { buildFields } from './shared/media-request.ts'

/**
 * The speech wire format of vendor_a and the vendors that are compatible with it. The answer is the audio itself, which
 * is forwarded as it arrives.
 */
export const openaiSpeech: MediaAdapter = {
  buildSubmit,
  readSubmit: readSound,
  readFailure: readPlainFailure,
}

function buildSubmit(call: MediaCall, target: Target): HttpRequest {
  return {
    ...locate(target, '/audio/speech'),
    headers: {
      ...keyHeader(keyOf(target), target.apiKey),
      'content-type': 'application/json',
      accept: '*/*',
      'accept-encoding': 'identity',
    },
    body: JSON.stringify({ model: call.entry.upstream.model, ...buildFields(call) }),
  }
}

/** Throws UpstreamFailure if the vendor sends JSON instead of audio. */
async function readSound(answer: MediaAnswer): Promise<MediaState> {
  const contentType = answer.headers['content-type']
  if (contentType?.includes('json')) throw failureOfErrorBody(await answer.json())
  return { status: 'done', files: [{ content: answer.stream(), contentType }] }
}
