import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { estimateMedia, readPrompt } from '../count-prompt.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Maximum characters of a prompt that are tokenized, and the number of parts that they are taken from. */
const sampleCharacters = 16_384
const sampleParts = 32

/** Tokens of a message beside its text. */
const tokensPerMessage = 4

/**
 * Counts the tokens of a prompt. Of a long prompt, a random sample is tokenized, so that the work is bounded and no client
 * can choose the part that is counted. The sample covers all that a vendor reads. Images, documents and sound are
 * estimated.
 */
export async function countPrompt(
  tokenizer: Tokenizer,
  request: ChatRequest,
  { isPatient = false, random = Math.random }: { isPatient?: boolean; random?: () => number } = {},
): Promise<number> {
  const texts: string[] = []
  const size = readPrompt(request, text => texts.push(text))
  const perByte = await tokensPerByte(tokenizer, texts, { isPatient, random })
  return Math.ceil(size.bytes * perByte) + size.messages * tokensPerMessage + estimateMedia(size)
}

/** Counts the tokens of texts in the same way. */
export async function countTexts(tokenizer: Tokenizer, texts: readonly string[]): Promise<number> {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return Math.ceil(bytes * (await tokensPerByte(tokenizer, texts, { isPatient: false, random: Math.random })))
}

async function tokensPerByte(
  tokenizer: Tokenizer,
  texts: readonly string[],
  { isPatient, random }: { isPatient: boolean; random: () => number },
): Promise<number> {
  const sample = sampleOf(texts, random)
  const sampledBytes = sample.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return sampledBytes > 0 ? (await tokenizer.count(sample, { isPatient })) / sampledBytes : 0
}

/** Returns random parts of all texts, which are treated as one text. */
function sampleOf(texts: readonly string[], random: () => number): string[] {
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  if (characters <= sampleCharacters) return [...texts]
  const size = sampleCharacters / sampleParts
  // One part of each stretch, so that the sample covers the prompt evenly.
  const stretch = (characters - size) / sampleParts
  const starts = Array.from({ length: sampleParts }, (_, at) => Math.floor((at + random()) * stretch))
  const sample: string[] = []
  let passed = 0
  let first = 0
  for (const text of texts) {
    const end = passed + text.length
    for (let at = first; at < starts.length && starts[at]! < end; at++) {
      const from = Math.max(starts[at]!, passed)
      const to = Math.min(starts[at]! + size, end)
      if (to > from) sample.push(text.slice(from - passed, to - passed))
      if (to === starts[at]! + size && at === first) first++
    }
    passed = end
  }
  return sample
}
