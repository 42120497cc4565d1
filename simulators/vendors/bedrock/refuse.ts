import type { Trouble } from '../faults/meet-fault.ts'
import { Refusal } from '../server/refusal.ts'

/** An error in AWS's shape: its type in a header, its words in the body. */
export function refuse(status: number, type: string, message: string): Refusal {
  return new Refusal({ status, headers: { 'x-amzn-errortype': type }, body: { message } })
}

const types: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
}

/** What Bedrock says of trouble that is not in the request itself. */
export function refuseTrouble({ kind, status }: Trouble): Refusal {
  if (kind === 'too-long') return refuse(400, 'ValidationException', 'Input is too long for requested model.')
  if (kind === 'quota' || status === 429)
    return refuse(429, 'ThrottlingException', 'Too many requests, please wait before trying again.')
  const type = types[status] ?? (status < 500 ? 'ValidationException' : 'InternalServerException')
  return refuse(status, type, `Refused with status ${status}.`)
}
