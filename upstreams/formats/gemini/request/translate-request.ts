import type { ChatCall, Target } from '../../../chat-adapter.ts'
import { refuseUntranslatable } from '../../shared/refuse-parameters.ts'
import { dropIgnored } from '../../shared/request/drop-ignored.ts'
import type { GenerateBody } from '../wire.ts'
import { configureGeneration } from './configure-generation.ts'
import type { Images } from './fetch-images.ts'
import { instructAnswer } from './format-answer.ts'
import { saltPrefix } from './salt-prefix.ts'
import { translateMessages } from './translate-messages.ts'
import { translateTools } from './translate-tools.ts'

/**
 * The body of a request. Only fields that the vendor knows are written; what else a client sends (`user`, `metadata`,
 * `store`, `service_tier`, `logit_bias`, fields that nobody knows) is dropped.
 * Throws Problem, naming the parameter, for what the vendor cannot do.
 */
export function translateRequest(
  call: ChatCall,
  { images, origin }: { images: Images; origin: string },
  target: Pick<Target, 'byokId'> = {},
): GenerateBody {
  const { chat } = call.entry
  const request = dropIgnored(call.request, chat)
  refuseUntranslatable(request, chat, target)
  const { system, turns } = translateMessages(request.messages, { chat, images, origin })
  const instruction = instructAnswer(request, chat)
  if (instruction) system.push({ text: instruction })
  const body: GenerateBody = {
    contents: turns,
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    ...translateTools(request),
    generationConfig: configureGeneration(call, request),
  }
  return chat.cache_isolation === 'salt' ? saltPrefix(body, call.cacheToken) : body
}
