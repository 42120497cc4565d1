import type { Tasks } from './scenario.ts'

/** The cost of a task, from submit to end. */
export const tasks: Tasks[] = [
  {
    name: 'tasks',
    says: 'videos submitted on 50 connections, then carried to success by one worker, 1,000 running or more',
    tasks: { connections: 50, running: 1_000, durationMs: 3_000, bytes: 10_000 },
    atLeastSubmitsPerSecond: 300,
    atLeastFinishedPerSecond: 100,
  },
]
