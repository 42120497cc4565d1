import type { Config } from '../config/read-config.ts'

export type Attributes = Record<string, string | number | undefined>

/** The beginning of a span. */
export interface SpanStart {
  /** How many milliseconds ago it began. Now by default. */
  agoMs?: number
  attributes?: Attributes
}

/** The beginning of a span without a parent in this process. */
export interface TraceStart extends SpanStart {
  /** The `traceparent` of another process of Rubicon, whose trace continues. */
  continues?: string | undefined
  /** The `traceparent` of a client. The trace is new, with a link to the client's: clients do not decide what is traced. */
  linksTo?: string | undefined
}

/** The end of a span. `error` is the name of its error. */
export interface SpanEnd {
  attributes?: Attributes
  error?: string | undefined
}

/** A timed part of a trace. */
export interface Span {
  /** The header with which another process of Rubicon continues the trace. */
  readonly traceparent: string
  /** Begins a part of this span. */
  child(name: string, start?: SpanStart): Span
  end(end?: SpanEnd): void
}

/** The traces of a process. */
export interface Tracing {
  start(name: string, start?: TraceStart): Span
  /** Sends the remaining spans. Never throws. */
  close(): Promise<void>
}

/**
 * Opens the traces of a process, which are sent to `OTEL_EXPORTER_OTLP_ENDPOINT`. Resolves to undefined if it is empty: then
 * nothing is loaded or traced.
 */
export async function openTracing(config: Config, process: string): Promise<Tracing | undefined> {
  if (config.otlpEndpoint === '') return undefined
  const { openSpans } = await import('./open-spans.ts')
  return openSpans({
    url: `${config.otlpEndpoint.replace(/\/$/, '')}/v1/traces`,
    headers: Object.fromEntries(config.otlpHeaders),
    ratio: config.traceRatio,
    process,
  })
}
