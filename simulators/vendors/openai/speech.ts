import { z } from 'zod'
import { startAnswer } from '../../server/faults.ts'
import { sendStream, sendWhole } from '../../server/send.ts'
import { readShape } from '../../server/shape.ts'
import { makeSound, soundTypes } from '../media/make-sound.ts'
import type { Handler } from '../simulator.ts'
import type { ChatHost } from './chat.ts'
import { refuse, refuseIssue, refuseModel } from './errors.ts'
import { traitsOf } from './shape.ts'

const voices = [
  ...(['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'] as const),
  ...(['verse', 'marin', 'cedar'] as const),
]
const bodyShape = z.strictObject({
  model: z.string().min(1),
  input: z.string().min(1).max(4_096),
  voice: z.enum(voices),
  instructions: z.string().max(4_096).nullish(),
  response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).nullish(),
  speed: z.number('a decimal').min(0.25, 'decimal').max(4, 'decimal').nullish(),
  stream_format: z.enum(['audio']).nullish(),
})

/** How long a character is spoken. */
const secondsPerCharacter = 0.06

/** POST /v1/audio/speech: the sound as it is made, in pieces. */
export function createSpeech(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    host.authenticate(exchange)
    const { model, input, response_format, speed } = readShape(bodyShape, exchange.body.json, refuseIssue)
    if (traitsOf(model).isMissing) throw refuseModel(model)
    const fault = await startAnswer(simulator, exchange, {
      model,
      text: input,
      refuse: host.refuseFailure,
    })
    if (fault?.name === 'refusal') {
      throw refuse(400, 'Your request was rejected by the safety system.', {
        code: 'content_policy_violation',
      })
    }
    if (fault?.name === 'fail') {
      throw host.refuseFailure({ kind: 'status', status: fault.status, model, retryAfterMs: 1000 })
    }
    const headers = host.presentHeaders(exchange)
    if (fault?.name === 'error-frame') {
      return sendWhole(exchange, { headers, body: '{}', errorBody: host.errorInAnswer, fault })
    }
    const format = response_format ?? 'mp3'
    const seconds = Math.max(0.1, (input.length * secondsPerCharacter) / (speed ?? 1))
    await sendStream(simulator, exchange, {
      headers: { ...headers, 'content-type': soundTypes[format] },
      frames: makeSound(format, seconds),
      brokenFrame: Buffer.from('no sound'),
      errorFrame: Buffer.alloc(0),
      fault,
    })
  }
}
