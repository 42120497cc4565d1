import { createHash } from 'node:crypto'
import type { RedisClient } from './open-redis.ts'

/** A Lua script and the name under which Redis remembers it. */
export interface Script {
  text: string
  sha: string
}

export function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** Runs a script by its name; a Redis that does not know it yet gets its text. */
export async function runScript(
  redis: RedisClient,
  { text, sha }: Script,
  names: string[],
  args: (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, names.length, ...names, ...args)
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return await redis.eval(text, names.length, ...names, ...args)
  }
}
