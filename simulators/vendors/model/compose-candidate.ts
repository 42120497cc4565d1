import { dropMarkers } from '../faults/find-fault.ts'
import { callTools } from './call-tools.ts'
import { lastUserText, type Prompt } from './prompt.ts'
import type { Candidate, MadeCall } from './reply.ts'
import { fitSchema } from './schema/fit-schema.ts'
import { countTokens, takeTokens } from './text/count-tokens.ts'
import { hashText } from './text/hash-text.ts'
import { writeWords } from './text/write-words.ts'

const mostWords = 1_000_000
const mostEchoedTokens = 80

/**
 * One answer to a prompt, which the prompt alone decides: calls of tools, else JSON that fits, else text.
 * `index` tells the answers to one prompt apart.
 */
export function composeCandidate(prompt: Prompt, { index }: { index: number }): Candidate {
  const asked = dropMarkers(lastUserText(prompt))
  const seed = hashText(`${prompt.model}\n${prompt.seed ?? ''}\n${index}\n${asked}`)
  const room =
    prompt.maxTokens === undefined ? Infinity : Math.max(0, prompt.maxTokens - prompt.reasoningTokens)
  const calls = callTools(prompt, { seed })
  if (calls.length > 0) return cutCalls(calls, room)
  return cutText(writeAnswer(prompt, { asked, seed }), { room, stops: prompt.stops })
}

/** What a candidate counts, its reasoning aside. */
export function countCandidate({ text, calls }: Candidate): number {
  return calls.reduce((sum, call) => sum + countCall(call), countTokens(text))
}

function writeAnswer(prompt: Prompt, { asked, seed }: { asked: string; seed: number }): string {
  if (prompt.answerFormat.kind === 'json')
    return JSON.stringify(fitSchema(prompt.answerFormat.schema, { ordinal: seed }))
  const results = lastResults(prompt)
  if (results.length > 0) return `The tools answered: ${results.join(' and ')}. ${writeWords(8, seed)}.`
  const wordCount = /\bsay (\d+) words?\b/i.exec(asked)?.[1] ?? /-(\d+)w(?=@|$)/.exec(prompt.model)?.[1]
  if (wordCount !== undefined) return writeWords(Math.min(Number(wordCount), mostWords), seed)
  return `${prompt.model} read "${takeTokens(asked, mostEchoedTokens)}"${describeMedia(prompt)}: ${writeWords(12, seed)}.`
}

/** The results of the tools that were just called. */
function lastResults({ messages }: Prompt): string[] {
  const firstOther = messages.findLastIndex(message => message.role !== 'tool')
  return messages.slice(firstOther + 1).map(message => message.text)
}

function describeMedia({ messages }: Prompt): string {
  const count = messages.reduce((sum, message) => sum + message.media.length, 0)
  return count === 0 ? '' : ` and saw ${count} attached`
}

/** Ends a text before the first stop sequence, and at the limit if that comes earlier. */
function cutText(text: string, { room, stops }: { room: number; stops: readonly string[] }): Candidate {
  const ends = stops.map(stop => text.indexOf(stop)).filter(end => end >= 0)
  const stopped = ends.length > 0 ? text.slice(0, Math.min(...ends)) : text
  const kept = takeTokens(stopped, room)
  return { text: kept, calls: [], finish: kept === stopped ? 'stop' : 'length' }
}

/** Keeps the calls that fit; the one at the limit loses the end of its arguments, as vendors cut it. */
function cutCalls(calls: readonly MadeCall[], room: number): Candidate {
  const kept: MadeCall[] = []
  let left = room
  for (const call of calls) {
    const tokens = countCall(call)
    if (tokens > left) {
      const rest = left - countTokens(call.name)
      if (rest > 0) kept.push({ name: call.name, arguments: takeTokens(call.arguments, rest) })
      return { text: '', calls: kept, finish: 'length' }
    }
    kept.push(call)
    left -= tokens
  }
  return { text: '', calls: kept, finish: 'calls' }
}

function countCall(call: MadeCall): number {
  return countTokens(call.name) + countTokens(call.arguments)
}
