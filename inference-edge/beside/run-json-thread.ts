import { createHash } from 'node:crypto'
import { parseJson } from '../../platform/http/parse-json.ts'
import { BodyRefused } from '../../platform/http/read-body.ts'
import type { DetachedTexts } from '../../platform/json/detached-texts.ts'
import { answerTasks } from '../../platform/process/task-thread.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { detachImages } from './detach-images.ts'

/** A body to parse. */
export interface JsonTask {
  body: Uint8Array
  /** If set, the SHA-256 of this text followed by the body is calculated. */
  digestAfter: string | undefined
  /** The route whose long images are detached. */
  detachFor: Protocol['route'] | undefined
}

export interface JsonReply {
  json?: unknown
  images?: DetachedTexts | undefined
  digest?: Uint8Array | undefined
  refused?: { message: string }
}

answerTasks(answer, ({ images }) => images?.texts.map(({ buffer }) => buffer) ?? [])

function answer({ body, digestAfter, detachFor }: JsonTask): JsonReply {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  try {
    const digest =
      digestAfter === undefined ? undefined : createHash('sha256').update(digestAfter).update(bytes).digest()
    const json = parseJson(bytes)
    return { json, images: detachFor && detachImages(json, detachFor), digest }
  } catch (error) {
    if (error instanceof BodyRefused) return { refused: { message: error.message } }
    throw error
  }
}
