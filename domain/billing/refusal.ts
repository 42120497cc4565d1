/** Why the charge of an automatic top-up failed, and what happens next. */
export interface Refusal {
  /** Stripe's decline code, or the code of its error. */
  failure: string
  /**
   * `retry` after a delay; `stop` because the card can never be charged; `authenticate` because the bank requires the
   * cardholder; `wait` if the card is not the reason (schema/statements/end-automatic-top-up.sql).
   */
  policy: 'retry' | 'stop' | 'authenticate' | 'wait'
}

/** The fields of an error of Stripe that decide. */
interface Decline {
  code: string | undefined
  declineCode: string | undefined
  adviceCode: string | undefined
}

/** Stripe's advice not to try a card again. */
const finalAdvice: ReadonlySet<string | undefined> = new Set(['do_not_try_again', 'confirm_card_data'])

/** Reads the refusal from the error of a declined charge. */
export function refusalOf({ code, declineCode, adviceCode }: Decline): Refusal {
  const needsCardholder = [code, declineCode].includes('authentication_required')
  return {
    failure: needsCardholder ? 'authentication_required' : (declineCode ?? code ?? 'card_declined'),
    policy: needsCardholder ? 'authenticate' : finalAdvice.has(adviceCode) ? 'stop' : 'retry',
  }
}
