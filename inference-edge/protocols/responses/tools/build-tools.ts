import type { ChatRequest, Tool } from '../../../../schema/wire/chat.ts'
import type { Spelling } from '../../spell-parameter.ts'
import type { ToolNames } from './name-tools.ts'
import type { Choice } from './read-tool-choice.ts'
import type { Offer } from './read-tools.ts'

/** Functions as chat tools. Notes in `spelling` where each came from. */
export function buildTools(
  offers: Offer[],
  { names, spelling }: { names: ToolNames; spelling: Spelling },
): Tool[] {
  return offers.map(({ at, tool, namespace }, index) => {
    spelling.set(`tools[${index}]`, at)
    const { description, parameters, strict } = tool
    return {
      type: 'function',
      function: {
        name: names.flatten({ name: tool.name, namespace: namespace?.name }),
        ...(description && { description }),
        ...(parameters && { parameters }),
        ...(strict != null && { strict }),
      },
    }
  })
}

export function buildToolChoice(
  choice: Choice,
  { names }: { names: ToolNames },
): NonNullable<ChatRequest['tool_choice']> {
  const named = ({ tool, namespace }: Offer) => ({
    type: 'function',
    function: { name: names.flatten({ name: tool.name, namespace: namespace?.name }) },
  })
  if (choice.kind === 'word') return choice.word
  if (choice.kind === 'function') return named(choice.offer)
  const { mode, offers } = choice
  const allowed = { type: 'allowed_tools', allowed_tools: { mode, tools: offers.map(named) } }
  return allowed
}
