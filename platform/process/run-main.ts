import './require-node.ts' // first: later imports may need a newer Node
import { existsSync } from 'node:fs'
import { type Config, readConfig } from '../config/read-config.ts'
import { type Log, openLog } from '../log.ts'
import { describeError, explainFault } from './explain-fault.ts'
import { guardPrototypes } from './guard-prototypes.ts'
import { type ArgumentRules, type Given, parseArgs } from './parse-args.ts'

/** The declaration of a process in its entry file. */
interface Main extends ArgumentRules {
  /** The process's name in logs and errors, one word. */
  name: string
  /** The text of `--help`. */
  help: string
  /** Time that closing may take in addition to that of other processes, in milliseconds. */
  extraClosingMs?: number
  /** Does the work and resolves to nothing, or starts a server and resolves to its `Running`. */
  start(config: Config, given: Given): Promise<Running | undefined>
}

/** A process that serves. */
export interface Running {
  /**
   * Stops accepting work, lets work in progress end, closes connections. `isFaulty` means that an exception was not
   * caught. The process then stops accepting work immediately.
   */
  close(options?: { isFaulty: boolean }): Promise<void>
  /** The server's address, for the log. */
  url?: string | undefined
}

/** Maximum duration of `close` in addition to SHUTDOWN_GRACE_MS, in milliseconds. */
const closingMs = 5000

/**
 * Runs an entry file: `--help`, settings, one-line errors with exit code 1. SIGTERM and SIGINT drain the process within
 * a deadline. So does an uncaught exception, with exit code 1. An unhandled rejection is only logged, because it
 * affects no other work.
 */
export async function runMain(main: Main): Promise<void> {
  await runEntry(main, async given => {
    const config = readConfig(process.env)
    const log = openLog({ level: config.logLevel, name: main.name })
    process.on('unhandledRejection', error =>
      log.error({ error: describeError(error) }, 'unhandled rejection'),
    )

    const starting = main.start(config, given)
    const deadlineMs = config.drainDelayMs + config.shutdownGraceMs + closingMs + (main.extraClosingMs ?? 0)
    const ignoreSignals = stopInOrder({ log, deadlineMs, close: async how => (await starting)?.close(how) })
    const running = await starting
    if (!running) return ignoreSignals()
    log.info({ url: running.url }, 'ready')
  })
}

/**
 * Runs the work of an entry file that reads its settings itself: `--help`, `.env`, one-line errors with exit code 1.
 */
export async function runEntry(
  entry: ArgumentRules & { name: string; help: string },
  work: (given: Given) => Promise<void>,
): Promise<void> {
  guardPrototypes()
  try {
    const given = parseArgs(entry, process.argv.slice(2))
    if (given.wantsHelp) return void process.stdout.write(`${entry.help.trim()}\n`)
    loadEnvFile()
    await work(given)
  } catch (error) {
    for (const line of explainFault(error).split('\n')) process.stderr.write(`${entry.name}: ${line}\n`)
    process.exit(1)
  }
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Calls `close` once on the first signal, then exits with 0. An uncaught exception closes in the same way and exits
 * with 1: the state of the process is unknown, so it accepts no new work, and its supervisor restarts it. Exits with 1
 * if closing fails or takes longer than `deadlineMs`. Returns a function that removes the listeners.
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

/** Adds the variables of `.env` in the working folder to the environment. Existing variables take precedence. */
export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env')
}
