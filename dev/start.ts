import { explainFault } from '../platform/process/explain-fault.ts'
import { parseArgs } from '../platform/process/parse-args.ts'
import { loadEnvFile } from '../platform/process/run-main.ts'
import { claimHome, openHome, resetHome } from './home.ts'
import { type Keeper, openKeeper } from './keep-alive.ts'
import { showProgress, summarise } from './report.ts'
import { startSystem } from './start-system.ts'
import { assignPorts } from './system-processes.ts'

const help = `
Starts all of Rubicon on this machine: databases, simulators, control plane, worker and edge, with a demo account. Only
Node and npm must be installed. Without a Redis server, it runs without Redis.

  npm start [-- options]

  --port N   the edge listens on N, the other parts on the ports after it (default 8080)
  --reset    starts with an empty database, and deletes Rubicon's keys in Redis
  --help     prints this text

If DATABASE_URL or REDIS_URL is set, that server is used. If VENDOR_A_API_KEY (to VENDOR_R_API_KEY) is set, the real
vendor is used instead of the simulator, with its real models; CATALOG chooses one catalogue for all vendors. URLs,
log-in and keys are written to .rubicon/dev.json, and logs to .rubicon/logs. RUBICON_HOME sets another folder.
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
