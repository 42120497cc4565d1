import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { estimateMedia, readPrompt } from '../count-prompt.ts'
import type { Tokenizer } from './tokenizer.ts'

/** Characters of a prompt that are counted at most, in so many parts; the others count as these do on average. */
const sampleCharacters = 16_384
const sampleParts = 32

/** What a message costs beside its text. */
const tokensPerMessage = 4

/**
 * Tokens that a prompt has, by a tokenizer: of a long one a random sample is counted, so that the work is bounded and
 * nobody can choose what is counted: all that a vendor reads is part of it, wherever in the request it stands. Images,
 * documents and sound are an estimate.
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

/** Tokens of texts, likewise. */
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

/** Parts of all texts together, as if they were one: each goes on in the texts that follow, until it is full. */
function sampleOf(texts: readonly string[], random: () => number): string[] {
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  if (characters <= sampleCharacters) return [...texts]
  const size = sampleCharacters / sampleParts
  // One part out of each stretch of the whole, so that a part of the prompt is a like part of the sample.
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
