import { Link } from '@tanstack/react-router'

export function Brand() {
  return (
    <Link
      to="/"
      className="flex items-center gap-2 rounded-md px-2.5 py-1.5 text-lg font-semibold tracking-tight"
    >
      <svg aria-hidden="true" viewBox="0 0 16 16" className="size-5">
        <rect width="16" height="16" rx="3.5" className="fill-accent-fill" />
        <path d="M5 13V3h4a3 3 0 0 1 0 6H5m4 0 3 4" fill="none" stroke="#fff" strokeWidth="2" />
      </svg>
      Rubicon
    </Link>
  )
}
