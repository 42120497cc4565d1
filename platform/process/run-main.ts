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
  /**
   * Stops accepting work, lets work in progress end, closes connections. `isFaulty` means that an exception was not
   * caught: the process then accepts nothing more from this moment on.
   */
  close(options?: { isFaulty: boolean }): Promise<void>
  /** The address served, for the log. */
  url?: string | undefined
}

/** How long `close` may take beyond SHUTDOWN_GRACE_MS, in milliseconds. */
const closingMs = 5000

/**
 * Runs an entry file: `--help`, settings, one-line errors with exit code 1. SIGTERM and SIGINT drain the
 * process within a deadline; so does an uncaught exception, with exit code 1. An unhandled rejection is only
 * logged: the work that it belongs to has failed, and nothing else is affected.
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
    const ignoreSignals = stopInOrder({ log, deadlineMs, close: async how => (await starting)?.close(how) })
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
 * Calls `close` once on the first signal, then exits with 0. An uncaught exception closes in the same way and
 * exits with 1: the state of the process is unknown, so it takes no new work and is restarted from outside.
 * Exits with 1 when closing fails or takes longer than `deadlineMs`. Returns a function that removes the
 * listeners.
 */
function stopInOrder(options: {
  log: Log
  deadlineMs: number
  close(how: { isFaulty: boolean }): Promise<unknown>
}): () => void {
  const { log, deadlineMs } = options
  let stopping = false

  const stop = (exitCode: number) => {
    if (stopping) return
    stopping = true
    setTimeout(() => {
      log.error({ deadlineMs }, 'closing took too long')
      process.exit(1)
    }, deadlineMs).unref()
    options.close({ isFaulty: exitCode !== 0 }).then(
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
    log.fatal({ error: describeError(error) }, 'uncaught exception: draining')
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
