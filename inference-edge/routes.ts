import { countTokens } from './chat/count-tokens.ts'
import { serveChat } from './chat/serve-chat.ts'
import type { Route } from './edge.ts'
import { editImages, generateImages } from './images/serve-images.ts'
import { findModel, listModels } from './list-models.ts'
import { hintsAt } from './openai/hints.ts'
import { openaiMethodsAt } from './openai/openai-routes.ts'
import { chatCompletions } from './protocols/chat-completions.ts'
import { embeddings } from './protocols/embeddings.ts'
import { messages } from './protocols/messages/protocol.ts'
import type { Protocol } from './protocols/protocol.ts'
import { responses } from './protocols/responses/protocol.ts'
import { cancelTask, listVideoTasks, pollTask } from './tasks/read-tasks.ts'
import { submitTask } from './tasks/submit-task.ts'
import { serveUpload } from './uploads/serve-upload.ts'

/** Every route of `/v1`: path, method, what serves it. */
export const routes: Record<string, Record<string, Route>> = {
  '/v1/audio/generations': { POST: submitTask('audio') },
  '/v1/audio/generations/*': { GET: pollTask, DELETE: cancelTask },
  '/v1/audio/speech': { POST: submitTask('speech') },
  '/v1/audio/speech/*': { GET: pollTask, DELETE: cancelTask },
  '/v1/chat/completions': { POST: chat(chatCompletions) },
  '/v1/embeddings': { POST: chat(embeddings) },
  '/v1/images/edits': { POST: editImages },
  '/v1/images/generations': { POST: generateImages },
  '/v1/messages': { POST: namingRequest(chat(messages)) },
  '/v1/messages/count_tokens': { POST: namingRequest(countTokens) },
  '/v1/models': { GET: listModels },
  '/v1/models/*': { GET: findModel },
  '/v1/responses': { POST: chat(responses) },
  '/v1/uploads': { POST: serveUpload },
  '/v1/videos/generations': { POST: submitTask('video'), GET: listVideoTasks },
  '/v1/videos/generations/*': { GET: pollTask, DELETE: cancelTask },
}

/** The paths that lead on: an id, or the name of a model, which may have a slash in it. */
const withRest = ['/v1/models/', '/v1/audio/generations/', '/v1/audio/speech/', '/v1/videos/generations/']

const openaiPrefix = '/openai'

/** The handlers of a path by method, and the path that they see. */
export interface Served {
  path: string
  methods: Record<string, Route>
}

/**
 * Returns what serves a path. Under `/openai/v1`, calls with a shape of their own come first; all others are those of
 * `/v1`. Calls of OpenAI's that are not served are refused with a hint.
 */
export function servedAt(path: string): Served | undefined {
  const isOpenai = path.startsWith(`${openaiPrefix}/v1/`)
  const plain = isOpenai ? path.slice(openaiPrefix.length) : path
  const own = isOpenai ? openaiMethodsAt(plain) : undefined
  if (own) return { path, methods: own }
  const methods = methodsAt(plain) ?? hintsAt(plain)
  return methods && { path: plain, methods }
}

/** What a path takes, with or without a slash at its end. */
function methodsAt(path: string): Record<string, Route> | undefined {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  const exact = routes[plain]
  if (exact) return exact
  const open = withRest.find(beginning => plain.startsWith(beginning))
  return open ? routes[`${open}*`] : undefined
}

function chat(protocol: Protocol): Route {
  return (edge, ctx) => serveChat(edge, ctx, protocol)
}

/** Clients of the Messages protocol know a request by the header `request-id`. */
function namingRequest(route: Route): Route {
  return (edge, ctx) => {
    ctx.set('request-id', ctx.state.record.requestId)
    return route(edge, ctx)
  }
}
