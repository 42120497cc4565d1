import type { IncomingHttpHeaders } from 'node:http'
import type { Queue } from '../../../schema/catalog/queue.ts'
import { type FailureKind, UpstreamFailure } from '../../upstream-failure.ts'
import { textAt, valuesAt } from '../shared/answer-paths.ts'
import { kindOfStatus, parseErrorBody, readPlainText, readRetryAfter } from '../shared/failure.ts'

/** Reads an answer with an error status. */
export function readFailure(
  queue: Queue,
  { status, headers, body }: { status: number; headers: IncomingHttpHeaders; body: Buffer },
): UpstreamFailure {
  const answer = parseErrorBody(body)
  return new UpstreamFailure(kindOfStatus(status), {
    status,
    message: textAt(answer, ...queue.error.message) ?? readPlainText(body),
    code: codeIn(queue, answer),
    retryAfterSeconds: readRetryAfter(headers),
  })
}

/**
 * Throws UpstreamFailure if an answer with a status of success reports in its body that the call failed (`outcome` of
 * the queue).
 */
export function checkOutcome(queue: Queue, answer: unknown): void {
  const { outcome, error } = queue
  const code = outcome && textAt(answer, outcome.at)
  if (!outcome || code === undefined || includes(outcome.ok, code)) return
  const kinds: [FailureKind, Words][] = [
    ['busy', outcome.busy],
    ['auth', outcome.auth],
    ['request', outcome.request],
  ]
  const kind = kinds.find(([, codes]) => includes(codes, code))?.[0] ?? 'broken'
  throw new UpstreamFailure(kind, {
    status: 200,
    message: textAt(answer, ...error.message) ?? `the vendor answered with ${code}`,
    code: codeIn(queue, answer),
  })
}

/** Whether an answer reports that the vendor refused the content of a generation. */
export function isRefused({ error }: Queue, answer: unknown): boolean {
  const codes = error.code ? valuesAt(answer, error.code) : []
  return codes.some(code => includes(error.refused, String(code)))
}

function codeIn(queue: Queue, answer: unknown): string | undefined {
  return isRefused(queue, answer) ? 'content_policy_violation' : undefined
}

type Words = Queue['error']['refused']

function includes(words: Words, word: string): boolean {
  return words.some(known => String(known) === word)
}
