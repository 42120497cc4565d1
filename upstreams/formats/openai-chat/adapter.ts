import type { ChatAdapter, ChatCall, UpstreamRequest } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import { keyHeader, keyOf } from '../shared/media-files.ts'
import { readAnswer } from './answer.ts'
import { readFailure, withoutUnknownFields } from './failure.ts'
import { translateRequest } from './request.ts'
import { openTranslator } from './stream.ts'

/** The chat-completions wire format: vendor_a, and the vendors that are compatible with it. */
export const openaiChat: ChatAdapter = {
  buildRequest,
  readAnswer,
  openTranslator,
  readFailure,
  withoutRefused: withoutUnknownFields,
}

/** Builds the vendor's request. Throws Problem with the parameter that the vendor does not support. */
export function buildRequest(call: ChatCall, target: Target): UpstreamRequest {
  const { origin, path } = locateChat(target.baseUrl)
  return {
    origin,
    path,
    headers: {
      ...keyHeader(keyOf(target), target.apiKey),
      'content-type': 'application/json',
      accept: call.request.stream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
    },
    body: translateRequest(call, target),
  }
}

function locateChat(baseUrl: string): { origin: string; path: string } {
  const { origin, pathname } = new URL(baseUrl)
  return { origin, path: `${pathname === '/' ? '' : pathname}/chat/completions` }
}
