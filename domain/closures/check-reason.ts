import { refuseParam } from '../../schema/refuse-param.ts'

/** Returns an operator's reason, trimmed. Throws `validation_failed` unless it has 1 to 500 characters. */
export function checkReason(reason: string): string {
  if (!/\S/.test(reason) || reason.length > 500) refuseParam('reason', 'must have 1 to 500 characters')
  return reason.trim()
}
