import type { Exchange } from '../../server/exchange.ts'
import { sendWhole } from '../../server/send.ts'
import { filesOf, readFile } from '../media/files.ts'
import { checkFailed, finishGeneration, submitGeneration } from '../media/generation.ts'
import type { Size } from '../media/sizes.ts'
import { lastUserText, type Prompt } from '../model/prompt.ts'
import type { Simulator } from '../simulator.ts'
import { errorInAnswer } from './errors.ts'
import type { GenerateHost } from './generate.ts'

/** Answers with a short text and one inline image of this size. */
export async function answerWithImages(
  host: GenerateHost,
  simulator: Simulator,
  exchange: Exchange,
  { caller, model, prompt, size }: { caller: string; model: string; prompt: Prompt; size: Size },
): Promise<void> {
  const { generation, fault } = await submitGeneration(simulator, exchange, {
    caller,
    model,
    prompt: lastUserText(prompt),
    product: { kind: 'image', size, count: 1 },
    refuse: host.refuseFailure,
  })
  await finishGeneration(exchange, generation)
  checkFailed(generation, host.refuseFailure)
  const isBlocked = fault?.name === 'refusal'
  const files = isBlocked ? [] : filesOf(simulator, generation)
  const images = files.flatMap(name => simulator.files.get(name) ?? [])
  const parts = images.map(file => ({
    inlineData: { mimeType: 'image/png', data: readFile(file).toString('base64') },
  }))
  const content = { role: 'model', parts: [{ text: 'Here is your picture.' }, ...parts] }
  const blocked = {
    finishReason: 'IMAGE_SAFETY',
    finishMessage: 'The image was refused by the content policy.',
    index: 0,
  }
  const body = {
    candidates: [isBlocked ? blocked : { content, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: 16,
      candidatesTokenCount: parts.length * 1_290,
      totalTokenCount: 1_306,
    },
    modelVersion: model,
    responseId: `sim${exchange.id.toString(36).padStart(19, '0')}`,
  }
  const headers = { ...host.presentHeaders(), 'content-type': 'application/json; charset=UTF-8' }
  await sendWhole(exchange, { headers, body, errorBody: errorInAnswer, fault })
}
