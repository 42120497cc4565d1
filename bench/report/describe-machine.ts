import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

/** The machine of a run. */
export interface Machine {
  cores: number
  cpu: string
  memoryBytes: number
  node: string
  /** Load average of the last minute. Other processes disturb the measurement. */
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
