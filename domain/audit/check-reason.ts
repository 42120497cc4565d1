import { refuseParam } from '../../schema/refuse-param.ts'

/** Maximum length of an operator's reason for an action, in characters. */
export const maxReasonLength = 500

/** Returns an operator's reason for an action on an account, trimmed. Throws `validation_failed` if it is blank or too long. */
export function checkReason(reason: string): string {
  if (!/\S/.test(reason) || reason.length > maxReasonLength)
    refuseParam('reason', `must have 1 to ${maxReasonLength} characters`)
  return reason.trim()
}
