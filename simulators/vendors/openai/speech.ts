import { startAnswer } from '../../server/faults.ts'
import { sendStream, sendWhole } from '../../server/send.ts'
import { readShape } from '../../server/shape.ts'
import { makeSound, soundTypes } from '../media/make-sound.ts'
import type { Handler } from '../simulator.ts'
import type { ChatHost } from './chat.ts'
import { refuse, refuseMismatch, refuseModel } from './errors.ts'
import { speechShape, traitsOf } from './shape.ts'

const secondsPerCharacter = 0.06

/** Handles `POST /v1/audio/speech`, which streams the sound. */
export function createSpeech(host: ChatHost): Handler {
  return async (simulator, exchange) => {
    host.authenticate(exchange)
    const { model, input, response_format, speed } = readShape(
      speechShape,
      exchange.body.json,
      refuseMismatch,
    )
    if (traitsOf(model).isMissing) throw refuseModel(model)
    const answering = { model, text: input, refuse: host.refuseFailure }
    const fault = await startAnswer(simulator, exchange, answering)
    if (fault?.name === 'refusal') {
      const message = 'Your request was rejected by the safety system.'
      throw refuse(400, message, { code: 'content_policy_violation' })
    }
    if (fault?.name === 'fail')
      throw host.refuseFailure({ kind: 'status', status: fault.status, model, retryAfterMs: 1000 })
    const headers = host.presentHeaders(exchange)
    if (fault?.name === 'error-frame')
      return sendWhole(exchange, { headers, body: {}, errorBody: host.errorInAnswer, fault })
    const format = response_format ?? 'mp3'
    const seconds = Math.max(0.1, (input.length * secondsPerCharacter) / (speed ?? 1))
    await sendStream(simulator, exchange, {
      headers: { ...headers, 'content-type': soundTypes[format] },
      frames: makeSound(format, seconds),
      brokenFrame: Buffer.from('not a sound'),
      errorFrame: Buffer.alloc(0),
      fault,
    })
  }
}
