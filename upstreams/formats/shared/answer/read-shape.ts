import { UpstreamFailure } from '../../../upstream-failure.ts'

/** Reads what a vendor sent; what has another shape than an answer is none. Throws UpstreamFailure alone. */
export function readShape<Read>(read: () => Read): Read {
  try {
    return read()
  } catch (error) {
    throw error instanceof UpstreamFailure ? error : oddShape(error)
  }
}

/** A text where the vendor must send one. Throws `broken`. */
export function requireText(value: unknown): string {
  if (typeof value === 'string') return value
  throw oddShape()
}

/** A count that the vendor may tell; zero where it does not. */
export function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

/** An answer that is none, for its shape. */
export function oddShape(cause?: unknown): UpstreamFailure {
  return new UpstreamFailure('broken', { message: 'the vendor answered in another shape', cause })
}
