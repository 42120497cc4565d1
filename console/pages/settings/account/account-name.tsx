import { useMutation, useQuery } from 'urql'
import type { ResultOf } from '../../../graph/documents.ts'
import { refreshSession } from '../../../session/session.ts'
import { PermittedButton, Refusal, useRefusal } from '../../../shell/permissions.tsx'
import { useText } from '../../../text/language.ts'
import { CopyText } from '../../../ui/copy.tsx'
import { Panel } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { Details, Time } from '../../../ui/values.tsx'
import { messages as settingsMessages } from '../frame/messages.ts'
import { NameForm } from '../frame/name-form.tsx'
import { PanelBody } from '../frame/settings-page.tsx'
import { accountDocument, updateAccountDocument } from './documents.ts'
import { messages } from './messages.ts'

/** The account's name, which only some roles can change, and its ID. */
export function AccountName() {
  const text = useText(messages)
  const query = useQuery({ query: accountDocument })
  return (
    <Panel title={text.account}>
      <Loaded query={query} select={data => data.me} lines={3}>
        {account => (
          <PanelBody>
            <Details
              rows={[
                [text.accountId, <CopyText key="id" value={account.id} />],
                [text.created, <Time key="created" value={account.createdAt} />],
              ]}
            />
            <RenameAccount key={account.id} account={account} />
          </PanelBody>
        )}
      </Loaded>
    </Panel>
  )
}

function RenameAccount({ account: { name } }: { account: ResultOf<typeof accountDocument>['me'] }) {
  const text = useText(messages)
  const settings = useText(settingsMessages)
  const isRefused = useRefusal()('Mutation.updateAccount') !== undefined
  const [, update] = useMutation(updateAccountDocument)
  const run = async (given: string) => {
    const { data, error } = await update({ input: { name: given } })
    if (!data?.updateAccount) throw error
    notify(settings.saved)
    // The frame shows the name that came with the session.
    await refreshSession()
  }
  return (
    <NameForm
      name={name}
      hint={text.nameHint}
      maxLength={200}
      autoComplete="organization"
      isDisabled={isRefused}
      run={run}
      actions={isBusy => (
        <>
          <Refusal field="Mutation.updateAccount" />
          <div>
            <PermittedButton field="Mutation.updateAccount" type="submit" kind="primary" isBusy={isBusy}>
              {settings.save}
            </PermittedButton>
          </div>
        </>
      )}
    />
  )
}
