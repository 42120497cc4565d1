import { afterEach, beforeEach } from 'vitest'
import type { ChatChunk, ChatRequest } from '../../schema/wire/chat.ts'
import { wholeChunk } from '../../schema/wire/text-chunk.ts'
import { type RunningSimulator, startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { callChat } from '../../upstreams/call/call-chat.ts'
import { openUpstreams, type Upstreams } from '../../upstreams/call/open-upstreams.ts'
import { Cancellation } from '../../upstreams/http/cancellation.ts'
import type { Target } from '../../upstreams/targets.ts'
import { aChatCall } from '../harness/a-chat-call.ts'
import { aConfig } from '../harness/a-context.ts'
import { perFile } from '../harness/per-file.ts'
import { textOf } from './read-frames.ts'

type RequestFields = Partial<ChatRequest> & { model: string }

/** One call to a vendor, as the edge makes it, where what matters is the credential alone. */
export async function callVendor(upstreams: Upstreams, target: Target, fields: RequestFields) {
  const call = aChatCall(fields)
  const { answer, stream } = await callChat(upstreams, {
    attempts: [{ entry: call.entry, target }],
    prepare: async () => call,
    onAttemptEnd: () => {},
    cancellation: new Cancellation(),
  })
  const chunks: ChatChunk[] = []
  for (let read = await stream?.read(); read; read = await stream?.read())
    chunks.push(...read.map(wholeChunk))
  const completion = answer?.completion
  return {
    completion,
    chunks,
    /** The text of the answer, whole or in chunks. */
    text: completion?.choices[0]?.message.content ?? textOf(chunks),
    usage: answer?.usage ?? stream?.usage,
  }
}

/** The simulator of a test file and a function that calls it. Each test starts with new credentials. */
export function theVendors(): {
  simulator: RunningSimulator
  call(target: Target, fields: RequestFields): ReturnType<typeof callVendor>
} {
  const simulator = perFile(() => startSimulator({ settings: { requireSalt: true } }))
  let upstreams: ReturnType<typeof openUpstreams>
  beforeEach(() => {
    upstreams = openUpstreams(aConfig({}))
  })
  afterEach(async () => {
    await upstreams.close()
    simulator.reset()
  })
  return { simulator, call: (target, fields) => callVendor(upstreams, target, fields) }
}
