/** The prefixes of the inference API. Under the second one, every endpoint has OpenAI's own format. */
export const inferencePrefixes = ['/v1', '/openai/v1'] as const

/** Whether a path belongs to the inference API. */
export function isInference(path: string): boolean {
  return inferencePrefixes.some(prefix => path.startsWith(`${prefix}/`))
}
