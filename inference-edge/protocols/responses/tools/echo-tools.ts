import type { EchoedChoice, EchoedFunction, EchoedTool } from '../../../../schema/wire/responses/response.ts'
import type { Choice } from './read-tool-choice.ts'
import type { Offer } from './read-tools.ts'

/** The tools as they were understood, each namespace with its functions again. */
export function echoTools(offers: Offer[]): EchoedTool[] {
  const byNamespace = Map.groupBy(offers, offer => offer.namespace ?? offer)
  return [...byNamespace].map(([group, functions]) =>
    'tool' in group
      ? echoFunction(group)
      : {
          type: 'namespace',
          name: group.name,
          description: group.description ?? '',
          tools: functions.map(echoFunction),
        },
  )
}

export function echoChoice(choice: Choice | undefined): EchoedChoice {
  if (!choice) return 'auto'
  if (choice.kind === 'word') return choice.word
  if (choice.kind === 'function') return nameOf(choice.offer)
  return { type: 'allowed_tools', mode: choice.mode, tools: choice.offers.map(nameOf) }
}

function echoFunction({ tool: { name, description, parameters, strict } }: Offer): EchoedFunction {
  return {
    type: 'function',
    name,
    description: description ?? null,
    parameters: parameters ?? null,
    strict: strict ?? null,
  }
}

function nameOf({ tool, namespace }: Offer): { type: 'function'; name: string; namespace?: string } {
  return { type: 'function', name: tool.name, ...(namespace && { namespace: namespace.name }) }
}
