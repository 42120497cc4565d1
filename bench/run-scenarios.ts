import { once } from 'node:events'
import { explainFault } from '../platform/process/explain-fault.ts'
import { type Memory, readMemory } from './measure/process-tree.ts'
import type { Options } from './read-options.ts'
import { describeMachine, type Machine } from './report/describe-machine.ts'
import { formatFigure, printResult } from './report/print-result.ts'
import { judge, type Result, row } from './report/result.ts'
import { warmUp } from './rounds/warm-up.ts'
import { type System, startSystem } from './system/start-system.ts'

/** The results of a run, which `--json` writes. */
export interface Report extends Pick<Options, 'rounds' | 'lengths'> {
  machine: Machine
  results: (Result & { name: string; description: string })[]
  wasInterrupted: boolean
}

/**
 * Starts everything, runs the chosen scenarios and stops everything, also on Ctrl-C. Prints each result as soon as its
 * scenario has finished.
 */
export async function runScenarios(options: Options, print: (text: string) => void): Promise<Report> {
  const { rounds, lengths } = options
  const machine = describeMachine()
  const report: Report = { machine, rounds, lengths, results: [], wasInterrupted: false }
  const { cores, cpu, node, loadAverage } = machine
  print(`${cores} cores of ${cpu}, Node ${node}, load average ${loadAverage.toFixed(1)}; `)
  print(`medians of ${rounds} rounds of ${lengths.seconds} s\n`)
  tell('starting databases, upstream, floor, edge and load generator')
  const system = await startSystem({ profileFolder: options.profileFolder })
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => {
    report.wasInterrupted = true
  })
  try {
    await Promise.race([interrupted, runAll(system, options, { report, print })])
  } finally {
    await system.close()
  }
  return report
}

/** Runs the scenarios in order. A scenario that throws has a fault. */
async function runAll(
  system: System,
  options: Options,
  { report, print }: { report: Report; print: (text: string) => void },
): Promise<void> {
  const add = (name: string, description: string, result: Result) => {
    report.results.push({ name, description, ...result })
    print(printResult(`${name}: ${description}`, result))
  }
  const { scenarios, isQuick } = options
  const before = readAll(system)
  if (!isQuick && scenarios.some(({ needsWarmUp }) => needsWarmUp)) {
    tell('warming up')
    await warmUp(system)
  }
  for (const { name, description, run } of scenarios) {
    tell(name)
    const fail = (error: unknown) => ({ rows: [], faults: [explainFault(error)] })
    const result = await run(system, { ...options, tell }).catch(fail)
    if (report.wasInterrupted) return // it failed because everything stops
    add(name, description, result)
  }
  const after = readAll(system)
  const rows = Object.keys(system.pids).map(name =>
    row(name, {
      before: before[name]!.residentBytes / 1e6,
      after: after[name]!.residentBytes / 1e6,
      peak: after[name]!.peakBytes / 1e6,
    }),
  )
  add('memory', 'resident MB', { rows, faults: [] })
}

/** Returns what went wrong and which targets were missed, with the names of scenarios. */
export function findFailures({ results }: Report): { faults: string[]; misses: string[] } {
  const faults = results.flatMap(result => result.faults.map(fault => `${result.name}: ${fault}`))
  const misses = results.flatMap(({ name, rows }) =>
    rows.flatMap(judged =>
      judge(judged)
        .filter(({ isMet }) => !isMet)
        .map(({ target, value }) => `${name}: ${judged.label}, ${target} (is ${formatFigure(value)})`),
    ),
  )
  return { faults, misses }
}

function readAll({ pids }: System): Record<string, Memory> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, readMemory(pid)]))
}

function tell(line: string): void {
  process.stderr.write(`  ${line}\n`)
}
