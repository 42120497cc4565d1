import type { ValuePath } from '../../../schema/value-path.ts'

/** Reports a fault of one entry with its path and message. */
export type Report = (path: ValuePath, message: string) => void
