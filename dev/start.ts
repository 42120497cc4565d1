import { explainFault } from '../platform/process/explain-fault.ts'
import { parseArgs } from '../platform/process/parse-args.ts'
import { loadEnvFile } from '../platform/process/run-main.ts'
import { claimHome, openHome, resetHome } from './home.ts'
import { type Keeper, openKeeper } from './keep-alive.ts'
import { showProgress, summarise } from './report.ts'
import { startSystem } from './start-system.ts'
import { assignPorts } from './system-processes.ts'

const help = `
Starts all of Rubicon on this machine: databases, the upstream simulator, control plane, worker and edge, with a
demo account that can be used at once. Nothing has to be installed but Node and npm; where there is no Redis it
does without.

  npm start [-- options]

  --port N   the edge listens on N, the other parts on the ports after it (default 8080)
  --reset    begins with an empty database and without Redis keys of ours
  --help     this text

With DATABASE_URL and REDIS_URL it uses those instead of its own, and with VENDOR_A_API_KEY (to VENDOR_R_API_KEY)
the real vendor instead of the simulator. Addresses, log-in and keys are written to .rubicon/dev.json, logs to
.rubicon/logs; RUBICON_HOME names another folder than .rubicon.
`

/**
 * Maximum time in which a process ends before it is killed, in milliseconds. npm sends each Ctrl-C twice within it.
 */
const graceMs = 10_000
const sameSignalMs = 500

await main()

async function main(): Promise<void> {
  const progress = showProgress(process.stdout)
  const keeper = openKeeper(progress.print)
  try {
    const { wantsHelp, options } = parseArgs(
      { options: { port: { type: 'string' }, reset: { type: 'boolean' } } },
      process.argv.slice(2),
    )
    if (wantsHelp) return void process.stdout.write(`${help.trim()}\n`)
    loadEnvFile()
    const { env } = process
    const reset = options.reset === true
    refuseMisuse(env, reset)
    const ports = assignPorts(Number(options.port ?? 8080))
    const home = openHome(env)
    await claimHome(home)
    stopOnSignals(keeper, progress.print)
    if (reset) await resetHome(home)
    const system = await startSystem(keeper, progress, { env, home, ports, reset })
    process.stdout.write(summarise(system, process.stdout))
  } catch (error) {
    if (keeper.halt.aborted) return // a signal came during the start: its handler ends the process
    for (const line of explainFault(error).split('\n')) process.stderr.write(`  ${line}\n`)
    await keeper.stopAll(graceMs)
    process.exit(1)
  }
}

function refuseMisuse(env: NodeJS.ProcessEnv, reset: boolean): void {
  if (env.NODE_ENV === 'production')
    throw new Error(
      'npm start is for development. In production run: npm run edge, npm run control, npm run worker',
    )
  if (reset && env.DATABASE_URL)
    throw new Error('--reset empties our own database only: what DATABASE_URL names is yours to empty')
}

/** Stops everything in order at the first signal. A second signal, a moment later, kills everything at once. */
function stopOnSignals(keeper: Keeper, print: (line: string) => void): void {
  let firstAt: number | undefined
  const onSignal = () => {
    const now = Date.now()
    if (firstAt === undefined) {
      firstAt = now
      print('stopping')
      void keeper.stopAll(graceMs).then(() => process.exit(0))
    } else if (now - firstAt > sameSignalMs) void keeper.stopAll(0).then(() => process.exit(1))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
}
