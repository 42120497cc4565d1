import { saltComment } from '../shared/content.ts'
import type { GenerateBody } from './wire.ts'

/**
 * Puts a comment that only one end user has before everything that the vendor may cache (docs/behaviour.md,
 * Prompt caching). The vendor caches beginnings of prompts per credential, and does not say whether it reads
 * tools or system first, so both begin with it. It is the same in every request of that end user, or nothing
 * would ever be found again. The vendor counts and bills it as part of the prompt, some twenty tokens.
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
