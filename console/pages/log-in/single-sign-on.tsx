import { useState } from 'react'
import { findIssuers, type Issuer, openIssuer } from '../../session/issuers.ts'
import { EntryPage } from '../../shell/entry-page.tsx'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { EmailField, FormFault } from '../../ui/field.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import { messages } from './messages.ts'

const fieldNames = ['email']

/** Finds the issuers of an address. A single one opens at once. */
export default function SingleSignOn({ onBack }: { onBack(): void }) {
  const text = useText(messages)
  const [issuers, setIssuers] = useState<Issuer[]>()
  const { faults, isBusy, formProps } = useForm(async fields => {
    const found = await findIssuers(textOf(fields, 'email') ?? '')
    setIssuers(found)
    const [only, ...more] = found
    if (only && more.length === 0) await openIssuer(only, '/log-in')
  })
  return (
    <EntryPage title={text.singleSignOn}>
      <form {...formProps} className="flex flex-col gap-4">
        <FormFault faults={faults} names={fieldNames} />
        <EmailField faults={faults} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {text.find}
        </Button>
        <Button onClick={onBack}>{text.back}</Button>
      </form>
      <div role="status" className="flex flex-col gap-2 empty:hidden">
        {issuers?.length === 0 && text.noIssuer}
        {issuers?.map(issuer => (
          <Button key={issuer.name} onClick={() => void openIssuer(issuer, '/log-in')}>
            {text.continueWith(issuer.title)}
          </Button>
        ))}
      </div>
    </EntryPage>
  )
}
