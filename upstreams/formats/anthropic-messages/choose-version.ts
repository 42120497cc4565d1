import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'

/** The versions of the wire that we speak. */
export type WireVersion = '2023-06-01' | '2026-10-21'

/**
 * The newest version that the model's generation takes. 2026-10-21 has no sampling, so models that sample are spoken
 * to in 2023-06-01. Through Bedrock only the newer models know 2026-10-21, and these are the same ones.
 */
export function chooseVersion({ sampling }: Pick<ChatFlags, 'sampling'>): WireVersion {
  return sampling ? '2023-06-01' : '2026-10-21'
}
