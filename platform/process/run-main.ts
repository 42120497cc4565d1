import './require-node.ts' // first: what follows may need a newer one
import { existsSync } from 'node:fs'
import { type Config, readConfig } from '../config/read-config.ts'
import { type Log, openLog } from '../log.ts'
import { describeError, explainFault } from './explain-fault.ts'
import { guardPrototypes } from './guard-prototypes.ts'
import { type ArgumentRules, type Given, parseArgs } from './parse-args.ts'

/** What an entry file declares about its process. */
interface Main extends ArgumentRules {
  /** One word: how the process calls itself in logs and faults. */
  name: string
  /** What `--help` prints. */
  help: string
  /** Does the work and returns nothing, or starts to serve and returns how to end that. */
  start(config: Config, given: Given): Promise<Running | undefined>
}

/** A process that serves. */
export interface Running {
  /** Stops taking work, lets work in progress end, closes connections. */
  close(): Promise<void>
  /** The address served, for the log. */
  url?: string | undefined
}

/** What `close` may take beyond the grace that requests in flight have. */
const closingMs = 5000

/**
 * The frame of every entry file: `--help`, settings, one-line faults with exit code 1, SIGTERM and SIGINT
 * that drain within a deadline, and so does an exception that nobody caught, with exit code 1. A rejection
 * that nobody handled is a log line alone: its own work failed and ended, and nothing else is in doubt.
 */
export async function runMain(main: Main): Promise<void> {
  guardPrototypes()
  try {
    const given = parseArgs(main, process.argv.slice(2))
    if (given.wantsHelp) return void process.stdout.write(`${main.help.trim()}\n`)
    loadEnvFile()
    const config = readConfig(process.env)
    const log = openLog({ level: config.logLevel, name: main.name })
    process.on('unhandledRejection', error =>
      log.error({ error: describeError(error) }, 'unhandled rejection'),
    )

    const starting = main.start(config, given)
    const deadlineMs = config.drainDelayMs + config.shutdownGraceMs + closingMs
    const ignoreSignals = stopInOrder({ log, deadlineMs, close: async () => (await starting)?.close() })
    const running = await starting
    if (!running) return ignoreSignals()
    log.info({ url: running.url }, 'ready')
  } catch (error) {
    for (const line of explainFault(error).split('\n')) process.stderr.write(`${main.name}: ${line}\n`)
    process.exit(1)
  }
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Calls `close` once when the process is told to end, then exits with 0. An exception that nobody caught ends
 * it in the same order, with exit code 1: what it left half done is in doubt, so no new work is taken, and
 * whoever watches the process starts another. Exits with 1 when closing fails or takes longer than
 * `deadlineMs`. Returns a function that takes the listeners off again.
 */
function stopInOrder(options: { log: Log; deadlineMs: number; close(): Promise<unknown> }): () => void {
  const { log, deadlineMs } = options
  let stopping = false

  const stop = (exitCode: number) => {
    if (stopping) return
    stopping = true
    setTimeout(() => {
      log.error({ deadlineMs }, 'closing took too long')
      process.exit(1)
    }, deadlineMs).unref()
    options.close().then(
      () => process.exit(exitCode),
      error => {
        log.error({ error: String(error) }, 'closing failed')
        process.exit(1)
      },
    )
  }
  const onSignal = (signal: NodeJS.Signals) => {
    if (!stopping) log.info({ signal }, 'stopping')
    stop(0)
  }
  const onException = (error: unknown) => {
    log.fatal({ error: describeError(error) }, 'an exception that nobody caught: stopping')
    stop(1)
  }

  for (const signal of signals) process.on(signal, onSignal)
  process.on('uncaughtException', onException)
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
    process.off('uncaughtException', onException)
  }
}

/** Adds what `.env` in the working folder sets to the environment, which goes before it. */
export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env')
}
