import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../dev/services/ports.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import type { PresentedTask } from '../../domain/tasks/present-task.ts'
import { startWorker } from '../../worker/start-worker.ts'
import { aByokSystem, type ByokSystem } from '../harness/a-byok-system.ts'
import { clientOf, type TestClient } from '../harness/a-client.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'

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
  const system = await aByokSystem({ WORKER_PORT: '0', EDGE_PORT: String(port), MEDIA_URL: mediaUrl, ...env })
  system.simulator.change({ generationMs: 100 })
  const catalogue = await theCatalogue()
  for (const entry of catalogue.models) {
    if (entry.modality === 'chat') continue
    entry.generation.poll_ms = 30
    if (entry.model === hasty) entry.generation.time_limit_ms = 1_000
  }
  if (ownModel) {
    const filmed = catalogue.models.find(({ model }) => model === 'vendor_m/matinee')
    if (filmed && filmed.modality !== 'chat') {
      const generation = { ...filmed.generation, idempotency_header: 'Idempotency-Key' }
      const named = { id: 'text-to-video.own', model: ownModel, provider: 'vendor_a' }
      catalogue.models.push({ ...filmed, ...named, generation })
    }
  }
  await applyCatalogue(system.context, catalogue)
  await sleep(1_300) // until the edge has it
  const worker = withWorker ? await startWorker(system.config) : undefined
  return {
    ...system,
    ended: (client, id, timeoutMs = 10_000) => untilEnded(system, client, { id, timeoutMs }),
    async close() {
      await worker?.close()
      await system.close()
    },
  }
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

/** What a poll answers. */
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

export interface WorkerProcess {
  process: ChildProcess
  /** `kill -9`, and wait until it is gone. */
  kill(): Promise<void>
}

/** A worker in a process of its own on the database of `system`: one that can be killed. */
export async function aWorkerProcess(system: TaskSystem): Promise<WorkerProcess> {
  const { config } = system
  const port = await freePort()
  const vendors = [...config.vendors].flatMap(([label, { apiKey, baseUrl }]) => [
    [`${label.toUpperCase()}_API_KEY`, apiKey],
    [`${label.toUpperCase()}_BASE_URL`, baseUrl],
  ])
  const child = spawn(process.execPath, ['worker/main.ts'], {
    cwd: new URL('../..', import.meta.url).pathname,
    stdio: 'ignore', // it must not hold the test's own output open
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_ENV: 'test',
      DATABASE_URL: config.databaseUrl,
      REDIS_URL: config.redisUrl,
      REDIS_PREFIX: config.redisPrefix,
      MEDIA_FOLDER: config.mediaFolder,
      WORKER_PORT: String(port),
      ALLOW_LOOPBACK: 'true',
      LOG_LEVEL: 'silent',
      ...Object.fromEntries(vendors),
    },
  })
  const exited = once(child, 'exit')
  system.children.add(child)
  child.once('exit', () => system.children.delete(child))
  await answersReady(`http://127.0.0.1:${port}/readyz`, child)
  return {
    process: child,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function answersReady(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 400 && child.exitCode === null; tries++) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    await sleep(50)
  }
  child.kill('SIGKILL')
  throw new Error('the worker did not become ready')
}
