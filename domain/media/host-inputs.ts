import { hostInput, type Input } from './host-input.ts'
import type { Media } from './media.ts'

/** The parameters with images and videos, and their kind. */
const names = [
  ['image_urls', 'image'],
  ['video_urls', 'video'],
] as const

/** Whether a request contains images or videos as `data:` URLs. */
export function carriesData(parameters: Readonly<Record<string, unknown>>): boolean {
  return names.some(([name]) => addressesIn(parameters[name]).some(address => /^data:/i.test(address)))
}

/**
 * Returns the parameters with URLs that vendors can fetch. Content of the request is stored, and the lifetime of used
 * uploads is extended. Throws the errors of `hostInput`.
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
