import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useQuery } from 'urql'
import { useConfirmedMutation } from '../../../shell/confirmation.tsx'
import { PermittedButton, Refusal } from '../../../shell/permissions.tsx'
import { useText } from '../../../text/language.ts'
import { ConfirmDialog } from '../../../ui/confirm.tsx'
import { Badge, Panel, Section } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { messages as settingsMessages } from '../frame/messages.ts'
import { PanelBody } from '../frame/settings-page.tsx'
import { domainsDocument, policyDocument, requireSecondFactorDocument } from './documents.ts'
import { messages } from './messages.ts'

/** How members sign in: the second factor, and the domains of single sign-on. */
export function Policy() {
  const text = useText(messages)
  return (
    <Panel title={text.policy}>
      <PanelBody>
        <SecondFactor />
        <Domains />
      </PanelBody>
    </Panel>
  )
}

const statusContext = { additionalTypenames: ['SignInStatus'] }

function SecondFactor() {
  const text = useText(messages)
  const query = useQuery({ query: policyDocument })
  return (
    <Section title={text.secondFactor}>
      <Loaded query={query} select={data => data.signInStatus} lines={2}>
        {({ requiresSecondFactor, hasSecondFactor }) => (
          <>
            {requiresSecondFactor ? <Required /> : <Optional hasSecondFactor={hasSecondFactor} />}
            <Refusal field="Mutation.requireSecondFactor" />
          </>
        )}
      </Loaded>
    </Section>
  )
}

function Required() {
  const text = useText(messages)
  return (
    <>
      <div>
        <Badge tone="ok">{text.required}</Badge>
      </div>
      <p className="text-muted">{text.requiredText}</p>
      <Change isRequired={false} action={text.makeOptional} title={text.makeOptionalTitle}>
        {text.makeOptionalText}
      </Change>
    </>
  )
}

/** Only a user with a second factor can require one of all members. */
function Optional({ hasSecondFactor }: { hasSecondFactor: boolean }) {
  const text = useText(messages)
  return (
    <>
      <div>
        <Badge>{text.optional}</Badge>
      </div>
      <p className="text-muted">{text.optionalText}</p>
      {hasSecondFactor ? (
        <Change isRequired action={text.require} title={text.requireTitle}>
          {text.requireText}
        </Change>
      ) : (
        <p>
          {text.needsOwn}{' '}
          <Link to="/settings/sign-in" className="text-accent underline">
            {text.addOwn}
          </Link>
        </p>
      )}
    </>
  )
}

/** The button that changes the rule, and its question. */
function Change({
  isRequired,
  action,
  title,
  children,
}: {
  isRequired: boolean
  action: string
  title: string
  children: string
}) {
  const { saved } = useText(settingsMessages)
  const [isAsking, setIsAsking] = useState(false)
  const [, change] = useConfirmedMutation(requireSecondFactorDocument)
  const run = async () => {
    const { data, error } = await change({ input: { isRequired } }, statusContext)
    if (!data?.requireSecondFactor) throw error
    notify(saved)
    setIsAsking(false)
  }
  return (
    <div>
      <PermittedButton field="Mutation.requireSecondFactor" onClick={() => setIsAsking(true)}>
        {action}
      </PermittedButton>
      {isAsking && (
        <ConfirmDialog title={title} action={action} run={run} onClose={() => setIsAsking(false)}>
          <p>{children}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

function Domains() {
  const text = useText(messages)
  const query = useQuery({ query: domainsDocument })
  return (
    <Section title={text.singleSignOn}>
      <Loaded query={query} select={data => data.signInDomains} lines={1}>
        {domains => (
          <>
            {domains.length > 0 && (
              <ul className="flex flex-col gap-1">
                {domains.map(({ domain, issuer }) => (
                  <li key={`${domain} ${issuer.name}`} className="break-words">
                    {text.domain(domain, issuer.title)}
                  </li>
                ))}
              </ul>
            )}
            <p className="text-muted">{domains.length > 0 ? text.domainsText : text.noDomains}</p>
          </>
        )}
      </Loaded>
    </Section>
  )
}
