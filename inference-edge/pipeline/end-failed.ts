import { recordLeaving } from '../../domain/ledger/request-record.ts'
import { Problem } from '../../schema/errors.ts'
import { problemIn, UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { ClientGone } from '../sse/client-stream.ts'
import type { Charge, Failed, PaidRun } from './paid-kind.ts'

/**
 * Ends a run that failed. If it is not yet settled, it is released. The produced output is charged instead if the
 * client disconnected after the vendor had begun, or if a stream broke after the client received a part of it
 * (docs/behaviour.md, Streams). Never throws.
 */
export async function endFailed(
  edge: Edge,
  ctx: EdgeContext,
  { run, error }: { run: PaidRun; error: unknown },
): Promise<Failed> {
  const isGone =
    run.state.client.hasLeft ||
    error instanceof ClientGone ||
    (error instanceof UpstreamFailure && error.kind === 'aborted')
  const problem = problemIn(error)
  if (!isGone) ctx.state.problem = problem
  // If the outcome of a settlement is unknown, the output that the client has received is charged later.
  let charge: Charge = run.state.hasReachedClient && isUnknown(error) ? 'unknown' : 'none'
  if (!run.state.isSettled) charge = await settleFailed(edge, { run, problem, isGone })
  if (isGone) return { problem: undefined, charge }
  return { problem: charge !== 'none' && !isUnknown(problem) ? chargedProblem(problem) : problem, charge }
}

/** Settles a failed run. Resolves to its charge; `unknown` if its settlement took too long. */
async function settleFailed(
  edge: Edge,
  { run, problem, isGone }: { run: PaidRun; problem: Problem; isGone: boolean },
): Promise<Charge> {
  const { record } = run.state
  if (isGone) recordLeaving(record)
  else {
    record.status = problem.status
    record.errorCode = problem.code
  }
  try {
    await run.settleFailed({ isGone })
    return record.costNanos > 0n ? 'durable' : 'none'
  } catch (error) {
    const { requestId } = record
    edge.log.error({ err: error, requestId }, 'a failed request is settled later, or not at all')
    return isUnknown(error) ? 'unknown' : 'none'
  }
}

/** Whether a charge may have been committed, or will be. */
function isUnknown(error: unknown): boolean {
  return error instanceof Problem && error.errorName === 'settlement_unknown'
}

/**
 * Returns the error of a stream whose delivered part was charged. The catalogue's text would state that nothing was
 * charged.
 */
function chargedProblem(problem: Problem): Problem {
  const message = 'The answer was interrupted. The produced part is charged.'
  return new Problem(problem.errorName, { ...problem.details, message, cause: problem })
}
