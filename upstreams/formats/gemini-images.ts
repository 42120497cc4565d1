import type { AdapterServices, HttpRequest } from '../chat-adapter.ts'
import type { MediaAdapter, MediaAnswer, MediaCall, MediaState } from '../media-adapter.ts'
import type { Target } from '../targets.ts'
import { locateModel } from './gemini/adapter.ts'
import { failureOfError, readFailure } from './gemini/failure.ts'
import type { Candidate, GenerateAnswer, Part } from './gemini/wire.ts'
import { guardShape, requireText } from './shared/answer.ts'
import { failedState } from './shared/generation-faults.ts'
import { loadImages } from './shared/input-images.ts'
import { inlineFile, keyHeader } from './shared/media-files.ts'
import { buildFields } from './shared/media-request.ts'

const googleKey = { header: 'x-goog-api-key', scheme: '' }

/**
 * Images in the Gemini format (vendor_c): the prompt and the input images are one turn, and the model's turn contains
 * the images. The model's rules define where in `generationConfig` parameters are sent.
 */
export const geminiImages: MediaAdapter = {
  buildSubmit,
  readSubmit: readImages,
  readFailure,
}

async function buildSubmit(call: MediaCall, target: Target, services: AdapterServices): Promise<HttpRequest> {
  const images = await loadImages(call, services)
  const parts: Part[] = images.map(({ mimeType, data }) => ({ inlineData: { mimeType, data } }))
  parts.push({ text: requireText(call.parameters.prompt) })
  const { origin, path } = locateModel(target.baseUrl, call.entry.upstream.model)
  return {
    origin,
    path: `${path}:generateContent`,
    headers: {
      ...keyHeader(googleKey, target.apiKey),
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
    },
    body: JSON.stringify({
      contents: [{ role: 'user', parts }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        ...buildFields(call, ['prompt', 'image_urls']),
      },
    }),
  }
}

async function readImages(answer: MediaAnswer): Promise<MediaState> {
  const body: GenerateAnswer = await answer.json()
  if (body.error) throw failureOfError(body.error)
  return guardShape(() => {
    const parts = (body.candidates ?? []).flatMap(({ content }) => content?.parts ?? [])
    // Images within thoughts are not results.
    const images = parts.flatMap(({ inlineData, thought }) => (thought ? [] : (inlineData ?? [])))
    if (images.length === 0) return refusalOf(body)
    return { status: 'done', files: images.map(({ data, mimeType }) => inlineFile(data, mimeType)) }
  })
}

/** Reasons with which the vendor refuses the content of a prompt or an image. */
const policyReasons = new Set<string>([
  ...['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'OTHER', 'MODEL_ARMOR', 'JAILBREAK'],
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION'],
])

/** Returns the failure of an answer without an image: the vendor refused, or the model returned only text. */
function refusalOf({ promptFeedback, candidates }: GenerateAnswer): MediaState {
  const [first] = candidates ?? []
  const reason = promptFeedback?.blockReason ?? first?.finishReason ?? ''
  const isPolicy = policyReasons.has(reason) && (promptFeedback !== undefined || reason !== 'OTHER')
  const words = promptFeedback?.blockReasonMessage ?? first?.finishMessage ?? textOf(first)
  return failedState(isPolicy ? 'content_policy' : undefined, words || `The vendor made no image: ${reason}.`)
}

function textOf(candidate: Candidate | undefined): string {
  return (candidate?.content?.parts ?? []).map(({ text, thought }) => (thought ? '' : (text ?? ''))).join('')
}
