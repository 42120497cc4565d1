import type { Next } from 'koa'
import type { Allowances } from '../../domain/allowances/allowances.ts'
import { FairQueue } from '../../platform/fair-queue.ts'
import { Problem } from '../../schema/errors.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'
import { standingOfCall } from '../graph/standing-of-call.ts'
import type { ControlContext } from './control-context.ts'

/** Number of calls that run concurrently. More calls would delay each other without being served sooner. */
const slots = 16

/**
 * Maximum duration of a turn, in milliseconds. The next turn begins even if the call continues: subscriptions and slow
 * answers cost little CPU after it.
 */
const maxTurnMs = 50

/** Maximum time that a call waits for its turn, in milliseconds. */
const maxWaitMs = 10_000

/** Maximum number of calls that wait, of one account or network and of all together. */
const maxWaitingPerOwner = 2_000
const maxWaiting = 10_000

/** The turns of accounts with the management calls of a process. */
export interface Turns {
  /**
   * Waits for a turn of the call's account, or of its network without a valid token. Resolves to the function that
   * ends the turn, which may be called more than once. Throws `overloaded` if too many calls wait.
   */
  begin(call: Call): Promise<() => void>
}

/** Opens the turns of a process. Accounts take turns, so an account with many calls delays the others little. */
export function openTurns(allowances: Allowances): Turns {
  const queue = new FairQueue({
    slots,
    maxWaitingPerOwner,
    maxWaiting,
    maxWaitMs,
    refusal: () => new Problem('overloaded', { retryAfterSeconds: 1 }),
  })
  return {
    async begin(call) {
      const { accountId, isPaying } = await standingOfCall(allowances, call)
      const leave = await queue.enter({ id: accountId, isPreferred: isPaying })
      let isOver = false
      const end = () => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        leave()
      }
      const timer = setTimeout(end, maxTurnMs)
      return end
    },
  }
}

/**
 * Returns middleware that serves a call in its turn. If the client has disconnected by then, the call is not served.
 */
export function takeTurns(turns: Turns) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    const end = await turns.begin(ctx.state.call)
    if (ctx.res.closed) return end()
    ctx.res.once('close', end)
    await next()
  }
}
