import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../dev/services/ports.ts'
import type { Catalogue } from '../../domain/models/read-catalogue.ts'
import type { PresentedTask } from '../../domain/tasks/present-task.ts'
import { startWorker } from '../../worker/start-worker.ts'
import { aByokSystem, type ByokSystem } from '../harness/a-byok-system.ts'
import { clientOf, type TestClient } from '../harness/a-client.ts'

export interface TaskSystem extends ByokSystem {
  /** Waits until a task has ended, and answers what a poll says then. */
  ended(client: TestClient, id: string, timeoutMs?: number): Promise<PresentedTask>
}

/** A model whose tasks may take a second. */
export const hasty = 'vendor_i/reel-motion'

/** An edge and a worker over the simulator, which makes things at once; tasks are polled often. */
export async function aTaskSystem(
  env: Record<string, string> = {},
  { withWorker = true, ownModel }: { withWorker?: boolean; ownModel?: string } = {},
): Promise<TaskSystem> {
  const port = await freePort()
  const mediaUrl = `http://127.0.0.1:${port}/media`
  const system = await aByokSystem(
    { WORKER_PORT: '0', EDGE_PORT: String(port), MEDIA_URL: mediaUrl, ...env },
    catalogue => hurry(catalogue, ownModel),
  )
  system.simulator.change({ generationMs: 100 })
  const worker = withWorker ? await startWorker(system.config) : undefined
  return {
    ...system,
    ended: (client, id, timeoutMs = 20_000) => untilEnded(system, client, { id, timeoutMs }),
    async close() {
      await worker?.close()
      await system.close()
    },
  }
}

/** Tasks are polled often. `ownModel` is one of videos at a vendor of whom customers have keys. */
function hurry(catalogue: Catalogue, ownModel: string | undefined): void {
  for (const entry of catalogue.models) {
    if (entry.modality === 'chat') continue
    entry.generation.poll_ms = 30
    if (entry.model === hasty) entry.generation.time_limit_ms = 1_000
  }
  const filmed = catalogue.models.find(({ model }) => model === 'vendor_m/matinee')
  if (!ownModel || !filmed || filmed.modality === 'chat') return
  const generation = { ...filmed.generation, idempotency_header: 'Idempotency-Key' }
  const named = { id: 'text-to-video.own', model: ownModel, provider: 'vendor_a' }
  catalogue.models.push({ ...filmed, ...named, generation })
}

async function untilEnded(
  system: ByokSystem,
  client: TestClient,
  { id, timeoutMs }: { id: string; timeoutMs: number },
): Promise<PresentedTask> {
  const until = performance.now() + timeoutMs
  for (;;) {
    const task = await poll(system, client, id)
    if (task.status !== 'pending' || performance.now() > until) return task
    await sleep(40)
  }
}

/** The response to a poll. */
export async function poll(
  { baseURL }: Pick<TaskSystem, 'baseURL'>,
  { text }: TestClient,
  id: string,
): Promise<PresentedTask> {
  const headers = { authorization: `Bearer ${text}` }
  const response = await fetch(`${baseURL}/videos/generations/${id}`, { headers })
  return response.json()
}

/** Submits a task, and answers its id. */
export async function submit(
  system: Pick<TaskSystem, 'baseURL'>,
  client: TestClient,
  body: object,
  path = '/videos/generations',
): Promise<string> {
  const response = await clientOf(system, client).post(path, body)
  const task = await response.json()
  if (response.status !== 200) throw new Error(JSON.stringify(task))
  return task.id
}
