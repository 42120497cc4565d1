import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import type { AttackPlan, AttackTally } from './attacks.ts'

/** The attacker's priority: its clients have their own machines and take no CPU from the edge. */
const niceness = 10

/** Starts an attack in a separate process. `stop` resolves to the number of responses by status. */
export function startAttack(plan: AttackPlan): { stop(): Promise<AttackTally> } {
  const child = fork(new URL('main.ts', import.meta.url), { execArgv: [] })
  setPriority(child.pid!, niceness)
  child.send(plan)
  return {
    async stop() {
      child.send('stop')
      const [tally] = await once(child, 'message')
      return tally
    },
  }
}
