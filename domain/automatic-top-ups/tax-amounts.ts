import type Stripe from 'stripe'

type Breakdown = NonNullable<Stripe.Tax.Calculation['tax_breakdown']>[number]
type TaxAmount = Stripe.InvoiceAddLinesParams.Line.TaxAmount

/** Returns the taxes of a calculation as the taxes of an invoice's line, including taxes of zero, such as a reverse charge. */
export function taxAmountsOf({
  tax_breakdown: breakdown,
}: Pick<Stripe.Tax.Calculation, 'tax_breakdown'>): TaxAmount[] {
  return breakdown.map(taxAmountOf)
}

function taxAmountOf({
  amount,
  inclusive,
  taxable_amount,
  taxability_reason,
  tax_rate_details: rate,
}: Breakdown): TaxAmount {
  const { country, state, percentage_decimal, tax_type } = rate
  return {
    amount,
    taxable_amount,
    taxability_reason,
    tax_rate_data: {
      display_name: nameOf(tax_type),
      inclusive,
      percentage: Number(percentage_decimal),
      ...(country && { country }),
      ...(state && { state }),
      ...(tax_type && { tax_type }),
    },
  }
}

/** Returns the name of a tax on the invoice: `VAT`, `Sales tax`. */
function nameOf(type: string | null): string {
  if (!type) return 'Tax'
  if (type.length <= 4) return type.toUpperCase()
  return `${type.slice(0, 1).toUpperCase()}${type.slice(1).replaceAll('_', ' ')}`
}
