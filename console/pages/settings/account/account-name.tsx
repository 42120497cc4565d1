import { useMutation, useQuery } from 'urql'
import type { ResultOf } from '../../../graph/documents.ts'
import { refreshSession } from '../../../session/session.ts'
import { PermittedButton, Refusal, useRefusal } from '../../../shell/permissions.tsx'
import { useText } from '../../../text/language.ts'
import { CopyText } from '../../../ui/copy.tsx'
import { FormFault, TextField } from '../../../ui/field.tsx'
import { Panel } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { Details, Time } from '../../../ui/values.tsx'
import { messages as settingsMessages } from '../frame/messages.ts'
import { PanelBody } from '../frame/settings-page.tsx'
import { accountDocument, updateAccountDocument } from './documents.ts'
import { messages } from './messages.ts'

const fieldNames = ['name']

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
            <NameForm key={account.id} account={account} />
          </PanelBody>
        )}
      </Loaded>
    </Panel>
  )
}

function NameForm({ account: { name } }: { account: ResultOf<typeof accountDocument>['me'] }) {
  const text = useText(messages)
  const settings = useText(settingsMessages)
  const isRefused = useRefusal()('Mutation.updateAccount') !== undefined
  const [, update] = useMutation(updateAccountDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const { data, error } = await update({ input: { name: String(fields.get('name')) } })
    if (!data?.updateAccount) throw error
    notify(settings.saved)
    // The frame shows the name that came with the session.
    await refreshSession()
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <FormFault faults={faults} names={fieldNames} />
      <fieldset disabled={isRefused}>
        <TextField
          label={settings.name}
          name="name"
          hint={text.nameHint}
          autoComplete="organization"
          required
          maxLength={200}
          defaultValue={name}
          faults={faults}
        />
      </fieldset>
      <Refusal field="Mutation.updateAccount" />
      <div>
        <PermittedButton field="Mutation.updateAccount" type="submit" kind="primary" isBusy={isBusy}>
          {settings.save}
        </PermittedButton>
      </div>
    </form>
  )
}
