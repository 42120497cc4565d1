import type { Malformed, Refusal } from '../../platform/http/refuse-malformed.ts'
import type { Ids } from '../../platform/ids.ts'
import { Problem, presentProblem } from '../../schema/errors.ts'
import { isInference } from '../prefixes.ts'
import { presentMessagesProblem, speaksMessages } from '../protocols/messages/client.ts'

/**
 * Returns the response to a request that Node's parser refuses: under `/v1`, the exact 401 if Authorization or
 * Content-Type is missing or wrong (docs/behaviour.md, Errors), even by invalid characters; otherwise a 400 in the shape of
 * every error.
 */
export function openRefuseMalformed(ids: Ids): (malformed: Malformed) => Refusal {
  return ({ status, message, head }) => {
    const requestId = ids.tagged('req_')
    const headers = { 'x-request-id': requestId }
    const path = head?.split(/[ ?]/, 2)[1] ?? ''
    const isWrong = head !== undefined && isInference(path) && isAccessWrong(head, path)
    const problem = isWrong ? new Problem('no_access') : new Problem('invalid_request', { status, message })
    if (!speaksMessages({ path, headers: {} })) {
      return { status: problem.status, body: JSON.stringify(presentProblem(problem)), headers }
    }
    const presented = presentMessagesProblem(problem, requestId)
    return { status: presented.status, body: JSON.stringify(presented.body), headers }
  }
}

const json = /^application\/json[ \t]*(;[\x20-\x7e]*)?$/i

/** Paths that accept files, and their content types. */
const takesFiles = /^(\/openai)?\/v1\/(uploads|images\/edits|videos)\/?$/
const fileTypes =
  /^(application\/(json|octet-stream)|multipart\/form-data|image\/[a-z]+|video\/mp4)[ \t]*(;[\x20-\x7e]*)?$/i

/** Whether Authorization or Content-Type is missing or wrong, as far as the headers can be read. */
function isAccessWrong(head: string, path: string): boolean {
  const [line = '', ...lines] = head.split('\n')
  const values = headersIn(lines)
  const credentials = [...(values.get('authorization') ?? []), ...(values.get('x-api-key') ?? [])]
  if (credentials.length === 0 || credentials.some(value => !/^[\x20-\x7e]+$/.test(value))) return true
  if ((values.get('authorization')?.length ?? 0) > 1) return true
  if (!line.startsWith('POST ')) return false
  const [type = '', ...others] = values.get('content-type') ?? []
  return others.length > 0 || !(takesFiles.test(path) ? fileTypes : json).test(type)
}

/** Returns the values of each header by its lower-case name. */
function headersIn(lines: readonly string[]): Map<string, string[]> {
  const values = new Map<string, string[]>()
  let last: string[] = []
  for (const each of lines) {
    const isFolded = /^[ \t]/.test(each)
    const colon = each.indexOf(':')
    if (isFolded) last.push('\0') // a value over several lines is invalid
    if (isFolded || colon < 0) continue
    const name = each.slice(0, colon).toLowerCase()
    last = values.get(name) ?? []
    last.push(
      each
        .slice(colon + 1)
        .replace(/\r$/, '')
        .trim(),
    )
    values.set(name, last)
  }
  return values
}
