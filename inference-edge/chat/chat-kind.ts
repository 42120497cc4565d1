import { admitChat, type ChatDemand, readDemand } from '../../domain/inference/admit-chat.ts'
import { problemIn } from '../../upstreams/upstream-failure.ts'
import type { PaidKind } from '../pipeline/paid-kind.ts'
import type { Conversation, Protocol } from '../protocols/protocol.ts'
import { answerStream } from './answer-stream.ts'
import { answerWhole } from './answer-whole.ts'
import { openChatRun } from './chat-run.ts'

/** A chat request that was read. */
interface AskedChat {
  conversation: Conversation
  /** Size of the body with what its translation added, in bytes. */
  bodyBytes: number
}

/** Returns the chat requests of one protocol as a kind of paid request. */
export function chatOf(protocol: Protocol): PaidKind<AskedChat, ChatDemand> {
  return {
    read(_edge, _ctx, { json, bytes }) {
      const conversation = protocol.read(json)
      return { conversation, bodyBytes: bytes + (conversation.addedBytes ?? 0) }
    },
    demand({ inference }, key, { conversation: { request }, bodyBytes }) {
      return readDemand(inference, key, { request, bodyBytes, task: protocol.task })
    },
    open(edge, ctx, { asked: { conversation }, demand, allowed, client, keep }) {
      const { record } = ctx.state
      record.route = protocol.route
      const admission = admitChat(edge.inference, demand, allowed)
      const run = openChatRun(record, { conversation, admission, client, keep })
      return conversation.request.stream ? answerStream(edge, ctx, run) : answerWhole(edge, ctx, run)
    },
    explain: (error, { conversation }) => conversation.renameParam(problemIn(error)),
  }
}
