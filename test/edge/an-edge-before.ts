import { createServer, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'
import type { EdgeLimits } from '../../inference-edge/edge-limits.ts'
import { type RunningEdge, startEdge } from '../../inference-edge/start-edge.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { listen } from '../../platform/http/listen.ts'

/** An edge before a control plane that answers as the test says. Both are closed when the test ends. */
export async function anEdgeBefore(
  config: Config,
  answer: RequestListener,
  settings: Partial<Config> = {},
  limits: Partial<EdgeLimits> = {},
): Promise<RunningEdge> {
  const plane = await listen(createServer(answer), { host: '127.0.0.1', port: 0 })
  const edge = await startEdge({ ...config, controlUrl: plane.url, shutdownGraceMs: 0, ...settings }, limits)
  onTestFinished(async () => {
    await plane.drain(0)
    await edge.close()
  })
  return edge
}
