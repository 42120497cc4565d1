import { admitChat, amountWithCheck, type ChatDemand, readDemand } from '../../domain/inference/admit-chat.ts'
import { type RoutingPreferences, readPreferences } from '../../domain/inference/routes/read-preferences.ts'
import { bytesSaved, type DetachedTexts } from '../../platform/json/detached-texts.ts'
import { invalidParam } from '../../schema/refuse-param.ts'
import { problemIn } from '../../upstreams/upstream-failure.ts'
import type { PaidKind } from '../pipeline/paid-kind.ts'
import { type ParseBody, parseBody } from '../pipeline/receive-body.ts'
import type { Conversation, Protocol } from '../protocols/protocol.ts'
import { answerStream } from './answer-stream.ts'
import { answerWhole } from './answer-whole.ts'
import { labelsOf, openChatRun } from './chat-run.ts'

/** A chat request that was read. */
interface AskedChat {
  conversation: Conversation
  /** Size of the body without its detached images, and with what its translation added, in bytes. */
  bodyBytes: number
  images: DetachedTexts | undefined
  /** The preferences about models and vendors; undefined if the request has none. */
  preferences: RoutingPreferences | undefined
}

/** Returns the chat requests of one protocol as a kind of paid request. */
export function chatOf(protocol: Protocol): PaidKind<AskedChat, ChatDemand> {
  const parse: ParseBody = (edge, body, before) => parseBody(edge, body, before, protocol.route)
  return {
    parser: () => parse,
    read(_edge, ctx, { json, bytes, images }) {
      const { body, preferences } = readPreferences(json, ctx.req.headers['x-no-fallback'])
      if (protocol.task && preferences?.models.length)
        throw invalidParam('models', 'is not supported for embeddings: another model makes other vectors')
      const conversation = protocol.read(body)
      const savedBytes = images ? bytesSaved(images) : 0
      const bodyBytes = bytes - savedBytes + (conversation.addedBytes ?? 0)
      return { conversation, bodyBytes, images, preferences }
    },
    demand({ inference }, key, { conversation: { request }, bodyBytes, preferences }) {
      return readDemand(inference, key, { request, bodyBytes, task: protocol.task, preferences })
    },
    amountWithCheck: ({ inference }, key, demand) => amountWithCheck(inference, key, demand),
    open(edge, ctx, { asked: { conversation, images }, demand, allowed, client, keep }) {
      const { record } = ctx.state
      record.route = protocol.route
      const admission = admitChat(edge.inference, demand, { allowed, labels: labelsOf(conversation) })
      const run = openChatRun(record, { conversation, images, admission, client, keep })
      return conversation.request.stream ? answerStream(edge, ctx, run) : answerWhole(edge, ctx, run)
    },
    explain: (error, { conversation }) => conversation.renameParam(problemIn(error)),
  }
}
