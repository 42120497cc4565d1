import { useNavigate } from '@tanstack/react-router'
import { useQuery } from 'urql'
import {
  type Found,
  minSearchLength,
  modelWords,
  Palette,
  usePagesFound,
  withTitle,
} from '../../frame/palette.tsx'
import { messages as paletteMessages } from '../../frame/palette-messages.ts'
import { graphql } from '../../graph/documents.ts'
import { useText } from '../../text/language.ts'
import { messages } from './messages.ts'
import { useNavigation } from './navigation.ts'

const searchDocument = graphql(`
  query OperatorPalette($search: String!, $words: String!) {
    accounts(first: 6, search: $search) { nodes { id name emails } }
    active: models(first: 6, filter: { search: $words }) { nodes { id name } }
    inactive: models(first: 6, filter: { search: $words, isActive: false }) { nodes { id name } }
  }
`)

/** Finds pages by name, accounts by name, e-mail address or ID, and models by name. */
export default function OperatorPalette({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  return <Palette placeholder={text.palettePlaceholder} useFound={useFound} onClose={onClose} />
}

/** Returns what matches a text. */
function useFound(wanted: string): Found[] {
  const text = useText(messages)
  const palette = useText(paletteMessages)
  const navigate = useNavigate()
  const isSearched = wanted.length >= minSearchLength
  const [{ data: searched }] = useQuery({
    query: searchDocument,
    variables: { search: wanted, words: modelWords(wanted) },
    pause: !isSearched,
  })
  const data = isSearched ? searched : undefined
  const newModel = {
    id: 'new model',
    title: text.newModel,
    kind: palette.page,
    open: () => void navigate({ to: '/operator/catalogue/$modelId', params: { modelId: 'new' } }),
  }
  const pages = [...usePagesFound(useNavigation()), newModel]
  const accounts = (data?.accounts?.nodes ?? []).map(({ id, name, emails: [email] }) => ({
    id,
    title: email === undefined || email === name ? name : `${name} · ${email}`,
    kind: text.account,
    open: () => void navigate({ to: '/operator/accounts/$accountId', params: { accountId: id } }),
  }))
  const models = [...(data?.active?.nodes ?? []), ...(data?.inactive?.nodes ?? [])].map(({ id, name }) => ({
    id,
    title: `${name} · ${id}`,
    kind: palette.model,
    open: () => void navigate({ to: '/operator/catalogue/$modelId', params: { modelId: id } }),
  }))
  return [...withTitle(pages, wanted), ...accounts, ...models]
}
