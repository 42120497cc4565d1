import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkout } from './home.ts'
import { requireFreePort } from './services/ports.ts'
import { type Service, spawnService } from './services/spawn-service.ts'

/** One of our own processes. */
export interface ProcessPlan {
  name: string
  /** Its entry file, from the checkout. */
  entry: string
  args?: string[]
  /** Its code uses decorators, which Node does not know. */
  hasDecorators?: boolean
  port: number
  /** On top of the system's. */
  environment?: NodeJS.ProcessEnv
  /** Polled until it answers 2xx: then the process is ready. */
  readyPath: string
}

const readyTimeoutMs = 60_000

/**
 * Starts a process from its source and waits until it is ready. Throws a one-line error, taken from its log
 * where it wrote one, when it ends before that, takes longer than `readyTimeoutMs`, or `halt` is aborted.
 */
export async function startProcess(
  plan: ProcessPlan,
  options: { environment: NodeJS.ProcessEnv; logs: string; halt: AbortSignal },
): Promise<Service> {
  await requireFreePort(plan.port, plan.name)
  const logFile = join(options.logs, `${plan.name}.log`)
  const service = await spawnService({
    command: process.execPath,
    args: [...loaderOf(plan), join(checkout, plan.entry), ...(plan.args ?? [])],
    folder: checkout,
    environment: { ...options.environment, ...plan.environment },
    logFile,
  })
  const fault = await faultBeforeReady(plan, service, options.halt)
  if (!fault) return service
  await service.stop(0)
  throw new Error(`${plan.name} did not start: ${lastLineOf(service.printed()) || fault} (${logFile})`)
}

/** Node strips types by itself; what has decorators is compiled as it is loaded. */
function loaderOf({ hasDecorators }: ProcessPlan): string[] {
  return hasDecorators ? ['--import', import.meta.resolve('tsx')] : []
}

/** Undefined once it is ready, else why it is not. */
async function faultBeforeReady(plan: ProcessPlan, service: Service, halt: AbortSignal) {
  const ended = new AbortController()
  service.ended.then(reason => ended.abort(reason))
  const enough = AbortSignal.any([ended.signal, halt, AbortSignal.timeout(readyTimeoutMs)])
  if (await answersWell(`http://127.0.0.1:${plan.port}${plan.readyPath}`, enough)) return undefined
  return ended.signal.aborted ? String(ended.signal.reason) : 'it does not become ready'
}

/**
 * The error that a process wrote: the line that opens its stack trace, or else its last line that is no JSON.
 */
function lastLineOf(log: string): string {
  const lines = log.trim().split('\n')
  return (
    lines.findLast(line => /^\w*Error\b.*:/.test(line)) ?? lines.findLast(line => !line.startsWith('{')) ?? ''
  )
}

/**
 * Polls the address ten times a second until it answers 2xx. Resolves to false when `enough` is aborted
 * first.
 */
export async function answersWell(address: string, enough: AbortSignal): Promise<boolean> {
  while (!enough.aborted) {
    const answered = await fetch(address, { signal: AbortSignal.timeout(2000) }).then(
      response => response.ok,
      () => false,
    )
    if (answered) return true
    await sleep(100)
  }
  return false
}
