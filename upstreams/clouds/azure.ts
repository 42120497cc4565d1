import type { Usage } from '../../schema/usage.ts'
import { type StreamedChunk, TextChunk } from '../../schema/wire/text-chunk.ts'
import type { ChatAdapter, ChatAnswer, ChatCall, ChatTranslator, SseEvent } from '../chat-adapter.ts'
import type { MediaAdapter, MediaCall } from '../media-adapter.ts'
import type { Target } from '../targets.ts'

/** Whether a credential is for Azure OpenAI: it names the endpoint of the customer's own resource. */
export function isAzure({ config }: Target): boolean {
  return typeof config?.endpoint === 'string'
}

/**
 * Serves an OpenAI format from a deployment in Azure: at the customer's endpoint, under the deployment's
 * name, with the header `api-key`. `operation` is the end of the path, such as `chat/completions`. The
 * results of Azure's content filter are left out of the answers.
 */
export function onAzure(adapter: ChatAdapter, operation: string): ChatAdapter {
  return {
    ...adapter,
    async buildRequest(call, target, services) {
      const { origin, path, name } = locateDeployment(call, target, operation)
      const request = await adapter.buildRequest(renameModel(call, name), target, services)
      const { authorization: _, ...headers } = request.headers
      return { ...request, origin, path, headers: { ...headers, 'api-key': target.apiKey } }
    },
    readAnswer: (body, call, target) => withoutFilterResults(adapter.readAnswer(body, call, target)),
    openTranslator: (call, target) =>
      new TranslatorWithoutFilterResults(adapter.openTranslator(call, target)),
  }
}

/**
 * Serves the images or the speech of OpenAI from a deployment in Azure. The adapter's request is sent there instead.
 * The end of its path is the operation.
 */
export function mediaOnAzure(adapter: MediaAdapter): MediaAdapter {
  return {
    ...adapter,
    async buildSubmit(call, target, services) {
      const base = { ...target, baseUrl: 'https://azure.invalid' }
      const { name } = locateDeployment(call, target, '')
      const request = await adapter.buildSubmit(renameModel(call, name), base, services)
      const { origin, path } = locateDeployment(call, target, request.path.slice(1))
      const { authorization: _, ...headers } = request.headers
      return { ...request, origin, path, headers: { ...headers, 'api-key': target.apiKey } }
    },
  }
}

interface Deployment {
  origin: string
  path: string
  name: string
}

/** A dated version of the API has paths that name the deployment. */
const dated = /^\d{4}-\d{2}-\d{2}(-preview)?$/

/**
 * Returns the deployment that a credential names with `endpoint`, `deployment` and `api_version`. `deployment` defaults
 * to the vendor's name of the model. Unless `api_version` is a date, it is the v1 API, in which requests name the
 * deployment as the model.
 */
function locateDeployment(
  { entry }: ChatCall | MediaCall,
  { config = {} }: Target,
  operation: string,
): Deployment {
  const { origin, pathname } = new URL(String(config.endpoint))
  const name = typeof config.deployment === 'string' ? config.deployment : entry.upstream.model
  const version = typeof config.api_version === 'string' ? config.api_version : undefined
  const prefix = `${pathname.replace(/\/+$/, '').replace(/\/openai(\/v1)?$/, '')}/openai`
  const query = version ? `?api-version=${encodeURIComponent(version)}` : ''
  const surface = version && dated.test(version) ? `deployments/${encodeURIComponent(name)}` : 'v1'
  return { origin, path: `${prefix}/${surface}/${operation}${query}`, name }
}

function renameModel<Call extends ChatCall | MediaCall>(call: Call, model: string): Call {
  return { ...call, entry: { ...call.entry, upstream: { ...call.entry.upstream, model } } }
}

function withoutFilterResults(answer: ChatAnswer): ChatAnswer {
  deleteFilterResults(answer.completion)
  for (const choice of answer.completion.choices) deleteFilterResults(choice)
  return answer
}

/** Chunks that contain only filter results are left out. */
class TranslatorWithoutFilterResults implements ChatTranslator {
  readonly thinks = undefined
  readonly #translator: ChatTranslator

  constructor(translator: ChatTranslator) {
    this.#translator = translator
  }

  get isFinished(): boolean {
    return this.#translator.isFinished
  }

  get isOver(): boolean {
    return this.#translator.isOver
  }

  get usage(): Usage | undefined {
    return this.#translator.usage
  }

  get serviceTier(): string | undefined {
    return this.#translator.serviceTier
  }

  get isUsageFinal(): boolean {
    return this.#translator.isUsageFinal
  }

  read(event: SseEvent): StreamedChunk[] {
    return this.#translator.read(event).flatMap(trimChunk)
  }

  end(): StreamedChunk[] {
    return this.#translator.end().flatMap(trimChunk)
  }
}

function trimChunk(chunk: StreamedChunk): StreamedChunk[] {
  if (chunk instanceof TextChunk) return [chunk] // the chunk from which it was copied is already trimmed
  deleteFilterResults(chunk)
  for (const choice of chunk.choices) deleteFilterResults(choice)
  const choices = chunk.choices.filter(choice => choice.delta || choice.finish_reason)
  if (choices.length === 0) return []
  return [{ ...chunk, choices: choices.map(choice => ({ ...choice, delta: choice.delta ?? {} })) }]
}

function deleteFilterResults(holder: Record<string, unknown>): void {
  for (const name of Object.keys(holder)) {
    if (name.startsWith('content_filter_') || name === 'prompt_filter_results') delete holder[name]
  }
}
