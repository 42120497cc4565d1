import type { Log } from '../../platform/log.ts'
import { Problem } from '../../schema/errors.ts'

/** An error of Stripe, or of the connection to it, reduced to what decisions need. */
export interface StripeFault {
  /** Stripe's class of the error, such as `StripeCardError`; the name of the error otherwise. */
  type: string
  /** The HTTP status of the response; undefined if there was none. */
  status: number | undefined
  code: string | undefined
  /** Stripe's ID of the request, with which its dashboard shows the request. */
  requestId: string | undefined
  declineCode: string | undefined
  adviceCode: string | undefined
  /** The error with its code and request ID, without the data that was sent. */
  text: string
}

/** Returns the answer of a call to Stripe, or the fault that it has thrown. */
export async function answerOf<Answer extends object>(
  call: () => Promise<Answer>,
): Promise<Answer | { fault: StripeFault }> {
  try {
    return await call()
  } catch (error) {
    return { fault: readFault(error) }
  }
}

/** Reads an error that a call to Stripe has thrown. */
export function readFault(error: unknown): StripeFault {
  const type = textOf(error, 'type') ?? (error instanceof Error ? error.name : typeof error)
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : Number.NaN
  const [code, requestId] = [textOf(error, 'code'), textOf(error, 'requestId')]
  const ids = [code, requestId].filter(id => id !== undefined).join(', ')
  return {
    type,
    status: Number.isInteger(status) ? status : undefined,
    code,
    requestId,
    declineCode: textOf(error, 'decline_code'),
    adviceCode: textOf(error, 'advice_code'),
    text: error instanceof Error ? `${type}: ${error.message}${ids && ` (${ids})`}` : String(error),
  }
}

/**
 * Whether Stripe returned an error that it repeats under the same idempotency key. A 409 means that the first attempt is
 * still in progress.
 */
export function isRepeated({ status }: StripeFault): boolean {
  return status !== undefined && status !== 409
}

/**
 * Whether Stripe does not know the customer: it was deleted, the database was restored from before its creation, or the key
 * belongs to another Stripe account. A key of the wrong mode, live or test, is a fault of the settings instead.
 */
export function isLostCustomer({ code, text }: StripeFault): boolean {
  return code === 'resource_missing' && /No such customer/.test(text) && !/similar object exists/.test(text)
}

/**
 * Logs the error of an operation for which Stripe is needed, and returns the error for the client. An error that was
 * already returned by this function is returned again.
 */
export function failWithStripe(
  { log }: { log: Log },
  { cause, message, ...ids }: { cause: unknown; message: string; accountId: string; paymentId?: string },
): Problem {
  if (cause instanceof Problem) return cause
  const fault = readFault(cause)
  log.error({ ...ids, error: fault.text }, message)
  return new Problem('unavailable', {
    ...{ cause, internal: fault.text, message: publicTextOf(fault) },
    retryAfterSeconds: 5,
  })
}

function publicTextOf({ status }: StripeFault): string {
  if (status === undefined) return 'The card processor does not respond. Nothing was charged. Retry later.'
  if (status >= 500 || status === 429 || status === 409)
    return 'The card processor is busy or has a fault. Nothing was charged. Retry later.'
  return 'The card processor refused the request. Nothing was charged. Ask the operator for the reason, which is logged.'
}

function textOf(record: unknown, field: string): string | undefined {
  const value: unknown =
    typeof record === 'object' && record !== null ? Reflect.get(record, field) : undefined
  return typeof value === 'string' ? value : undefined
}
