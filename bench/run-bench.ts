import { type House, startHouse } from './house/start-house.ts'
import { readMemory } from './measure/measure-memory.ts'
import type { Options } from './read-options.ts'
import type { BenchReport } from './report/bench-report.ts'
import { describeMachine } from './report/describe-machine.ts'
import { runScenario, type ScenarioReport } from './rounds/run-scenario.ts'
import { runSoak } from './rounds/run-soak.ts'

/** Starts everything, runs what was asked for, and ends everything again, also on Ctrl-C. */
export async function runBench(options: Options): Promise<BenchReport> {
  const { soakMinutes, scenarios, profileFolder } = options
  const wantsEdge = soakMinutes !== undefined || scenarios.some(({ against = 'edge' }) => against === 'edge')
  const house = await startHouse({ wantsEdge, floor: options.floor, profileFolder, tell })
  const endEarly = () => void house.close().finally(() => process.exit(130))
  process.once('SIGINT', endEarly).once('SIGTERM', endEarly)
  try {
    const before = readAll(house)
    const soak = soakMinutes === undefined ? undefined : await runSoak(house, { minutes: soakMinutes, tell })
    const reports = soak ? [] : await runAll(house, options)
    const after = readAll(house)
    const memory = Object.keys(house.pids).map(name => ({ name, before: before[name], after: after[name] }))
    return {
      machine: describeMachine(),
      floor: options.floor,
      lengths: options.lengths,
      rounds: options.rounds,
      reports,
      soak,
      memory,
    }
  } finally {
    process.off('SIGINT', endEarly).off('SIGTERM', endEarly)
    await house.close()
  }
}

async function runAll(house: House, { scenarios, rounds, lengths }: Options): Promise<ScenarioReport[]> {
  const reports: ScenarioReport[] = []
  for (const scenario of scenarios) {
    tell(`${scenario.name}: ${scenario.says}`)
    reports.push(await runScenario(house, { scenario, rounds, lengths }))
  }
  return reports
}

function readAll({ pids }: House) {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, readMemory(pid)]))
}

function tell(line: string): void {
  process.stderr.write(`  ${line}\n`)
}
