import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkout } from '../../dev/home.ts'
import { freePort } from '../../dev/services/ports.ts'
import { type Service, spawnService } from '../../dev/services/spawn-service.ts'
import { answersWell } from '../../dev/start-process.ts'

export interface NodeProcess extends Service, AsyncDisposable {
  port: number
  logFile: string
}

const readyTimeoutMs = 60_000
/** Time that a process has to stop when it is disposed of, in milliseconds. */
const graceMs = 10_000
/** Number of lines of its log that are shown if a process does not start. */
const maxShownLines = 5

/**
 * Starts an entry file as in production: plain Node, which strips the types as it loads them, without the names that a
 * development loader gives to functions at run time. Resolves when `readyPath` answers. Throws with the end of its log if
 * it does not.
 */
export async function startNode(options: {
  name: string
  /** The path of its entry file in the checkout. */
  entry: string
  words(port: number): string[]
  /** A free one by default. */
  port?: number
  environment?(port: number): NodeJS.ProcessEnv
  flags?: string[]
  readyPath?: string
  folder: string
}): Promise<NodeProcess> {
  const { name, entry, folder } = options
  const port = options.port ?? (await freePort())
  const logFile = join(folder, `${name}.log`)
  mkdirSync(folder, { recursive: true })
  const service = await spawnService({
    command: process.execPath,
    args: [...(options.flags ?? []), join(checkout, entry), ...options.words(port)],
    folder, // not the checkout, whose `.env` would be read
    environment: { ...process.env, ...options.environment?.(port) },
    logFile,
  })
  const ended = new AbortController()
  void service.ended.then(reason => ended.abort(reason))
  const enough = AbortSignal.any([ended.signal, AbortSignal.timeout(readyTimeoutMs)])
  if (await answersWell(`http://127.0.0.1:${port}${options.readyPath ?? '/'}`, enough))
    return { ...service, port, logFile, [Symbol.asyncDispose]: () => service.stop(graceMs) }
  await service.stop(0)
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n')
  throw new Error(`${name} did not start: ${lines.slice(-maxShownLines).join('\n')}`)
}
