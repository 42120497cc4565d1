import type { Hold } from './hold.ts'
import type { Ledger } from './ledger.ts'

/** Queues a hold whose row is to say what this process has of it. Does not throw: the next flush says it again. */
export function showHold({ commits, context }: Pick<Ledger, 'commits' | 'context'>, hold: Hold): void {
  commits
    .add({ kind: 'show', hold })
    .catch(error => context.log.error({ err: error, holdId: hold.id }, 'a hold was not shown'))
}
