import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { Value } from 'typebox/value'
import { LoadFailure, type LoadPlan, LoadResult } from './plan.ts'

export interface LoadGenerator {
  pid: number
  /**
   * Runs one round and resolves with what it measured; one at a time. Throws when nothing was answered right, or when
   * the process dies.
   */
  generate(plan: LoadPlan): Promise<LoadResult>
  stop(): void
}

/** Starts the process that generates load; with a `niceness`, it gives way to the others where they want its CPU. */
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
  const answered = new AbortController()
  const { signal } = answered
  child.send(plan)
  try {
    const [message] = await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(([code, by]) => {
        throw new Error(`the load generator ended (${by ?? `exit code ${code}`})`)
      }),
    ])
    if (Value.Check(LoadResult, message)) return message
    throw new Error(Value.Parse(LoadFailure, message).faults.join('; '))
  } finally {
    answered.abort()
  }
}
