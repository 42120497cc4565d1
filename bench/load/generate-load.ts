import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import type { LoadPlan, LoadResult } from './plan.ts'

export interface LoadGenerator {
  pid: number
  /** Runs one round at a time. Throws if no response was correct, or if the process ends. A cold server may respond late. */
  generate(plan: LoadPlan): Promise<LoadResult>
  stop(): void
}

/** Starts the process that generates load. With a `niceness`, it runs at a lower priority. */
export function startLoadGenerator(niceness = 0): LoadGenerator {
  const child = fork(new URL('main.ts', import.meta.url), { execArgv: [] })
  if (niceness > 0) setPriority(child.pid!, niceness)
  return {
    pid: child.pid!,
    generate: plan => generate(child, plan),
    stop: () => child.disconnect(),
  }
}

async function generate(child: ChildProcess, plan: LoadPlan): Promise<LoadResult> {
  const over = new AbortController()
  const { signal } = over
  child.send(plan)
  try {
    const [result]: [LoadResult] = await Promise.race([
      once(child, 'message', { signal }) as Promise<[LoadResult]>,
      once(child, 'exit', { signal }).then(([code, by]) => {
        throw new Error(`the load generator ended (${by ?? `exit code ${code}`})`)
      }),
    ])
    if (result.answers > 0) return result
    throw new Error(['no correct response', ...result.faults].join('; '))
  } finally {
    over.abort()
  }
}
