import { useEffect, useState } from 'react'
import { useQuery } from 'urql'
import { faultText } from '../../../graph/faults.ts'
import { openIssuer, takeVerifier } from '../../../session/issuers.ts'
import { useConfirmedMutation } from '../../../shell/confirmation.tsx'
import { useText } from '../../../text/language.ts'
import { Button, rowAction } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm.tsx'
import { Panel } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { Time } from '../../../ui/values.tsx'
import { messages as settingsMessages } from '../frame/messages.ts'
import {
  type Identity,
  identitiesContext,
  identitiesDocument,
  linkIdentityDocument,
  unlinkIdentityDocument,
} from './documents.ts'
import { messages } from './messages.ts'

/** What an issuer's page led back with, in the fragment, which no server sees. It is removed from the address. */
const fragment = new URLSearchParams(location.hash.slice(1))
if (fragment.has('sso_code') || fragment.has('sso_error'))
  history.replaceState(history.state, '', location.pathname + location.search)

/** The identities at issuers with which the user signs in. Without issuers, nothing is shown. */
export function SingleSignOn({ email }: { email: string }) {
  const text = useText(messages)
  const query = useQuery({
    query: identitiesDocument,
    variables: { email },
    context: identitiesContext,
  })
  const [{ data, error }] = query
  const columns = useColumns()
  useLink()
  const issuers = data?.signInIssuers ?? []
  if (!error && issuers.length === 0 && (data?.linkedIdentities ?? []).length === 0) return null
  return (
    <Panel
      title={text.singleSignOn}
      actions={issuers.map(issuer => (
        <Button key={issuer.name} onClick={() => void openIssuer(issuer, '/settings/sign-in')}>
          {text.link(issuer.title)}
        </Button>
      ))}
    >
      <Loaded query={query} select={found => found.linkedIdentities} lines={2}>
        {identities =>
          identities.length === 0 ? (
            <p className="px-5 py-4 text-muted">{text.noIdentities}</p>
          ) : (
            <Table caption={text.singleSignOn} columns={columns} rows={identities} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Panel>
  )
}

/** Links the identity with which the issuer's page led back. */
function useLink(): void {
  const text = useText(messages)
  const [, link] = useConfirmedMutation(linkIdentityDocument)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is read once, when the page opens
  useEffect(() => {
    const [code, failed] = [fragment.get('sso_code'), fragment.get('sso_error')]
    fragment.delete('sso_code') // It works once.
    fragment.delete('sso_error')
    if (failed !== null) notify(text.linkFailed(failed))
    if (code === null) return
    void link({ input: { code, codeVerifier: takeVerifier() } }, identitiesContext).then(({ data, error }) =>
      notify(data?.linkIdentity ? text.linked : faultText(error)),
    )
  }, [])
}

function useColumns(): Column<Identity>[] {
  const text = useText(messages)
  const settings = useText(settingsMessages)
  return [
    {
      id: 'issuer',
      header: text.issuer,
      cell: ({ issuer }) => <span className="font-medium">{issuer?.title ?? text.unknownIssuer}</span>,
    },
    {
      id: 'email',
      header: text.statedAddress,
      cell: ({ email }) => <span className="wrap-anywhere">{email ?? '–'}</span>,
    },
    { id: 'linked', header: text.linkedAt, from: '4xl', cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: 'used', header: text.lastUsed, from: '2xl', cell: ({ lastUsedAt }) => <Time value={lastUsedAt} /> },
    {
      id: 'actions',
      header: settings.actions,
      align: 'end',
      cell: identity => <Unlink identity={identity} />,
    },
  ]
}

function Unlink({ identity: { id, issuer } }: { identity: Identity }) {
  const text = useText(messages)
  const [isOpen, setIsOpen] = useState(false)
  const [, unlink] = useConfirmedMutation(unlinkIdentityDocument)
  const name = issuer?.title ?? text.unknownIssuer
  const run = async () => {
    const { data, error } = await unlink({ input: { id } }, identitiesContext)
    if (!data?.unlinkIdentity) throw error
    notify(text.unlinked)
    setIsOpen(false)
  }
  return (
    <>
      <Button
        kind="quiet"
        className={rowAction}
        aria-label={text.unlinkOf(name)}
        onClick={() => setIsOpen(true)}
      >
        {text.unlink}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={text.unlinkTitle(name)}
          action={text.unlink}
          run={run}
          onClose={() => setIsOpen(false)}
        >
          <p>{text.unlinkText(name)}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
