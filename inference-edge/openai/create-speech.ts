import { isRecord } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { whileWaiting } from '../server/shed-load.ts'
import type { Submitted } from '../tasks/submit-task.ts'
import { tasksOf } from '../tasks/task-kind.ts'
import { awaitTask } from './await-task.ts'
import { sendResult } from './send-result.ts'

/**
 * `POST /openai/v1/audio/speech`: submits the task, waits for it, and responds with the audio itself. If the client
 * disconnects, the task continues and is charged.
 */
export const openaiSpeech = tasksOf({
  kind: 'speech',
  translate: (_edge, json) => refuseEvents(json),
  answer: answerSound,
})

async function answerSound(edge: Edge, ctx: EdgeContext, { task, keep }: Submitted): Promise<void> {
  const client = new AbortController()
  const leave = () => client.abort()
  // With an `Idempotency-Key`, the response is stored for the client's next request.
  if (!keep) ctx.res.once('close', leave)
  if (!keep && ctx.res.destroyed) leave()
  try {
    const ended = await whileWaiting(edge.load, awaitTask(edge, task, client.signal))
    if (ended) return await sendResult(edge, ctx, { task: ended, keep })
    ctx.state.record.status = 499
    ctx.respond = false
  } finally {
    ctx.res.off('close', leave)
  }
}

/**
 * Removes `stream_format: "audio"`, which is the format of the response. Throws `unsupported_parameter` for any other
 * value.
 */
function refuseEvents(json: unknown): unknown {
  if (!isRecord(json)) return json
  const { stream_format: format, ...others } = json
  if (format == null || format === 'audio') return others
  const message = 'stream_format must be audio. Events are not supported.'
  throw new Problem('unsupported_parameter', { param: 'stream_format', message })
}
