import type { Ports } from './assign-ports.ts'
import type { ProcessPlan } from './start-process.ts'

/** The processes of the system, each with its rank in stopping: the edge drains first, the databases go last. */
export function systemProcesses(ports: Ports): (ProcessPlan & { rank: number })[] {
  const { edge, control, worker, simulator, health } = ports
  return [
    {
      name: 'simulator',
      entry: 'simulators/vendors/main.ts',
      words: ['--port', String(simulator)],
      port: simulator,
      readyPath: '/__sim/settings',
      rank: 3,
    },
    {
      name: 'control',
      entry: 'gateway/main.ts',
      hasDecorators: true,
      port: control,
      environment: { TRUSTED_PROXIES: '127.0.0.1/32' }, // the edge, which says whom it passes on
      readyPath: '/readyz',
      rank: 2,
    },
    { name: 'worker', entry: 'worker/main.ts', port: worker, readyPath: '/readyz', rank: 2 },
    {
      name: 'edge',
      entry: 'inference-edge/main.ts',
      port: edge,
      environment: { HEALTH_PORT: String(health) },
      readyPath: '/readyz',
      rank: 1,
    },
  ]
}

export const databaseRank = 4
