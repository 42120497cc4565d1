import type { Prompt } from '../../model/prompt.ts'
import type { Exchange } from '../../server/exchange.ts'
import { listPrefixes, type Prefix } from '../cache/list-prefixes.ts'
import { type ModelTraits, traitsOf } from '../model-traits.ts'
import { readVersion } from '../read-version.ts'
import { refuse, refuseModel } from '../refuse.ts'
import { checkSettings, readStops } from './check-settings.ts'
import { checkTurns } from './check-turns.ts'
import { parseOutput } from './parse-output.ts'
import { parseToolChoice } from './parse-tool-choice.ts'
import { parseTools } from './parse-tools.ts'
import { parseContent, parseTurns } from './parse-turns.ts'
import { presentTurns } from './present-turns.ts'
import { asFields, type Fields, readBoolean, readNumber, readText, refuseField } from './read-fields.ts'
import { readMark } from './read-mark.ts'

/** A request that Anthropic would take, read. */
export interface MessageRequest {
  readonly prompt: Prompt
  readonly isStreamed: boolean
  readonly traits: ModelTraits
  /** Where the prompt may be cut for the cache. */
  readonly prefixes: readonly Prefix[]
}

const mostMarks = 4
const mostOutputTokens = 128_000

/** Reads a request as strictly as the vendor does; refuses what it would refuse, in its words. */
export function parseMessageRequest(exchange: Exchange): MessageRequest {
  const version = readVersion(exchange)
  const fields = parseFields(exchange)
  const model = readText(fields, 'model')
  const traits = traitsOf(model)
  if (traits.isMissing) throw refuseModel(model)
  checkSettings(fields, { version, isRecent: traits.isRecent })
  const maxTokens = readMaxTokens(fields)
  const { system } = fields.values
  const systemBlocks = system === undefined ? [] : parseContent(system, 'system', ['text'])
  const turns = parseTurns(fields)
  checkTurns(turns, traits)
  const tools = parseTools(fields)
  if (tools.length === 0 && turns.some(({ blocks }) => blocks.some(block => block.call)))
    throw refuse(400, 'Requests which include `tool_use` or `tool_result` blocks must define tools')
  const choice = parseToolChoice(fields, tools)
  const isForced = choice.toolChoice.mode === 'required'
  const prefixes = listPrefixes({ tools, system: systemBlocks, turns, isMarkedWhole: readMark(fields) })
  refuseManyMarks(prefixes.reduce((sum, prefix) => sum + prefix.marks, 0))
  return {
    prompt: {
      model,
      messages: presentTurns(systemBlocks, turns),
      tools,
      ...choice,
      ...parseOutput(fields, { ...traits, isForced, maxTokens }),
      maxTokens,
      stops: readStops(fields),
      candidateCount: 1,
      seed: undefined,
    },
    isStreamed: readBoolean(fields, 'stream') ?? false,
    traits,
    prefixes,
  }
}

function parseFields({ request, body }: Exchange): Fields {
  if (!request.headers['content-type']?.includes('application/json') || body.json === undefined)
    throw refuse(400, 'The request body is not valid JSON')
  return asFields(body.json, '')
}

function readMaxTokens(fields: Fields): number {
  const maxTokens = readNumber(fields, 'max_tokens', { least: 0, isWhole: true })
  if (maxTokens === undefined) throw refuseField('max_tokens', 'Field required')
  if (maxTokens <= mostOutputTokens) return maxTokens
  const message = `${maxTokens} > ${mostOutputTokens}, which is the maximum allowed number of output tokens`
  throw refuseField('max_tokens', message)
}

function refuseManyMarks(count: number): void {
  if (count <= mostMarks) return
  throw refuse(400, `A maximum of ${mostMarks} blocks with cache_control may be provided. Found ${count}.`)
}
