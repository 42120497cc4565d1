import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkout } from './home.ts'
import { requireFreePort } from './services/ports.ts'
import { type Service, spawnService } from './services/spawn-service.ts'

/** A process of Rubicon. */
export interface ProcessPlan {
  name: string
  /** The path of its entry file in the checkout. */
  entry: string
  args?: string[]
  /** Whether its code uses decorators, which Node does not support. */
  hasDecorators?: boolean
  port: number
  /** Variables in addition to the system's. */
  environment?: NodeJS.ProcessEnv
  /** The path that is polled until it returns 2xx: then the process is ready. */
  readyPath: string
}

const readyTimeoutMs = 60_000

/**
 * Starts a process from its source and waits until it is ready. Throws a one-line error, from its log if it wrote one, if
 * the process ends before that, takes longer than `readyTimeoutMs`, or `halt` is aborted.
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

/** Returns the arguments of the loader: Node strips types itself, but cannot run decorators. */
function loaderOf({ hasDecorators }: ProcessPlan): string[] {
  return hasDecorators ? ['--import', import.meta.resolve('tsx')] : []
}

/** Resolves to undefined once the process is ready, or to the reason why it is not. */
async function faultBeforeReady(plan: ProcessPlan, service: Service, halt: AbortSignal) {
  const ended = new AbortController()
  void service.ended.then(reason => ended.abort(reason))
  const enough = AbortSignal.any([ended.signal, halt, AbortSignal.timeout(readyTimeoutMs)])
  if (await answersWell(`http://127.0.0.1:${plan.port}${plan.readyPath}`, enough)) return undefined
  return ended.signal.aborted ? String(ended.signal.reason) : 'it does not become ready'
}

/**
 * Returns the error that a process wrote: the first line of its stack trace, or else its last line that is not JSON.
 */
function lastLineOf(log: string): string {
  const lines = log.trim().split('\n')
  return (
    lines.findLast(line => /^\w*Error\b.*:/.test(line)) ?? lines.findLast(line => !line.startsWith('{')) ?? ''
  )
}

/**
 * Polls the address ten times a second until it returns 2xx. Resolves to false if `enough` is aborted first.
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
