import type { CombinedError } from 'urql'
import { ServiceError } from '../session/rest.ts'

/** The errors of an operation: messages by the field that they concern, and one message about everything else. */
export interface Faults {
  /** Messages by parameter, for example `name` or `ipWhitelist[0]`. */
  fields: ReadonlyMap<string, string>
  general: string | undefined
  /** The names of the errors, as docs/errors.md lists them. */
  problems: readonly string[]
}

/** Sorts the errors of the graph or of a sign-in operation by the fields of a form. */
export function faultsOf(error: CombinedError | ServiceError | unknown): Faults {
  if (error instanceof ServiceError) {
    const { code, param, message } = error
    return param === undefined
      ? { fields: new Map(), general: message, problems: [code] }
      : { fields: new Map([[param, message]]), general: undefined, problems: [code] }
  }
  const errors = isCombined(error) ? error.graphQLErrors : []
  const fields = new Map<string, string>()
  const general: string[] = []
  for (const { message, extensions } of errors) {
    const { param } = extensions
    if (typeof param === 'string') fields.set(param.replace(/^input\./, ''), message)
    else general.push(message)
  }
  if (errors.length === 0) general.push(error instanceof Error ? error.message : String(error))
  const problems = errors.map(({ extensions }) => String(extensions.problem))
  return { fields, general: general.join(' ') || undefined, problems }
}

/** Returns the errors of an operation as one text, for places that have no fields. */
export function faultText(error: unknown): string {
  const { general, fields } = faultsOf(error)
  return [general, ...fields.values()].filter(Boolean).join(' ')
}

function isCombined(error: unknown): error is CombinedError {
  return error instanceof Error && 'graphQLErrors' in error
}

/** Whether the operation failed because the service did not answer. */
export function isUnreachable(error: CombinedError | undefined): boolean {
  return error?.networkError !== undefined && error.response === undefined
}

/** Whether an operation that returned `null` failed only because there is no such record, or did not fail. */
export function isNotFound(error: CombinedError | undefined): boolean {
  if (error?.networkError) return false
  return (error?.graphQLErrors ?? []).every(({ extensions }) => extensions.code === 'NOT_FOUND')
}
