import { useMutation, useQuery } from 'urql'
import { faultText } from '../../graph/faults.ts'
import { PermittedButton, Refusal, useRefusal } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { Details } from '../../ui/values.tsx'
import { type CustomerDetails, detailsDocument, openPortalDocument } from './documents.ts'
import { messages } from './messages.ts'

/** What the payment processor has stored of the customer, and the way to its portal, which keeps the invoices. */
export function BillingDetails() {
  const text = useText(messages)
  const isHidden = useRefusal()('Account.billingDetails') !== undefined
  const query = useQuery({ query: detailsDocument, pause: isHidden })
  return (
    <div className="flex flex-col gap-4 p-5">
      <p className="text-muted">{text.invoicesText}</p>
      {isHidden ? (
        <Refusal field="Account.billingDetails" />
      ) : (
        <Loaded
          query={query}
          select={data => (query[0].error && data.me.billingDetails === null ? null : data.me)}
          lines={3}
        >
          {({ billingDetails }) =>
            billingDetails && hasDetails(billingDetails) ? (
              <Details
                rows={[
                  [text.name, billingDetails.name],
                  [text.email, billingDetails.email],
                  [text.address, billingDetails.address.join(', ')],
                  [text.taxIds, billingDetails.taxIds.join(', ')],
                ]}
              />
            ) : (
              <p>{text.noDetails}</p>
            )
          }
        </Loaded>
      )}
      <div>
        <Portal />
      </div>
    </div>
  )
}

/** Whether the customer has entered anything. */
function hasDetails({ name, email, address, taxIds }: CustomerDetails): boolean {
  return name !== null || email !== null || address.length > 0 || taxIds.length > 0
}

function Portal() {
  const text = useText(messages)
  const [{ fetching }, openPortal] = useMutation(openPortalDocument)
  const open = async () => {
    const { data, error } = await openPortal({})
    if (data?.openBillingPortal) location.assign(data.openBillingPortal.url)
    else notify(faultText(error))
  }
  return (
    <PermittedButton
      field="Mutation.openBillingPortal"
      icon="external"
      isBusy={fetching}
      onClick={() => void open()}
    >
      {text.portal}
    </PermittedButton>
  )
}
