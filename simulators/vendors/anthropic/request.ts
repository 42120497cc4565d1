import type { Exchange } from '../../server/exchange.ts'
import type { Json } from '../../server/json.ts'
import { checkRules, type Rule, readShape } from '../../server/shape.ts'
import { anyObject, type Prompt, type PromptMessage, type PromptTool } from '../model/prompt.ts'
import { listPrefixes, type Prefix } from './cache.ts'
import { refuseField, refuseMismatch } from './host.ts'
import { checkSchema } from './schemas.ts'
import { type MessageBody, type ModelTraits, messageShape, traitsOf } from './shape.ts'
import { messageOf, presentTurn, readBlock, readTurns, type Turn } from './turns.ts'

interface MessageRequest {
  readonly prompt: Prompt
  readonly isStreamed: boolean
  readonly traits: ModelTraits
  readonly prefixes: readonly Prefix[]
}

/** Parses a request as strictly as Anthropic does. Throws Anthropic's error for an invalid one. */
export function parseMessageRequest({ request, json }: Exchange): MessageRequest {
  const version = String(request.headers['anthropic-version'])
  const wire = readShape(messageShape, json, refuseMismatch)
  const traits = traitsOf(wire.model)
  const system = (wire.system ?? []).map(readBlock)
  const turns = readTurns(wire, traits)
  const tools = readTools(wire)
  const prefixes = listPrefixes({ tools, system, turns, isMarked: wire.cache_control != null })
  checkRules({ wire, version, turns, tools, prefixes, ...traits }, rules, refuseField)
  const messages = [...system.map(block => messageOf('system', [block])), ...turns.flatMap(presentTurn)]
  const prompt: Prompt = {
    model: wire.model,
    messages,
    tools,
    ...readToolChoice(wire),
    reasoningTokens: readThinking(wire),
    answerSchema: readAnswerSchema(wire, messages),
    maxTokens: wire.max_tokens,
    stops: wire.stop_sequences ?? [],
    candidateCount: 1,
    seed: undefined,
  }
  return { prompt, isStreamed: wire.stream ?? false, traits, prefixes }
}

interface Checked extends ModelTraits {
  readonly wire: MessageBody
  readonly version: string
  readonly turns: readonly Turn[]
  readonly tools: readonly PromptTool[]
  readonly prefixes: readonly Prefix[]
}

const rules: readonly Rule<Checked>[] = [
  ['anthropic-version', 'is not valid', ({ version }) => !/^(2023-06-01|2026-10-21)$/.test(version)],
  [
    'temperature',
    'sampling parameters are not supported by this model and version',
    ({ wire, version, isRecent }) =>
      (isRecent || version !== '2023-06-01') && (wire.temperature ?? wire.top_p ?? wire.top_k) != null,
  ],
  ['top_p', 'excludes `temperature`', ({ wire }) => wire.temperature != null && wire.top_p != null],
  ['messages', 'must have non-empty content', ({ turns }) => turns.some(({ blocks }) => blocks.length === 0)],
  [
    'tools',
    'Requests which include `tool_use` or `tool_result` blocks must define tools',
    ({ turns, tools }) => tools.length === 0 && turns.some(({ blocks }) => blocks.some(({ call }) => call)),
  ],
  [
    'tools',
    'Tool names must be unique.',
    ({ tools }) => new Set(tools.map(({ name }) => name)).size < tools.length,
  ],
  [
    'tool_choice',
    'Tool not found in provided tools',
    ({ wire: { tool_choice: choice }, tools }) =>
      choice && !tools.some(({ name }) => choice.type !== 'tool' || choice.name === name),
  ],
  [
    'tool_choice',
    'Thinking must not be enabled when tool_choice forces tool use.',
    ({ wire: { tool_choice: choice, thinking } }) =>
      /^(any|tool)$/.test(choice?.type ?? '') && /^(enabled|adaptive)$/.test(thinking?.type ?? ''),
  ],
  [
    'thinking.type',
    '"enabled" needs an earlier model and a `budget_tokens` below `max_tokens`',
    ({ wire: { thinking, max_tokens }, isRecent }) =>
      thinking?.type === 'enabled' && (isRecent || thinking.budget_tokens >= max_tokens),
  ],
  [
    'output_config',
    'This model does not support efforts and output formats.',
    ({ wire: { output_config: config }, isRecent }) => !isRecent && (config?.effort ?? config?.format),
  ],
  [
    'cache_control',
    'A maximum of 4 blocks with cache_control may be provided.',
    ({ prefixes }) => prefixes.reduce((sum, prefix) => sum + prefix.breakpoints, 0) > 4,
  ],
]

function readTools({ tools = [] }: MessageBody): (PromptTool & { isMarked: boolean })[] {
  for (const tool of tools) if (tool.strict) checkSchema(tool.input_schema, 'tools.input_schema')
  return tools.map(({ name, description, input_schema: schema, cache_control }) => ({
    ...{ name, description: description ?? '', schema, isMarked: cache_control != null },
  }))
}

/** Returns the tool choice, and whether one answer can contain several calls. */
function readToolChoice({
  tool_choice: choice,
}: MessageBody): Pick<Prompt, 'toolChoice' | 'allowsParallelCalls'> {
  const type = choice?.type ?? 'auto'
  const isForced = type === 'any' || type === 'tool'
  const names = choice?.type === 'tool' ? [choice.name] : undefined
  const allowsParallelCalls = choice?.type === 'none' || !choice?.disable_parallel_tool_use
  return { toolChoice: { mode: isForced ? 'required' : type, names }, allowsParallelCalls }
}

const tokensOfEffort = { low: 32, medium: 64, high: 128, xhigh: 256, max: 512 }

/** Returns the number of thinking tokens. Recent models think if an effort is set, earlier ones if a budget is set. */
function readThinking({ thinking, output_config: config }: MessageBody): number {
  if (config?.effort) return thinking?.type === 'disabled' ? 0 : tokensOfEffort[config.effort]
  return !config && thinking?.type === 'enabled' ? 64 : 0
}

/** Returns the schema of a JSON answer: of the request, or of any object if a system message requires one. */
function readAnswerSchema(
  { output_config: config }: MessageBody,
  messages: readonly PromptMessage[],
): Json | undefined {
  const schema = config?.format?.schema
  if (!schema) {
    const wantsObject = /\bjson object\b.*\bnothing else\b/is
    const isRequired = messages.some(({ role, text }) => role === 'system' && wantsObject.test(text))
    return isRequired ? anyObject : undefined
  }
  checkSchema(schema, 'output_config.format.schema')
  return schema
}
