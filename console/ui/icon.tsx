/** The icons of the console, as paths on a grid of 16 by 16 with lines of 1.5. */
const paths = {
  overview: 'M2.5 13.5v-5M6.2 13.5v-8M9.8 13.5v-6M13.5 13.5v-11',
  key: 'M7.4 8.6 13.5 2.5M11 5l2 2M5.2 13.5a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4',
  requests: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  start: 'm5 3 8 5-8 5z',
  plus: 'M8 3v10M3 8h10',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'm3 8.5 3.2 3L13 4.5',
  close: 'm4 4 8 8m0-8-8 8',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9m3.3-1.2 3.2 3.2',
  chevron: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  up: 'm4.5 9.5 3.5-3.5 3.5 3.5',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1H3zM7 14h2',
  plug: 'M6 2.5v3M10 2.5v3M4 5.5h8v2a4 4 0 0 1-8 0zM8 11.5v2',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.3v.01',
  budget: 'M2.5 11.5a5.5 5.5 0 0 1 11 0M8 11.5l3-4',
  history: 'M2.8 6A5.5 5.5 0 1 1 2.5 8M2.5 2.8V6h3.2M8 5v3.2l2.2 1.3',
  usage: 'M8 2.5a5.5 5.5 0 1 0 5.5 5.5H8z',
  billing: 'M2 4.5h12v8H2zM2 7h12',
  models: 'M8 2.5 13.5 5.5v5L8 13.5 2.5 10.5v-5zM2.5 5.5 8 8.5l5.5-3M8 8.5v5',
  person: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M3 13.5a5 5 0 0 1 10 0',
  people:
    'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6M1.8 13.3a4.3 4.3 0 0 1 8.5 0M10.3 3.1a2.3 2.3 0 0 1 0 4.2M12 9.6a4.3 4.3 0 0 1 2.2 3.7',
  chat: 'M2.5 3h11v8h-6l-3 2.5V11h-2z',
  send: 'M8 13V3.5M4 7.5l4-4 4 4',
  stop: 'M4 4h8v8H4z',
  code: 'm5.5 4.5-3.5 3.5 3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  upload: 'M8 10.5v-8M4.8 5.7 8 2.5l3.2 3.2M2.5 10.5v3h11v-3',
  settings: 'M2.5 5h6M11.5 5h2M10 3.5v3M2.5 11h2M7.5 11h6M6 9.5v3',
  tasks: 'M2.5 3.5h11v9h-11zM6.7 6l3 2-3 2z',
  callbacks: 'M2.5 6.5h8a3 3 0 0 1 0 6h-3M5.5 3.5l-3 3 3 3',
  image: 'M2.5 3h11v10h-11zM2.5 11l3.5-3.5 3 3 2-2 2.5 2.5M10.5 5.8v.01',
  external: 'M9.5 2.5h4v4M13.5 2.5 7 9M6.5 3.5h-4v10h10v-4',
} as const

export type IconName = keyof typeof paths

/** An icon beside a text that names it. An icon without a text needs a label on its button. */
export function Icon({ name, className = '' }: { name: IconName; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      className={`size-4 shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' || name === 'grip' ? 2.5 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  )
}
