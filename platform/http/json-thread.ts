import { openTaskThread } from '../process/task-thread.ts'
import { BodyRefused } from './body-refused.ts'
import type { JsonReply, JsonTask } from './run-json-thread.ts'

/** Parses large bodies beside the event loop. */
export interface JsonThread {
  /**
   * A body as JSON, and its SHA-256 after `digestAfter` where that is given. The body's memory goes to the
   * thread. Throws BodyRefused as `parseJson` does.
   */
  parse(body: Buffer, digestAfter?: string): Promise<{ json: unknown; digest: Buffer | undefined }>
  close(): Promise<void>
}

export function openJsonThread(): JsonThread {
  const thread = openTaskThread<JsonTask, JsonReply>('run-json-thread', import.meta.url)
  return {
    async parse(body, digestAfter) {
      const { buffer } = body
      const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength
      const reply = await thread.run({ body, digestAfter }, isOwn ? [buffer] : [])
      if (reply.refused) throw new BodyRefused('invalid_json', reply.refused.message || undefined)
      return { json: reply.json, digest: reply.digest && Buffer.from(reply.digest) }
    },
    close: () => thread.close(),
  }
}
