import { useState } from 'react'
import { useMutation } from 'urql'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Panel } from '../../../ui/page.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { Time } from '../../../ui/values.tsx'
import { type AccountView, ViewProvider } from '../../session/account-view.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { type AccountDetail, type Member, resetDocument, viewDocument } from './documents.ts'
import { messages } from './messages.ts'
import { ViewedKeys, ViewedMembers } from './viewed.tsx'

/** Members and keys, as the members of the account see them. They are read with a view, which needs a reason. */
export function ViewPanel({ account: { id: accountId, name, erasedAt } }: { account: AccountDetail }) {
  const text = useText(messages)
  const [view, setView] = useState<AccountView>()
  const [isAsking, setIsAsking] = useState(false)
  const [resetting, setResetting] = useState<Member>()
  const [, openView] = useMutation(viewDocument)
  const [, reset] = useMutation(resetDocument)
  if (erasedAt !== null) return null
  return (
    <Panel
      title={text.view}
      actions={
        view ? (
          <span className="text-sm text-muted">
            {text.viewUntil} <Time value={view.expiresAt} />
          </span>
        ) : (
          <Button onClick={() => setIsAsking(true)}>{text.openView}</Button>
        )
      }
    >
      {view ? (
        <ViewProvider
          view={view}
          onEnd={() => {
            setView(undefined)
            notify(text.viewEnded)
          }}
        >
          <h3 className="px-5 pt-4 font-semibold">{text.members}</h3>
          <ViewedMembers onReset={setResetting} />
          <h3 className="border-t border-line px-5 pt-4 font-semibold">{text.keys}</h3>
          <ViewedKeys />
        </ViewProvider>
      ) : (
        <p className="p-5 text-muted">{text.viewText}</p>
      )}
      {isAsking && (
        <ReasonDialog
          title={text.viewTitle(name)}
          action={text.openView}
          kind="primary"
          run={async reason => {
            const { data, error } = await openView({ input: { accountId, reason } })
            if (!data?.viewAccount) throw error
            const { accessToken: token, expiresAt } = data.viewAccount
            setView({ token, expiresAt })
            setIsAsking(false)
          }}
          onClose={() => setIsAsking(false)}
        >
          <p>{text.viewConsequence}</p>
        </ReasonDialog>
      )}
      {resetting && (
        <ReasonDialog
          title={text.resetTitle(resetting.email)}
          action={text.reset}
          run={async reason => {
            const { data, error } = await reset({ input: { accountId, userId: resetting.id, reason } })
            if (!data?.resetSecondFactors) throw error
            notify(text.resetDone(String(data.resetSecondFactors.endedSessions)))
            setResetting(undefined)
          }}
          onClose={() => setResetting(undefined)}
        >
          <p>{text.resetText}</p>
        </ReasonDialog>
      )}
    </Panel>
  )
}
