import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { inject } from 'vitest'
import { closeMedia, type Media, openMedia } from '../../../domain/media/media.ts'
import { aSystem } from '../a-context.ts'

export interface TestMedia extends Media {
  folder: string
  /** Moves the clock, in milliseconds. */
  advance(ms: number): void
  close(): Promise<void>
}

/** Stored media with a separate database and folder, and a clock that the test moves. */
export async function aMedia(env: Record<string, string> = {}): Promise<TestMedia> {
  const folder = join(inject('mediaFolder'), randomBytes(6).toString('hex'))
  const system = await aSystem({ MEDIA_FOLDER: folder, ...env })
  let aheadMs = 0
  const clock = { ...system.context.clock, now: () => Date.now() + aheadMs }
  const media = await openMedia({ ...system.context, clock })
  return {
    ...media,
    folder,
    advance(ms) {
      aheadMs += ms
    },
    async close() {
      closeMedia(media)
      await system.close()
    },
  }
}
