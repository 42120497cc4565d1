import { refuseParam } from '../schema/refuse-param.ts'

/** Default and maximum time for which a previous secret is valid beside the new one, in hours. */
export const defaultOverlapHours = 24
export const longestOverlapHours = 168

/** Checks the overlap of two secrets. Throws `validation_failed`. */
export function checkOverlapHours(overlapHours: number): void {
  if (!Number.isInteger(overlapHours) || overlapHours < 0 || overlapHours > longestOverlapHours)
    refuseParam('overlapHours', `must be a whole number from 0 to ${longestOverlapHours}`)
}
