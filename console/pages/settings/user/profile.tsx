import { useState } from 'react'
import { useMutation } from 'urql'
import type { ResultOf } from '../../../graph/documents.ts'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyText } from '../../../ui/copy.tsx'
import { FormFault, TextField } from '../../../ui/field.tsx'
import { Badge } from '../../../ui/page.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { Details } from '../../../ui/values.tsx'
import { messages as settingsMessages } from '../frame/messages.ts'
import { ChangeEmailDialog } from './change-email.tsx'
import { updateUserDocument, type userDocument } from './documents.ts'
import { messages } from './messages.ts'

const fieldNames = ['name']

type User = NonNullable<ResultOf<typeof userDocument>['viewer']['user']>

/** The user's own details. The name changes at once, the address with a link that is sent to the new one. */
export function Profile({ user: { id, name, email, emailConfirmedAt } }: { user: User }) {
  const text = useText(messages)
  const settings = useText(settingsMessages)
  const [isChanging, setIsChanging] = useState(false)
  const [, update] = useMutation(updateUserDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const { data, error } = await update({ input: { name: String(fields.get('name')) } })
    if (!data?.updateUser) throw error
    notify(settings.saved)
  })
  return (
    <>
      <Details
        rows={[
          [
            text.email,
            <span key="email" className="inline-flex flex-wrap items-center gap-2">
              <span className="break-all">{email}</span>
              {emailConfirmedAt === null ? (
                <Badge tone="warn">{text.unconfirmed}</Badge>
              ) : (
                <Badge tone="ok">{text.confirmed}</Badge>
              )}
              <Button kind="quiet" onClick={() => setIsChanging(true)}>
                {text.changeEmail}
              </Button>
            </span>,
          ],
          [text.userId, <CopyText key="id" value={id} />],
        ]}
      />
      <form {...formProps} className="flex flex-col gap-4">
        <FormFault faults={faults} names={fieldNames} />
        <TextField
          label={settings.name}
          name="name"
          hint={text.nameHint}
          autoComplete="name"
          required
          maxLength={200}
          defaultValue={name}
          faults={faults}
        />
        <div>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {settings.save}
          </Button>
        </div>
      </form>
      {isChanging && <ChangeEmailDialog onClose={() => setIsChanging(false)} />}
    </>
  )
}
