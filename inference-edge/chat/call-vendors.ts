import type { Context } from 'koa'
import type { Candidate } from '../../domain/byok/book/candidate.ts'
import { holdChat, outputTokensOf } from '../../domain/inference/admit-chat.ts'
import { cacheToken } from '../../domain/inference/cache-token.ts'
import { stillStands } from '../../domain/inference/still-stands.ts'
import { type ChatReply, callChat } from '../../upstreams/call-chat.ts'
import type { ChatCall } from '../../upstreams/chat-adapter.ts'
import type { Line } from '../../upstreams/http/line.ts'
import type { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { Edge } from '../edge.ts'
import type { Act } from './act.ts'
import { type ChatAttempt, listAttempts } from './list-attempts.ts'

/**
 * Has an act's request answered, attempt by attempt. Money is held before the first one that costs some, and right
 * before the vendor is reached the key must still stand. The model that answered is named in `x-model`.
 */
export async function callVendors(edge: Edge, ctx: Context, act: Act, line: Line): Promise<ChatReply> {
  const reply = await callChat(edge.upstreams, {
    attempts: await listAttempts(edge, act),
    line,
    prepare: attempt => prepare(edge, act, attempt),
    mayCall: () => stillStands(edge.inference, act.admission.allowed),
    ended(attempt, failure) {
      if (!failure) act.model = attempt.model
      recordOutcome(edge, attempt, failure)
    },
  })
  ctx.set('x-model', act.model.entry.model)
  return reply
}

async function prepare(
  edge: Edge,
  act: Act,
  { model, candidate }: ChatAttempt,
): Promise<ChatCall | undefined> {
  const { inference } = edge
  const { admission, conversation } = act
  if (!candidate) await holdChat(inference, admission)
  else if (!(await isStillThere(edge, act, candidate))) return undefined
  const { request } = conversation
  const { accountId } = admission.allowed.key
  return {
    entry: model.entry,
    request: { ...request, model: model.entry.model },
    outputTokens: outputTokensOf(admission, model),
    cacheToken: cacheToken(inference, { accountId, request, entry: model.entry }),
  }
}

/** Whether a credential was neither deleted nor disabled while the request ran: the key's copy tells of the change. */
async function isStillThere(
  { inference }: Edge,
  { admission: { allowed } }: Act,
  { id, vendor }: Candidate,
): Promise<boolean> {
  await stillStands(inference, allowed)
  const { accountId, byokRevision } = allowed.key
  const candidates = await inference.byok.find(accountId, byokRevision, vendor)
  return candidates.some(candidate => candidate.id === id)
}

/** What became of a credential of the customer's: told in `last_used_at` and `last_error`. */
function recordOutcome(edge: Edge, { candidate }: ChatAttempt, failure: UpstreamFailure | undefined): void {
  if (!candidate || failure?.kind === 'resting') return
  const told = failure && { status: failure.details.status, message: failure.details.message ?? failure.kind }
  void edge.inference.byok.recordOutcome(candidate, told)
}
