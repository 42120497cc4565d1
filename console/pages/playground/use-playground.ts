import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type Model, type Models, useModel, useModels } from '../../inference/models.ts'
import { type Entered, fieldsOf, parametersOf } from '../../inference/schema-fields.ts'
import type { PlaygroundSearch } from './route.ts'
import type { ChatBody } from './snippets.ts'
import { type Chat, messagesOf, useChat } from './use-chat.ts'

const route = getRouteApi('/account/playground')

/** Parameters that a conversation cannot use, and one with two names. */
const unused = ['n', 'max_completion_tokens', 'logprobs', 'top_logprobs', 'prompt_cache_key']

const fieldsOfModel = (model: Model | undefined) => fieldsOf(model?.parameters, unused)

/** A conversation, its model, and how another model is chosen. */
export interface Column {
  name: 'first' | 'second'
  model: string | undefined
  chat: Chat
  choose(model: string): void
}

/** The state of the page: one conversation, or two beside each other with the same questions and settings. */
export function usePlayground() {
  const { models, first, second, choose } = useChosen()
  const [left, right] = [useChat(), useChat()]
  const [system, setSystem] = useState('')
  const [entered, setEntered] = useState<Entered>({})
  const [fault, setFault] = useState<unknown>()
  const isComparing = second.id !== undefined
  const columns: Column[] = [
    { name: 'first', model: first.id, chat: left, choose: model => choose({ model }) },
    { name: 'second', model: second.id, chat: right, choose: beside => choose({ beside }) },
  ]
  const parametersFor = (model: Model | undefined) => parametersOf(fieldsOfModel(model), entered)
  const send = (question: string) => {
    try {
      const settings = [first, second].map(({ id = '', model }) => ({
        model: id,
        system,
        parameters: parametersFor(model),
      }))
      setFault(undefined)
      for (const [index, { chat }] of columns.slice(0, isComparing ? 2 : 1).entries())
        void chat.send(question, settings[index]!)
    } catch (error) {
      setFault(error)
    }
  }
  return {
    models,
    columns: isComparing ? columns : columns.slice(0, 1),
    isComparing,
    compare: (on: boolean) => choose({ beside: on ? otherThan(first.id, models.models) : undefined }),
    settings: { system, entered, setSystem, fields: fieldsOfModel(first.model) },
    enter: (name: string, value: string) => setEntered(all => ({ ...all, [name]: value })),
    fault,
    send,
    each: (work: (chat: Chat) => void) => [left, right].forEach(work),
    bodyWith: (draft: string, example: string): ChatBody => ({
      model: first.id ?? '',
      messages: messagesWith(left.exchanges, system, draft.trim()) ?? messagesOf([], system, example),
      parameters: readable(() => parametersFor(first.model)),
    }),
  }
}

/** The models of the address, or else the first one of the account. */
function useChosen() {
  const { model, beside } = route.useSearch()
  const navigate = route.useNavigate()
  const models = useModels('CHAT')
  const id = model ?? models.models?.[0]?.inferenceId
  return {
    models,
    first: { id, model: useModel(id) },
    second: { id: beside, model: useModel(beside) },
    choose: (changes: PlaygroundSearch) =>
      void navigate({ search: before => ({ ...before, ...changes }), replace: true }),
  }
}

function otherThan(id: string | undefined, models: Models['models']): string | undefined {
  return (models?.find(({ inferenceId }) => inferenceId !== id) ?? models?.[0])?.inferenceId
}

/** The messages of the next request, or else of the last one; undefined before the first question. */
function messagesWith(exchanges: Chat['exchanges'], system: string, draft: string) {
  if (draft !== '') return messagesOf(exchanges, system, draft)
  const last = exchanges.at(-1)
  return last && messagesOf(exchanges.slice(0, -1), system, last.question)
}

/** JSON that is still being typed is left out of the code. */
function readable(read: () => Record<string, unknown>): Record<string, unknown> {
  try {
    return read()
  } catch {
    return {}
  }
}
