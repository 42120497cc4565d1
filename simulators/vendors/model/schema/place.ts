import type { Json } from '../../json.ts'

/** Where in a value we are while it is being made. */
export interface Place {
  /** The whole schema, which references point into. */
  readonly root: Json
  /** Which of the values that fit: neighbours in an array have neighbouring ordinals, so that they differ. */
  readonly ordinal: number
  readonly depth: number
}
