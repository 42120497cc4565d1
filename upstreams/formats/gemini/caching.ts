import { saltComment } from '../shared/content.ts'
import type { GenerateBody } from './wire.ts'

/**
 * Puts a comment with the end user's cache token before everything that the vendor may cache. The vendor caches
 * prefixes of prompts per credential and does not document whether tools or the system instruction come first, so both
 * begin with the comment. The vendor charges the comment as part of the prompt, about twenty tokens (docs/behaviour.md,
 * Prompt caching).
 */
export function saltPrefix(body: GenerateBody, cacheToken: string): GenerateBody {
  const salt = saltComment(cacheToken)
  const system = [{ text: salt }, ...(body.systemInstruction?.parts ?? [])]
  const [first, ...others] = body.tools?.[0]?.functionDeclarations ?? []
  return {
    ...body,
    systemInstruction: { parts: system },
    ...(first && {
      tools: [
        {
          functionDeclarations: [
            { ...first, description: `${salt}\n${first.description ?? ''}`.trimEnd() },
            ...others,
          ],
        },
      ],
    }),
  }
}
