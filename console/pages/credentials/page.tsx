import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useQuery } from 'urql'
import { PermittedButton } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { CreateCredentialDialog } from './create-credential-dialog.tsx'
import { CredentialDialog } from './credential-dialog.tsx'
import { CredentialList } from './credential-list.tsx'
import { credentialsContext, credentialsDocument } from './documents.ts'
import { messages } from './messages.ts'
import { inOrder, providers } from './order.ts'

const route = getRouteApi('/account/credentials')

export default function CredentialsPage() {
  const text = useText(messages)
  const { credential: open } = route.useSearch()
  const navigate = route.useNavigate()
  const [isAdding, setIsAdding] = useState(false)
  const query = useQuery({ query: credentialsDocument, context: credentialsContext })
  const [{ data }] = query
  const add = (
    <PermittedButton
      field="Mutation.createByokCredential"
      kind="primary"
      icon="plus"
      onClick={() => setIsAdding(true)}
    >
      {text.add}
    </PermittedButton>
  )
  const close = () => void navigate({ search: {} })
  return (
    <Page title={text.title} intro={text.intro} actions={add}>
      <Loaded query={query} select={found => found.byokCredentials} lines={6}>
        {credentials =>
          credentials.length === 0 ? (
            <Panel>
              <EmptyState icon="key" title={text.emptyTitle} action={add}>
                {text.empty}
              </EmptyState>
            </Panel>
          ) : (
            providers.map(provider => {
              const own = inOrder(credentials.filter(one => one.provider === provider))
              return (
                <Panel key={provider} title={provider.toLowerCase()}>
                  <CredentialList credentials={own} />
                </Panel>
              )
            })
          )
        }
      </Loaded>
      {isAdding && <CreateCredentialDialog onClose={() => setIsAdding(false)} />}
      {open !== undefined && data?.byokCredentials && (
        <CredentialDialog credential={data.byokCredentials.find(({ id }) => id === open)} onClose={close} />
      )}
    </Page>
  )
}
