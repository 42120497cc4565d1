/** `npm run fire`: what may go wrong, goes wrong, under load; and whether the money is right after it. */
import { once } from 'node:events'
import { type Column, printTable } from '../../bench/report/print-table.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'
import { parseArgs } from '../../platform/process/parse-args.ts'
import { costOfCheapest } from './customers.ts'
import { type Disaster, disasters as general } from './disasters.ts'
import { type Round, runRound } from './run-round.ts'
import { standbyDisasters } from './standby-disasters.ts'
import { type System, startSystem } from './start-system.ts'
import { workerDisasters } from './worker-disasters.ts'

const disasters = [...general, ...standbyDisasters, ...workerDisasters]

const help = `
Kills, stops and disconnects the processes and databases of the system, one after another, while clients send requests to
two edges. Some clients disconnect, read slowly, repeat requests, have credits for only ten requests, use a hostile
vendor of their own, or generate videos and images. At the same time, an account that never paid attacks one edge. After
each failure, the results that the clients got are compared with the ledger. Exits with 1 if they differ.

  npm run fire [-- options]

  --minutes N   the duration (5); each failure takes 10 to 30 seconds
  --only WORDS  only failures whose name contains these words: --only PostgreSQL
  --help        this text

It starts its own processes and databases, and removes them at the end. It needs Linux.
`

const figure = (heading: string, key: Exclude<keyof Line, 'name'>): Column<Line> => ({
  heading,
  isFigure: true,
  cell: line => line[key].toLocaleString('en-US'),
})

const columns: Column<Line>[] = [
  { heading: 'what went wrong', cell: ({ name }) => name },
  figure('times', 'rounds'),
  figure('held', 'held'),
  figure('requests', 'requests'),
  figure('answered', 'answered'),
  figure('refused', 'refused'),
  figure('cut, lost', 'unknown'),
  figure('videos', 'tasks'),
  figure('charged', 'charged'),
  figure('refused, charged', 'refusedAndCharged'),
]

await main()

async function main(): Promise<void> {
  try {
    const { wantsHelp, options } = parseArgs(
      { options: { minutes: { type: 'string' }, only: { type: 'string' } } },
      process.argv.slice(2),
    )
    if (wantsHelp) process.stdout.write(`${help.trim()}\n`)
    else process.exit(await fire(readMinutes(options.minutes ?? '5'), choose(String(options.only ?? ''))))
  } catch (error) {
    process.stderr.write(`fire: ${explainFault(error)}\n`)
    process.exitCode = 1
  }
}

/** Runs round after round until the time is over, or Ctrl-C; resolves to the exit code. */
async function fire(minutes: number, chosen: Disaster[]): Promise<number> {
  const endsAt = performance.now() + minutes * 60_000
  const system = await startSystem()
  const rounds: Round[] = []
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => undefined)
  let wasInterrupted = false
  try {
    const costNanos = await costOfCheapest(system)
    for (let turn = 0; performance.now() < endsAt && !wasInterrupted; turn++) {
      const running = runRound(system, { disaster: chosen[turn % chosen.length]!, costNanos, turn })
      running.catch(() => {}) // where it was interrupted, what it worked with is taken away
      const round = await Promise.race([running, interrupted])
      if (round) tell(round, system)
      if (round) rounds.push(round)
      else wasInterrupted = true
    }
  } finally {
    await system.close()
  }
  process.stdout.write(`\n${present(rounds)}\n`)
  if (wasInterrupted) return 130
  return rounds.some(({ breaks }) => breaks.length > 0) ? 1 : 0
}

function tell(round: Round, system: System): void {
  process.stderr.write(`  ${round.breaks.length === 0 ? 'held  ' : 'BROKE '} ${round.name}\n`)
  const lines = [...round.breaks.slice(0, 10), ...wordsOn(round, system)]
  for (const line of lines) process.stderr.write(`         ${line}\n`)
}

/** The log lines of the requests that broke a promise. */
function wordsOn({ breaks }: Round, system: System): string[] {
  const ids = breaks.flatMap(text => text.match(/(req|task)_\w+/)?.[0] ?? [])
  return ids.length === 0 ? [] : system.logLines(new RegExp(ids.join('|'))).slice(0, 10)
}

function readMinutes(word: string | boolean): number {
  const minutes = Number(word)
  if (minutes > 0 && Number.isFinite(minutes)) return minutes
  throw new Error('--minutes must be a number above zero')
}

function choose(words: string): Disaster[] {
  const chosen = disasters.filter(({ name }) => name.includes(words))
  if (chosen.length > 0) return chosen
  throw new Error(`--only must be words of: ${disasters.map(({ name }) => name).join('; ')}`)
}

/** A line for each of what was tried, and one for all. */
function present(rounds: readonly Round[]): string {
  const lines = [...Map.groupBy(rounds, ({ name }) => name)].map(([name, some]) => lineOf(name, some))
  return printTable(columns, [...lines, lineOf('all', rounds)])
}

type Line = Record<keyof Omit<Round, 'name' | 'breaks'> | 'rounds', number> & { name: string; held: number }

function lineOf(name: string, rounds: readonly Round[]): Line {
  const sum = (read: (round: Round) => number) => rounds.reduce((total, round) => total + read(round), 0)
  return {
    name,
    rounds: rounds.length,
    requests: sum(round => round.requests),
    answered: sum(round => round.answered),
    refused: sum(round => round.refused),
    unknown: sum(round => round.unknown),
    tasks: sum(round => round.tasks),
    charged: sum(round => round.charged),
    refusedAndCharged: sum(round => round.refusedAndCharged),
    held: sum(round => (round.breaks.length === 0 ? 1 : 0)),
  }
}
