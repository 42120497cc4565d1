import type { Prompt } from '../../model/prompt.ts'
import type { Exchange } from '../../server/exchange.ts'
import type { Settings } from '../../simulator.ts'
import { type ModelTraits, traitsOf } from '../model-traits.ts'
import { refuse, refuseModel } from '../refuse.ts'
import { checkSalt } from './check-salt.ts'
import { checkSignatures } from './check-signatures.ts'
import { checkTurns } from './check-turns.ts'
import { type Generation, parseGeneration } from './parse-generation.ts'
import { parseToolChoice, parseTools } from './parse-tools.ts'
import { parseSystem, parseTurns } from './parse-turns.ts'
import { presentTurns } from './present-turns.ts'
import { asFields, type Fields, readList, readRecord, refuseUnknownNames } from './read-fields.ts'

/** A request that Gemini would take, read. */
export interface GenerateRequest extends Pick<Generation, 'topLogprobs'> {
  readonly prompt: Prompt
  readonly traits: ModelTraits
}

const known = [
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'generationConfig',
  'labels',
]

/** Reads a request as strictly as the vendor does; refuses what it would refuse, in its words. */
export function parseGenerateRequest(
  exchange: Exchange,
  { model, caller, settings }: { model: string; caller: string; settings: Settings },
): GenerateRequest {
  const traits = traitsOf(model)
  if (traits.isMissing) throw refuseModel(model)
  const fields = parseFields(exchange)
  refuseUnknownNames(fields, known)
  readList(fields, 'safetySettings')
  const system = parseSystem(fields)
  const turns = parseTurns(fields, { hasIds: traits.isSigning })
  checkTurns(turns)
  if (traits.isSigning) checkSignatures(turns, { caller, model })
  const tools = parseTools(fields)
  if (settings.requireSalt) checkSalt(system, tools)
  const generation = readRecord(fields, 'generationConfig') ?? { values: {}, at: 'generation_config' }
  const { topLogprobs, ...wanted } = parseGeneration(generation, { traits, hasTools: tools.length > 0 })
  const prompt: Prompt = {
    model,
    messages: presentTurns(system, turns),
    tools,
    toolChoice: parseToolChoice(fields, tools),
    mayCallInParallel: true,
    ...wanted,
  }
  return { prompt, traits, topLogprobs }
}

function parseFields({ body }: Exchange): Fields {
  if (body.json !== undefined) return asFields(body.json, '')
  throw refuse(400, 'Invalid JSON payload received. Unexpected end of string. Expected a value.')
}
