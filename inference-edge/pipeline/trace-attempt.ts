import type { Span } from '../../platform/tracing/tracing.ts'
import type { AttemptEnd } from '../../upstreams/try-in-order.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { ModelAttempt } from './list-attempts.ts'

/** Adds a call of a vendor, which has ended, to the trace of its request. The vendor's message is not part of it. */
export function traceAttempt(
  span: Span | undefined,
  requestId: string,
  {
    target,
    entry,
    durationMs,
    failure,
  }: Pick<ModelAttempt, 'target' | 'entry'> & Pick<AttemptEnd, 'durationMs' | 'failure'>,
): void {
  span
    ?.child('attempt', {
      agoMs: durationMs,
      attributes: {
        'rubicon.request_id': requestId,
        'gen_ai.provider.name': target.vendor,
        'gen_ai.request.model': entry.model,
        'rubicon.credential': target.byokId === undefined ? (target.credentialName ?? 'default') : 'own',
      },
    })
    .end({ error: failure instanceof UpstreamFailure ? failure.kind : failure?.errorName })
}
