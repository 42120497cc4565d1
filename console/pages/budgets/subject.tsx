import { useText } from '../../text/language.ts'
import type { Budget } from './documents.ts'
import { messages } from './messages.ts'

/** The requests that a budget counts. */
export function Subject({ budget: { kind, member, apiKey, tag, endUser } }: { budget: Budget }) {
  const text = useText(messages)
  switch (kind) {
    case 'ACCOUNT':
      return text.kinds.ACCOUNT
    case 'MEMBER':
      return `${text.member} ${member?.email ?? text.former}`
    case 'API_KEY':
      return `${text.key} ${apiKey?.name ?? text.former}`
    case 'TAG':
      return `${tag?.key ?? ''}=${tag?.value ?? ''}`
    case 'END_USER':
      return `${text.endUser} ${endUser ?? ''}`
  }
}
