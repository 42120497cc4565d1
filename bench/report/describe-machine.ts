import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

/** On what a run was made. */
export interface Machine {
  cores: number
  cpu: string
  memoryBytes: number
  node: string
  /** Processes that wanted to run, averaged over the last minute: others disturb. */
  loadAverage: number
}

export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryBytes: totalmem(),
    node: process.version,
    loadAverage: loadavg()[0] ?? 0,
  }
}
