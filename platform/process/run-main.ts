import './require-node.ts' // first: what follows may need a newer one
import { type Config, readConfig } from '../config/read-config.ts'
import { openLog } from '../log.ts'
import { describeError } from './describe-error.ts'
import { explainFault } from './explain-fault.ts'
import { guardPrototypes } from './guard-prototypes.ts'
import { loadEnvFile } from './load-env-file.ts'
import { type ArgumentRules, type Given, parseArgs } from './parse-args.ts'
import { stopInOrder } from './stop-in-order.ts'

/** What an entry file declares about its process. */
export interface Main extends ArgumentRules {
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
