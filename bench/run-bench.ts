import { readMemory } from './measure/measure-memory.ts'
import type { Options } from './read-options.ts'
import type { BenchReport } from './report/bench-report.ts'
import { describeMachine } from './report/describe-machine.ts'
import { runComparison } from './rounds/run-comparison.ts'
import { runDeliveries } from './rounds/run-deliveries.ts'
import { runGraph } from './rounds/run-graph.ts'
import { runGrowth } from './rounds/run-growth.ts'
import { runNeighbour } from './rounds/run-neighbour.ts'
import { runOpenStreams } from './rounds/run-open-streams.ts'
import { runOverload } from './rounds/run-overload.ts'
import { runScenario } from './rounds/run-scenario.ts'
import { runSoak } from './rounds/run-soak.ts'
import { runTasks } from './rounds/run-tasks.ts'
import { warmUp } from './rounds/warm-up.ts'
import { againstFloor } from './scenarios/against-floor.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { type System, startSystem } from './system/start-system.ts'

/** Starts everything, runs what was asked for, and ends everything again, also on Ctrl-C. */
export async function runBench(options: Options): Promise<BenchReport> {
  const { soakMinutes, scenarios, profileFolder } = options
  const wantsEdge = soakMinutes !== undefined || scenarios.some(needsEdge)
  const system = await startSystem({ wantsEdge, profileFolder, tell })
  const endEarly = () => void system.close().finally(() => process.exit(130))
  process.once('SIGINT', endEarly).once('SIGTERM', endEarly)
  try {
    const before = readAll(system)
    const soak = soakMinutes === undefined ? undefined : await runSoak(system, { minutes: soakMinutes, tell })
    const found = await runAll(system, soak ? { ...options, scenarios: [] } : options)
    const after = readAll(system)
    const memory = Object.keys(system.pids).map(name => ({ name, before: before[name], after: after[name] }))
    return {
      machine: describeMachine(),
      lengths: options.lengths,
      rounds: options.rounds,
      ...found,
      soak,
      memory,
    }
  } finally {
    process.off('SIGINT', endEarly).off('SIGTERM', endEarly)
    await system.close()
  }
}

function needsEdge(scenario: Scenario): boolean {
  if ('atLeastOfReference' in scenario) return false
  return !('against' in scenario) || scenario.against === 'edge'
}

/** Whether our edge is compared with the floor. */
function needsWarmth(scenario: Scenario): boolean {
  return needsEdge(scenario) && againstFloor.some(({ name }) => name === scenario.name)
}

/** What all scenarios came to, by kind. */
type Found = Omit<BenchReport, 'machine' | 'rounds' | 'lengths' | 'soak' | 'memory'>

async function runAll(system: System, { scenarios, rounds, lengths }: Options): Promise<Found> {
  const found: Found = {
    reports: [],
    comparisons: [],
    openStreams: [],
    overloads: [],
    growths: [],
    tasks: [],
    deliveries: [],
    graphs: [],
    neighbours: [],
  }
  if (scenarios.some(needsWarmth)) {
    tell('warming up')
    await warmUp(system)
  }
  for (const scenario of scenarios) {
    tell(`${scenario.name}: ${scenario.says}`)
    if ('open' in scenario) found.openStreams.push(await runOpenStreams(system, scenario))
    else if ('overload' in scenario)
      found.overloads.push(await runOverload(system, { scenario, rounds, lengths }))
    else if ('attack' in scenario) found.neighbours.push(await runNeighbour(system, scenario))
    else if ('growth' in scenario) found.growths.push(await runGrowth(system, { scenario, rounds, lengths }))
    else if ('deliver' in scenario) found.deliveries.push(await runDeliveries(system, scenario))
    else if ('atLeastOfReference' in scenario)
      found.graphs.push(await runGraph(system, { scenario, rounds, lengths }))
    else if ('tasks' in scenario) found.tasks.push(await runTasks(system, { scenario, lengths }))
    else if ('base' in scenario)
      found.comparisons.push(await runComparison(system, { scenario, rounds, lengths }))
    else found.reports.push(await runScenario(system, { scenario, rounds, lengths }))
  }
  return found
}

function readAll({ pids }: System) {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, readMemory(pid)]))
}

function tell(line: string): void {
  process.stderr.write(`  ${line}\n`)
}
