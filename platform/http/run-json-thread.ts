import { createHash } from 'node:crypto'
import { answerTasks } from '../process/task-thread.ts'
import { parseJson } from './parse-json.ts'
import { BodyRefused } from './read-body.ts'

/** A body to parse. */
export interface JsonTask {
  body: Uint8Array
  /** Ask for the SHA-256 of this text and the body after it. */
  digestAfter: string | undefined
}

export interface JsonReply {
  json?: unknown
  digest?: Uint8Array | undefined
  refused?: { message: string }
}

answerTasks(({ body, digestAfter }: JsonTask): JsonReply => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  try {
    const digest =
      digestAfter === undefined ? undefined : createHash('sha256').update(digestAfter).update(bytes).digest()
    return { json: parseJson(bytes), digest }
  } catch (error) {
    if (error instanceof BodyRefused) return { refused: { message: error.message } }
    throw error
  }
})
