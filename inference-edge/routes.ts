import { readCredits, readGeneration, readKey } from './account/read-account.ts'
import { chatOf } from './chat/chat-kind.ts'
import { countTokens } from './chat/count-tokens.ts'
import type { Route } from './edge.ts'
import { imageEdits, imageGenerations } from './images/image-kind.ts'
import { findModel, listModels } from './list-models.ts'
import { hintsAt } from './openai/hints.ts'
import { openaiMethodsAt } from './openai/openai-routes.ts'
import { paid } from './pipeline/serve-paid.ts'
import { chatCompletions } from './protocols/chat-completions.ts'
import { embeddings } from './protocols/embeddings.ts'
import { messages } from './protocols/messages/protocol.ts'
import { responses } from './protocols/responses/protocol.ts'
import { cancelTask, listVideoTasks, pollTask } from './tasks/read-tasks.ts'
import { audioTasks, speechTasks, videoTasks } from './tasks/task-kind.ts'
import { serveUpload } from './uploads/serve-upload.ts'

/** Every route of `/v1`, by path and method. */
export const routes: Record<string, Record<string, Route>> = {
  '/v1/audio/generations': { POST: paid(audioTasks) },
  '/v1/audio/generations/*': { GET: pollTask, DELETE: cancelTask },
  '/v1/audio/speech': { POST: paid(speechTasks) },
  '/v1/audio/speech/*': { GET: pollTask, DELETE: cancelTask },
  '/v1/chat/completions': { POST: paid(chatOf(chatCompletions)) },
  '/v1/credits': { GET: readCredits },
  '/v1/embeddings': { POST: paid(chatOf(embeddings)) },
  '/v1/generation': { GET: readGeneration },
  '/v1/images/edits': { POST: paid(imageEdits) },
  '/v1/images/generations': { POST: paid(imageGenerations) },
  '/v1/key': { GET: readKey },
  '/v1/messages': { POST: namingRequest(paid(chatOf(messages))) },
  '/v1/messages/count_tokens': { POST: namingRequest(countTokens) },
  '/v1/models': { GET: listModels },
  '/v1/models/*': { GET: findModel },
  '/v1/responses': { POST: paid(chatOf(responses)) },
  '/v1/uploads': { POST: serveUpload },
  '/v1/videos/generations': { POST: paid(videoTasks), GET: listVideoTasks },
  '/v1/videos/generations/*': { GET: pollTask, DELETE: cancelTask },
}

/** The routes with the most requests, by exact path. Each has only the method POST. */
export const directRoutes: ReadonlyMap<string, Route | undefined> = new Map(
  ['/v1/chat/completions', '/v1/embeddings', '/v1/messages', '/v1/responses'].map(path => [
    path,
    routes[path]?.POST,
  ]),
)

/** Prefixes of paths that continue with an ID or with the name of a model, which may contain a slash. */
const withRest = ['/v1/models/', '/v1/audio/generations/', '/v1/audio/speech/', '/v1/videos/generations/']

const openaiPrefix = '/openai'

/** The handlers of a path by method, and the path that they see. */
export interface Served {
  path: string
  methods: Record<string, Route>
}

/**
 * Returns the handlers of a path. Under `/openai/v1`, some endpoints have OpenAI's format, and all others are the same
 * as under `/v1`. OpenAI's endpoints that are not supported fail with a hint.
 */
export function servedAt(path: string): Served | undefined {
  const isOpenai = path.startsWith(`${openaiPrefix}/v1/`)
  const plain = isOpenai ? path.slice(openaiPrefix.length) : path
  const own = isOpenai ? openaiMethodsAt(plain) : undefined
  if (own) return { path, methods: own }
  const methods = methodsAt(plain) ?? hintsAt(plain)
  return methods && { path: plain, methods }
}

function methodsAt(path: string): Record<string, Route> | undefined {
  const known = knownPathOf(path)
  return known === undefined ? undefined : routes[known]
}

/** Returns the path in `routes` of a path with or without a trailing slash; undefined if there is none. */
function knownPathOf(path: string): string | undefined {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  if (routes[plain]) return plain
  const open = withRest.find(beginning => plain.startsWith(beginning))
  return open && `${open}*`
}

/** Returns the name of the route that serves a path, such as `chat.completions`; `other` if there is none. */
export function routeNameOf(path: string): string {
  const plain = path.startsWith(`${openaiPrefix}/v1/`) ? path.slice(openaiPrefix.length) : path
  const known = knownPathOf(plain)
  return known?.replace(/^\/v1\/|\/\*$/g, '').replaceAll('/', '.') ?? 'other'
}

/** Adds the header `request-id`, which clients of the Messages protocol read. */
function namingRequest(route: Route): Route {
  return (edge, ctx) => {
    ctx.set('request-id', ctx.state.record.requestId)
    return route(edge, ctx)
  }
}
