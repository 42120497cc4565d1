import { dropMarkers, type Fault } from '../faults.ts'
import { fitSchema } from './fit-schema.ts'
import {
  type CacheUse,
  type Candidate,
  lastUserText,
  type Prompt,
  type Reply,
  type ReplyCall,
  renderPrompt,
} from './prompt.ts'
import { countTokens, hashText, takeTokens, writeWords } from './text.ts'

/** Returns a model's reply to a prompt, with its usage. Applies the faults `empty`, `blank` and `no-usage`. */
export function answerPrompt(
  prompt: Prompt,
  { fault, useCache }: { fault: Fault | undefined; useCache(renderedPrompt: string): CacheUse },
): Reply {
  const candidates = composeCandidates(prompt, fault)
  if (fault?.name === 'no-usage') return { candidates, usage: undefined }
  const text = renderPrompt(prompt)
  const reasoningTokens = Math.min(prompt.reasoningTokens, prompt.maxTokens ?? Infinity) * candidates.length
  const outputTokens = candidates.reduce((sum, candidate) => sum + countCandidate(candidate), reasoningTokens)
  const usage = { promptTokens: countTokens(text), outputTokens, reasoningTokens, ...useCache(text) }
  return { candidates, usage }
}

function composeCandidates(prompt: Prompt, fault: Fault | undefined): Candidate[] {
  if (fault?.name === 'empty') return []
  return Array.from({ length: prompt.candidateCount }, (_, index) =>
    fault?.name === 'blank' ? { text: '', calls: [], finish: 'stop' } : composeCandidate(prompt, index),
  )
}

/** Composes an answer: tool calls, valid JSON, or text. The prompt and the index determine it. */
function composeCandidate(prompt: Prompt, index: number): Candidate {
  const userText = dropMarkers(lastUserText(prompt))
  const seed = hashText(`${prompt.model}\n${prompt.seed ?? ''}\n${index}\n${userText}`)
  const calls = composeCalls(prompt, seed)
  if (calls.length > 0) return { text: '', calls, finish: 'calls' }
  const limit = Math.max(0, (prompt.maxTokens ?? Infinity) - prompt.reasoningTokens)
  return limitText(writeAnswer(prompt, { userText, seed }), { limit, stops: prompt.stops })
}

/**
 * Returns the tool calls of an answer: none after a tool's result or if the tool choice forbids it, else one. If the user
 * writes "in parallel" and the request allows it, returns one call of each tool and at least two.
 */
function composeCalls(prompt: Prompt, seed: number): ReplyCall[] {
  const { toolChoice, messages, tools } = prompt
  if (tools.length === 0 || toolChoice.mode === 'none' || messages.at(-1)?.role === 'tool') return []
  const { names } = toolChoice
  const allowed = names ? tools.filter(tool => names.includes(tool.name)) : tools
  const [first] = allowed
  if (!first) return []
  const isParallel = prompt.allowsParallelCalls && /\bin parallel\b/i.test(lastUserText(prompt))
  const called = !isParallel ? [first] : allowed.length > 1 ? allowed : [first, first]
  return called.map((tool, index) => ({
    name: tool.name,
    arguments: JSON.stringify(fitSchema(tool.schema, { seed: seed + index })),
  }))
}

const maxWords = 1_000_000
const maxEchoedTokens = 80

function writeAnswer(prompt: Prompt, { userText, seed }: { userText: string; seed: number }): string {
  const { model, messages, answerSchema } = prompt
  if (answerSchema !== undefined) return JSON.stringify(fitSchema(answerSchema, { seed }))
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1)
  if (results.length > 0)
    return `The tools answered: ${results.map(({ text }) => text).join(' and ')}. ${writeWords(8, seed)}.`
  const wordCount = /\bsay (\d+) words?\b/i.exec(userText)?.[1] ?? /-(\d+)w(?=@|$)/.exec(model)?.[1]
  if (wordCount !== undefined) return writeWords(Math.min(Number(wordCount), maxWords), seed)
  const mediaCount = messages.reduce((sum, message) => sum + message.media.length, 0)
  const media = mediaCount === 0 ? '' : ` and saw ${mediaCount} attached`
  return `${model} read "${takeTokens(userText, maxEchoedTokens)}"${media}: ${writeWords(12, seed)}.`
}

/** Truncates a text at the first stop sequence and at the token limit. */
function limitText(text: string, { limit, stops }: { limit: number; stops: readonly string[] }): Candidate {
  const ends = stops.map(stop => text.indexOf(stop)).filter(end => end >= 0)
  const stopped = ends.length > 0 ? text.slice(0, Math.min(...ends)) : text
  const kept = takeTokens(stopped, limit)
  return { text: kept, calls: [], finish: kept === stopped ? 'stop' : 'length' }
}

/** Returns the number of tokens of a candidate without its reasoning. */
function countCandidate({ text, calls }: Candidate): number {
  return calls.reduce(
    (sum, call) => sum + countTokens(call.name) + countTokens(call.arguments),
    countTokens(text),
  )
}
