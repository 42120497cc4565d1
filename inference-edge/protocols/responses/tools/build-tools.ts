import type { ChatRequest, Tool } from '../../../../schema/wire/chat.ts'
import type { ParamNames } from '../../param-names.ts'
import type { ToolNames } from './name-tools.ts'
import type { Choice } from './read-tool-choice.ts'
import type { Offer } from './read-tools.ts'

/** Functions as chat tools. Notes in `paramNames` where each came from. */
export function buildTools(
  offers: Offer[],
  { names, paramNames }: { names: ToolNames; paramNames: ParamNames },
): Tool[] {
  return offers.map(({ at, tool, namespace }, index) => {
    paramNames.set(`tools[${index}]`, at)
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
