import type {
  EchoedChoice,
  EchoedCustom,
  EchoedFunction,
  EchoedTool,
} from '../../../../schema/wire/responses/response.ts'
import type { Choice } from './read-tool-choice.ts'
import type { Offer } from './read-tools.ts'

/** The tools as they were understood, each namespace with its functions again. */
export function echoTools(offers: Offer[]): EchoedTool[] {
  const byNamespace = Map.groupBy(offers, offer => offer.namespace ?? offer)
  return [...byNamespace].map(([group, tools]) =>
    'tool' in group
      ? echoTool(group)
      : {
          type: 'namespace',
          name: group.name,
          description: group.description ?? '',
          tools: tools.map(echoNamed),
        },
  )
}

export function echoChoice(choice: Choice | undefined): EchoedChoice {
  if (!choice) return 'auto'
  if (choice.kind === 'word') return choice.word
  if (choice.kind === 'allowed') {
    return { type: 'allowed_tools', mode: choice.mode, tools: choice.offers.map(nameOf) }
  }
  const { kind, tool } = choice.offer
  if (kind === 'function') {
    const { namespace } = choice.offer
    return { type: kind, name: tool.name, ...(namespace && { namespace: namespace.name }) }
  }
  if (kind === 'custom') return { type: kind, name: tool.name }
  // The protocol has no word for a choice of the local shell alone.
  return kind === 'local_shell' ? 'required' : { type: kind }
}

function echoTool(offer: Offer): EchoedTool {
  if (offer.kind === 'function' || offer.kind === 'custom') return echoNamed(offer)
  return offer.kind === 'shell' ? { type: 'shell', environment: { type: 'local' } } : { type: offer.kind }
}

function echoNamed({
  tool: { name, description, parameters, strict },
  custom,
}: Offer): EchoedFunction | EchoedCustom {
  if (custom) return echoCustom(custom)
  return {
    type: 'function',
    name,
    description: description ?? null,
    parameters: parameters ?? null,
    strict: strict ?? null,
  }
}

function echoCustom({ name, description, format }: NonNullable<Offer['custom']>): EchoedCustom {
  const grammar = format?.type === 'grammar' && format.definition
  return {
    type: 'custom',
    name,
    ...(description && { description }),
    ...(format && {
      format: grammar
        ? { type: 'grammar', syntax: format.syntax === 'regex' ? 'regex' : 'lark', definition: grammar }
        : { type: 'text' },
    }),
  }
}

function nameOf({ kind, tool, namespace }: Offer) {
  if (kind !== 'function' && kind !== 'custom') return { type: kind }
  return { type: kind, name: tool.name, ...(namespace && { namespace: namespace.name }) }
}
