import type { CombinedError } from 'urql'
import { ServiceError } from '../session/rest.ts'
import { problemText } from '../text/problems/problems.ts'

/** The errors of an operation: messages by the field that they concern, and one message about everything else. */
export interface Faults {
  /** Messages by parameter, for example `name` or `ipWhitelist[0]`. */
  fields: ReadonlyMap<string, string>
  general: string | undefined
  /** The names of the errors, as docs/errors.md lists them. */
  problems: readonly string[]
}

/** Sorts the errors of the graph, of `/v1` or of a sign-in operation by the fields of a form, in the reader's language. */
export function faultsOf(error: CombinedError | ServiceError | unknown): Faults {
  const problems = problemsOf(error)
  const fields = new Map<string, string>()
  const general: string[] = []
  for (const { param, ...problem } of problems) {
    if (param === undefined) general.push(problemText(problem))
    else fields.set(param.replace(/^input\./, ''), problemText(problem))
  }
  return { fields, general: general.join(' ') || undefined, problems: problems.map(({ name }) => name) }
}

interface FormProblem {
  name: string
  message: string
  /** The invalid field, if there is one. */
  param?: string | undefined
  retryAfterSeconds?: number | undefined
}

function problemsOf(error: unknown): FormProblem[] {
  if (error instanceof ServiceError) return [{ ...error, name: error.code, message: error.message }]
  if (!isCombined(error))
    return [{ name: '', message: error instanceof Error ? error.message : String(error) }]
  if (isUnreachable(error)) return [{ name: 'unreachable', message: error.message }]
  if (error.graphQLErrors.length === 0) return [{ name: '', message: error.message }]
  return error.graphQLErrors.map(({ message, extensions: { problem, param, retryAfterSeconds } }) => ({
    name: String(problem),
    message,
    ...(typeof param === 'string' && { param }),
    ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
  }))
}

/** Returns the errors of an operation as one text, for places that have no fields. */
export function faultText(error: unknown): string {
  const { general, fields } = faultsOf(error)
  return [general, ...fields.values()].filter(Boolean).join(' ')
}

function isCombined(error: unknown): error is CombinedError {
  return error instanceof Error && 'graphQLErrors' in error
}

/** Whether the operation failed because the service did not answer, or only the edge in front of it. */
export function isUnreachable(error: CombinedError): boolean {
  return error.networkError !== undefined && !(error.response?.status < 500)
}

/** Whether an operation that returned `null` failed only because there is no such record, or did not fail. */
export function isNotFound(error: CombinedError | undefined): boolean {
  if (error?.networkError) return false
  return (error?.graphQLErrors ?? []).every(({ extensions }) => extensions.code === 'NOT_FOUND')
}
