import type { Queue } from '../../../schema/catalog/queue.ts'
import type { HttpRequest } from '../../chat-adapter.ts'
import type { KnownTask, MediaAdapter, MediaCall } from '../../media-adapter.ts'
import type { Target } from '../../targets.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { keyHeader } from '../shared/media-files.ts'
import { buildFields } from '../shared/media-request.ts'
import { invalid } from '../shared/refusals.ts'
import { readFailure } from './failure.ts'
import { queueOf, readResult, readState, readSubmitted } from './state.ts'

/**
 * A queue of generations as the catalogue describes it (`schema/catalog/queue.ts`): it is submitted, polled for its
 * state and its result, and cancelled. Connecting a vendor needs no code (docs/vendors.md).
 */
export const queue: MediaAdapter = {
  buildSubmit,
  readSubmit: async (answer, call, target) => readSubmitted(await answer.json(), { call, target }),
  buildPoll,
  readPoll: async (answer, known) => {
    const read = known.upstream.ask === 'result' ? readResult : readState
    return read(await answer.json(), known)
  },
  buildCancel,
  readFailure: (status, headers, body, call) => readFailure(queueOf(call), { status, headers, body }),
}

function buildSubmit(call: MediaCall, target: Target): HttpRequest {
  const { submit, key, takes_data_uris } = queueOf(call)
  if (!takes_data_uris) refuseDataUris(call)
  const { model } = call.entry.upstream
  const fields = buildFields(call)
  const body = submit.model ? { [submit.model]: model, ...fields } : fields
  return {
    ...locate(target, fill(submit.path, { model })),
    method: submit.method,
    headers: {
      ...lowerCased(submit.headers),
      ...headersOf(key, target),
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  }
}

/** Inline inputs are stored before this call. Without storage, they cannot be sent. */
function refuseDataUris({ parameters }: MediaCall): void {
  const sources = Array.isArray(parameters.image_urls) ? parameters.image_urls : []
  const index = sources.findIndex(source => /^data:/i.test(String(source)))
  if (index < 0) return
  const param = `image_urls[${index}]`
  throw invalid(param, `${param} must be an https:// address.`)
}

function buildPoll(known: KnownTask): HttpRequest {
  const { status, result, key } = queueOf(known.call)
  const isResult = known.upstream.ask === 'result' && result
  const path = isResult ? result.path : status.path
  const method = isResult ? 'GET' : status.method
  return { ...onTask(path, known), method, headers: headersOf(key, known.target) }
}

function buildCancel(known: KnownTask): HttpRequest {
  const { cancel, key } = queueOf(known.call)
  if (!cancel) throw new UpstreamFailure('request', { message: 'the vendor cannot cancel' })
  return { ...onTask(cancel.path, known), method: cancel.method, headers: headersOf(key, known.target) }
}

function onTask(template: string, { upstream, call, target }: KnownTask): { origin: string; path: string } {
  const { id, reference } = upstream
  return locate(target, fill(template, { model: call.entry.upstream.model, id, reference }))
}

/** Fills in a path. The name of a model can contain slashes. Texts from the vendor are escaped completely. */
function fill(
  template: string,
  { model, id = '', reference = '' }: { model: string; id?: string; reference?: string | undefined },
): string {
  const escaped = model.split('/').map(encodeURIComponent).join('/')
  return template
    .replaceAll('{model}', () => escaped)
    .replaceAll('{id}', () => encodeURIComponent(id))
    .replaceAll('{reference}', () => encodeURIComponent(reference))
}

function locate({ baseUrl }: Target, path: string): { origin: string; path: string } {
  const { origin, pathname } = new URL(baseUrl)
  return { origin, path: `${pathname.replace(/\/+$/, '')}${path}` }
}

function headersOf(key: Queue['key'], { apiKey }: Target): Record<string, string> {
  return { ...keyHeader(key, apiKey), accept: 'application/json', 'accept-encoding': 'identity' }
}

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
