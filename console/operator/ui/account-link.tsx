import { Link } from '@tanstack/react-router'

/** The ID of an account, which opens its page. */
export function AccountLink({ accountId }: { accountId: string }) {
  return (
    <Link
      to="/operator/accounts/$accountId"
      params={{ accountId }}
      className="font-mono text-xs wrap-anywhere hover:underline"
    >
      {accountId}
    </Link>
  )
}
