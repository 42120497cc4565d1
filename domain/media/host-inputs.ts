import { hostInput, type Input } from './host-input.ts'
import type { Media } from './media.ts'

/** The parameters that name images and videos, and what these are. */
const names = [
  ['image_urls', 'image'],
  ['video_urls', 'video'],
] as const

/** Whether a request carries images or videos itself, as `data:`. */
export function carriesData(parameters: Readonly<Record<string, unknown>>): boolean {
  return names.some(([name]) => addressesIn(parameters[name]).some(address => /^data:/i.test(address)))
}

/**
 * The parameters with addresses that vendors can fetch: what came within the request is stored, uploads live on. Throws
 * what `hostInput` throws.
 */
export async function hostInputs(
  media: Media,
  parameters: Readonly<Record<string, unknown>>,
  owner: Pick<Input, 'accountId' | 'prolongs' | 'taskId' | 'requestId'>,
): Promise<Record<string, unknown>> {
  const hosted: Record<string, unknown> = { ...parameters }
  for (const [name, accepts] of names) {
    if (!Array.isArray(parameters[name])) continue
    const found: string[] = []
    for (const [index, address] of addressesIn(parameters[name]).entries())
      found.push(await hostInput(media, { ...owner, address, param: `${name}[${index}]`, accepts }))
    hosted[name] = found
  }
  return hosted
}

function addressesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
