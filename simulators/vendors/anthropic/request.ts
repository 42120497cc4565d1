import type { Exchange } from '../../server/exchange.ts'
import { isRecord } from '../../server/json.ts'
import { readShape } from '../../server/shape.ts'
import {
  type AnswerFormat,
  anyObject,
  type Prompt,
  type PromptMessage,
  type PromptTool,
} from '../model/prompt.ts'
import { listPrefixes, type Prefix } from './cache.ts'
import { refuse, refuseField, refuseMismatch, refuseModel } from './errors.ts'
import { checkCompilable, checkSchema } from './schemas.ts'
import { type MessageBody, type ModelTraits, messageShape, traitsOf } from './shape.ts'
import { messageOf, presentTurn, readContent, readTurns } from './turns.ts'

interface MessageRequest {
  readonly prompt: Prompt
  readonly isStreamed: boolean
  readonly traits: ModelTraits
  readonly prefixes: readonly Prefix[]
}

const maxBreakpoints = 4

/** Parses a request as strictly as Anthropic does. Throws Anthropic's error for an invalid one. */
export function parseMessageRequest(exchange: Exchange): MessageRequest {
  const version = readVersion(exchange)
  const { request, body } = exchange
  if (!request.headers['content-type']?.includes('application/json') || body.json === undefined)
    throw refuse(400, 'The request body is not valid JSON')
  const traits = traitsOf(isRecord(body.json) ? String(body.json.model) : '')
  if (traits.isMissing && isRecord(body.json)) throw refuseModel(String(body.json.model))
  const wire = readShape(messageShape, body.json, refuseMismatch)
  checkSampling(wire, version === '2023-06-01' && !traits.isRecent)
  const system = readContent(wire.system ?? [], 'system', 'system')
  const turns = readTurns(wire, traits)
  const tools = readTools(wire)
  if (tools.length === 0 && turns.some(({ blocks }) => blocks.some(block => block.call)))
    throw refuse(400, 'Requests which include `tool_use` or `tool_result` blocks must define tools')
  const prefixes = listPrefixes({ tools, system, turns, isMarked: wire.cache_control != null })
  const breakpoints = prefixes.reduce((sum, prefix) => sum + prefix.breakpoints, 0)
  if (breakpoints > maxBreakpoints)
    throw refuse(
      400,
      `A maximum of ${maxBreakpoints} blocks with cache_control may be provided. Found ${breakpoints}.`,
    )
  const messages = [...system.map(block => messageOf('system', [block])), ...turns.flatMap(presentTurn)]
  const prompt: Prompt = {
    model: wire.model,
    messages,
    tools,
    ...readToolChoice(wire, tools),
    reasoningTokens: readThinking(wire, traits),
    answerFormat: readAnswerFormat(wire, messages, traits),
    maxTokens: wire.max_tokens,
    stops: wire.stop_sequences ?? [],
    candidateCount: 1,
    seed: undefined,
  }
  return { prompt, isStreamed: wire.stream ?? false, traits, prefixes }
}

/** Returns the API version, which is required. */
function readVersion({ request }: Exchange): '2023-06-01' | '2026-10-21' {
  const version = request.headers['anthropic-version']
  if (version === '2023-06-01' || version === '2026-10-21') return version
  if (version === undefined) throw refuse(400, 'anthropic-version: header is required')
  throw refuse(400, `anthropic-version: "${String(version)}" is not a valid version`)
}

function checkSampling(wire: MessageBody, isSupported: boolean): void {
  for (const name of ['temperature', 'top_p', 'top_k'] as const) {
    if (!isSupported && wire[name] !== undefined)
      throw refuseField(name, 'sampling parameters are not supported by this model and version')
  }
  if (wire.temperature === undefined || wire.top_p === undefined) return
  throw refuse(400, '`temperature` and `top_p` cannot both be specified for this model. Please use only one.')
}

function readTools({ tools = [] }: MessageBody): (PromptTool & { isMarked: boolean })[] {
  const pathOf = (index: number) => `tools.${index}.custom.input_schema`
  for (const [index, { input_schema: schema, strict }] of tools.entries()) {
    const at = pathOf(index)
    if (schema.type === undefined) throw refuseField(`${at}.type`, 'Field required')
    if (schema.type !== 'object') throw refuseField(`${at}.type`, "Input should be 'object'")
    if (['oneOf', 'allOf', 'anyOf'].some(keyword => keyword in schema))
      throw refuseField(at, 'input_schema does not support oneOf, allOf, or anyOf at the top level')
    if (strict) checkSchema(schema, at)
  }
  if (new Set(tools.map(tool => tool.name)).size < tools.length)
    throw refuse(400, 'tools: Tool names must be unique.')
  const strict = tools.filter(tool => tool.strict)
  checkCompilable(strict.map(({ input_schema: schema }, index) => ({ schema, at: pathOf(index) })))
  return tools.map(({ name, description = '', input_schema: schema, cache_control }) => ({
    name,
    description,
    schema,
    isMarked: cache_control != null,
  }))
}

/** Returns the tool choice, and whether one answer can contain several calls. */
function readToolChoice(
  { tool_choice: choice, thinking }: MessageBody,
  tools: readonly PromptTool[],
): Pick<Prompt, 'toolChoice' | 'allowsParallelCalls'> {
  if (!choice) return { toolChoice: { mode: 'auto' }, allowsParallelCalls: true }
  if (tools.length === 0) throw refuse(400, 'tool_choice: may only be specified while providing tools')
  if (choice.type === 'none') return { toolChoice: { mode: 'none' }, allowsParallelCalls: false }
  const allowsParallelCalls = !choice.disable_parallel_tool_use
  if (choice.type === 'auto') return { toolChoice: { mode: 'auto' }, allowsParallelCalls }
  const names = choice.type === 'tool' ? [choice.name] : undefined
  if (names && !tools.some(tool => names.includes(tool.name)))
    throw refuse(400, `tool_choice: Tool '${names.join()}' not found in provided tools`)
  if (thinking?.type === 'enabled' || thinking?.type === 'adaptive')
    throw refuse(400, 'Thinking may not be enabled when tool_choice forces tool use.')
  return { toolChoice: { mode: 'required', names }, allowsParallelCalls }
}

const tokensOfEffort = { low: 32, medium: 64, high: 128, xhigh: 256, max: 512 }

/** Returns the number of thinking tokens. Recent models think if an effort is set, earlier ones if a budget is set. */
function readThinking(
  { thinking, output_config: config, max_tokens: maxTokens }: MessageBody,
  traits: ModelTraits,
): number {
  if (thinking?.type === 'enabled') {
    if (traits.isRecent)
      throw refuseField('thinking.type', '"enabled" is not supported by this model: use "adaptive"')
    if (thinking.budget_tokens >= maxTokens)
      throw refuse(400, '`max_tokens` must be greater than `thinking.budget_tokens`.')
  }
  if (!config) return thinking?.type === 'enabled' ? 64 : 0
  if (!config.effort) return 0
  if (!traits.isRecent) throw refuse(400, 'This model does not support the effort parameter.')
  return thinking?.type === 'disabled' ? 0 : tokensOfEffort[config.effort]
}

/** Returns the answer's format: JSON if the request has a schema, or if a system message requires a JSON object. */
function readAnswerFormat(
  { output_config: config }: MessageBody,
  messages: readonly PromptMessage[],
  { isRecent }: ModelTraits,
): AnswerFormat {
  if (!config?.format) {
    const wantsObject = /\bjson object\b.*\bnothing else\b/is
    const isRequired = messages.some(({ role, text }) => role === 'system' && wantsObject.test(text))
    return isRequired ? { kind: 'json', schema: anyObject } : { kind: 'text' }
  }
  if (!isRecent) throw refuse(400, 'output_config.format: this model does not support output formats')
  const { schema } = config.format
  const at = 'output_config.format.schema'
  checkSchema(schema, at)
  checkCompilable([{ schema, at }])
  return { kind: 'json', schema }
}
