import type { Target } from '../../chat-adapter.ts'
import { locateMessages } from '../../formats/anthropic-messages/locate-messages.ts'
import type { MessagesBody } from '../../formats/anthropic-messages/wire.ts'
import type { UpstreamRequest } from '../../http/exchange.ts'
import { readCredential } from './read-credential.ts'
import { signRequest } from './sign-request.ts'

/** Where a region's Bedrock takes messages in the vendor's own format. */
export function bedrockAddress(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com/anthropic`
}

/**
 * The request to Bedrock's native Messages path: the same body under Bedrock's name for the model, signed or with a
 * bearer key. The region decides the address, unless the credential has one of its own.
 * Throws `auth` where the credential is incomplete.
 */
export async function sendThroughBedrock(
  target: Target,
  { headers, body }: { headers: Record<string, string>; body: MessagesBody },
): Promise<UpstreamRequest> {
  const { region, keyPair, bearer } = readCredential(target)
  const place = locateMessages(isOwnAddress(target.baseUrl) ? bedrockAddress(region) : target.baseUrl)
  const text = JSON.stringify({ ...body, model: nameModel(body.model, target) })
  const url = place.origin + place.path
  const proof = keyPair
    ? await signRequest(keyPair, { url, region, body: text })
    : { authorization: `Bearer ${bearer}` }
  return { ...place, headers: { ...headers, ...proof }, body: text }
}

/** The vendor's own address says nothing of where Bedrock is. */
function isOwnAddress(baseUrl: string): boolean {
  return new URL(baseUrl).hostname === 'api.anthropic.com'
}

/** Bedrock's name for a model. `model_prefix` names an inference profile: `eu.anthropic.`, `global.anthropic.`. */
function nameModel(model: string, { config }: Target): string {
  const prefix = typeof config?.model_prefix === 'string' ? config.model_prefix : 'anthropic.'
  return prefix + model
}
