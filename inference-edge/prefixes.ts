/** The prefixes of the inference surface: the contract's own, and the one where every call has OpenAI's own shape. */
export const inferencePrefixes = ['/v1', '/openai/v1'] as const

/** Whether a path belongs to the inference surface. */
export function isInference(path: string): boolean {
  return inferencePrefixes.some(prefix => path.startsWith(`${prefix}/`))
}
