/**
 * The comment that begins what one end user's requests have cached, where a vendor caches beginnings of prompts and
 * knows no partitions (contract: Prompt caching). Constant for that end user, or nothing would be found again.
 */
export function saltComment(cacheToken: string): string {
  return `<!-- cache partition ${cacheToken} -->`
}
