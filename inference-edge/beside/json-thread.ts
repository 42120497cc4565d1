import { BodyRefused } from '../../platform/http/read-body.ts'
import type { DetachedTexts } from '../../platform/json/detached-texts.ts'
import { openTaskThread, ownMemory } from '../../platform/process/task-thread.ts'
import type { Protocol } from '../protocols/protocol.ts'
import type { JsonReply, JsonTask } from './run-json-thread.ts'

/** A body that was parsed beside the event loop. */
export interface ParsedBeside {
  json: unknown
  /** The long images, if they were detached. */
  images: DetachedTexts | undefined
  digest: Buffer | undefined
}

/** Parses large bodies beside the event loop. */
export interface JsonThread {
  /**
   * Parses a body as JSON and, with `digestAfter`, returns the SHA-256 of that text and the body. With `detachFor`, long
   * images are detached. The body's memory moves to the thread. Throws BodyRefused as `parseJson` does.
   */
  parse(
    body: Buffer,
    options: { digestAfter?: string | undefined; detachFor?: Protocol['route'] | undefined },
  ): Promise<ParsedBeside>
  close(): Promise<void>
}

/** Opens the thread of a process. It starts with the first body. */
export function openJsonThread(): JsonThread {
  const thread = openTaskThread<JsonTask, JsonReply>('run-json-thread', import.meta.url)
  return {
    async parse(body, { digestAfter, detachFor }) {
      const { json, images, digest, refused } = await thread.run(
        { body, digestAfter, detachFor },
        ownMemory(body),
      )
      if (refused) throw new BodyRefused('invalid_json', refused.message || undefined)
      return { json, images, digest: digest && Buffer.from(digest) }
    },
    close: () => thread.close(),
  }
}
