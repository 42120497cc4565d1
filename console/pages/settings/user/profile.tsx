import { useMutation } from 'urql'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyText } from '../../../ui/copy.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { Details } from '../../../ui/values.tsx'
import { messages as settingsMessages } from '../frame/messages.ts'
import { NameForm } from '../frame/name-form.tsx'
import { type User, updateUserDocument } from './documents.ts'
import { messages } from './messages.ts'

/** The user's ID and name. */
export function Profile({ user: { id, name } }: { user: User }) {
  const text = useText(messages)
  const settings = useText(settingsMessages)
  const [, update] = useMutation(updateUserDocument)
  const run = async (given: string) => {
    const { data, error } = await update({ input: { name: given } })
    if (!data?.updateUser) throw error
    notify(settings.saved)
  }
  return (
    <>
      <Details rows={[[text.userId, <CopyText key="id" value={id} />]]} />
      <NameForm
        name={name}
        hint={text.nameHint}
        maxLength={200}
        autoComplete="name"
        run={run}
        actions={isBusy => (
          <div>
            <Button type="submit" kind="primary" isBusy={isBusy}>
              {settings.save}
            </Button>
          </div>
        )}
      />
    </>
  )
}
