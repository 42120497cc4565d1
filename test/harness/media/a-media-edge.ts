import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, inject } from 'vitest'
import { freePort } from '../../../dev/services/ports.ts'
import { closeMedia, type Media, openMedia } from '../../../domain/media/media.ts'
import type { EdgeLimits } from '../../../inference-edge/edge-limits.ts'
import { anEdgeSystem, type EdgeSystem } from '../an-edge.ts'
import { expectLedgerToBalance } from '../invariants.ts'
import { perFile } from '../per-file.ts'

export interface MediaSystem extends EdgeSystem {
  /** The storage that the edge serves. */
  media: Media
  folder: string
}

/** Starts an edge that serves media under its own address from a separate folder. */
export async function aMediaEdge(
  env: Record<string, string> = {},
  limits: Partial<EdgeLimits> = {},
): Promise<MediaSystem> {
  const port = await freePort()
  const folder = join(inject('mediaFolder'), randomBytes(6).toString('hex'))
  const own = { EDGE_PORT: String(port), MEDIA_URL: `http://127.0.0.1:${port}/media`, MEDIA_FOLDER: folder }
  const system = await anEdgeSystem({ ...own, ...env }, { limits })
  const media = await openMedia(system.context)
  return {
    ...system,
    media,
    folder,
    async close() {
      closeMedia(media)
      await system.close()
    },
  }
}

/** Starts the media edge of a test file. After each test the ledger must balance. */
export function theMediaEdge(...options: Parameters<typeof aMediaEdge>): MediaSystem {
  const system = perFile(() => aMediaEdge(...options))
  afterEach(() => expectLedgerToBalance(system.context.sql))
  return system
}
