import { encode } from 'uqr'

/** Modules of free space around the code, which readers need (ISO/IEC 18004). */
const margin = 4

/** A QR code, drawn in this browser. It is black on white in both themes, because readers expect it. `label` names it. */
export default function QrCode({ content, label }: { content: string; label: string }) {
  const { data, size } = encode(content, { ecc: 'M', border: 0 })
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + margin} ${y + margin}h1v1h-1z` : '')))
    .join('')
  const side = size + 2 * margin
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering="crispEdges"
      className="mx-auto size-52 rounded-md border border-line"
    >
      <path d={`M0 0h${side}v${side}H0z`} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
