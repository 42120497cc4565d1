import { useState } from 'react'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { FormFault } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { Done, LinkPage, ToConsole } from './link-page.tsx'
import { linkFaultsOf, messages } from './messages.ts'
import { useLinkToken } from './use-link-token.ts'

const noFields: readonly string[] = []

/** A page with one button, which uses the link. The page then shows what was done, and leads to the console. */
export function OneStepPage({
  title,
  doneTitle,
  intro,
  action,
  next,
  run,
}: {
  title: string
  /** The title after the link was used. */
  doneTitle: string
  intro: string
  /** The text of the button that uses the link. */
  action: string
  /** The text of the button that leads to the console. */
  next: string
  /** Uses the link. Resolves to what was done. */
  run(token: string): Promise<string>
}) {
  const text = useText(messages)
  const token = useLinkToken()
  const [done, setDone] = useState<string>()
  const { faults, isBusy, formProps } = useForm(async () => setDone(await run(token)))
  return (
    <LinkPage title={done === undefined ? title : doneTitle} token={token}>
      {done !== undefined ? (
        <Done action={<ToConsole label={next} />}>{done}</Done>
      ) : (
        <form {...formProps} className="flex flex-col gap-4">
          <p>{intro}</p>
          <FormFault faults={linkFaultsOf(faults, text)} names={noFields} />
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {action}
          </Button>
        </form>
      )}
    </LinkPage>
  )
}
