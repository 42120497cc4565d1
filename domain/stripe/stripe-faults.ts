import { Problem } from '../../schema/errors.ts'

/** An error of Stripe, or of the connection to it, reduced to what decisions need. */
export interface StripeFault {
  /** Stripe's class of the error, such as `StripeCardError`; the name of the error otherwise. */
  type: string
  /** The HTTP status of the response; undefined if there was none. */
  status: number | undefined
  code: string | undefined
  declineCode: string | undefined
  adviceCode: string | undefined
  /** The error without the data that was sent. */
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
  return {
    type,
    status: Number.isInteger(status) ? status : undefined,
    code: textOf(error, 'code'),
    declineCode: textOf(error, 'decline_code'),
    adviceCode: textOf(error, 'advice_code'),
    text: error instanceof Error ? `${type}: ${error.message}` : String(error),
  }
}

/**
 * Whether Stripe returned an error that it repeats under the same idempotency key. A 409 means that the first attempt is
 * still in progress.
 */
export function isRepeated({ status }: StripeFault): boolean {
  return status !== undefined && status !== 409
}

/** The error of an operation for which Stripe is needed. */
export function stripeUnavailable(cause: unknown): Problem {
  return new Problem('unavailable', {
    cause,
    retryAfterSeconds: 5,
    message: 'The card processor does not respond. Nothing was charged. Retry later.',
    internal: readFault(cause).text,
  })
}

function textOf(record: unknown, field: string): string | undefined {
  const value: unknown =
    typeof record === 'object' && record !== null ? Reflect.get(record, field) : undefined
  return typeof value === 'string' ? value : undefined
}
