import {
  type Context,
  isSpanContextValid,
  type Link,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Span, SpanEnd, SpanStart, Tracing } from './tracing.ts'

/** Maximum number of spans that wait to be sent. Further spans are dropped while the receiver is slow or unavailable. */
const maxWaiting = 8_192

/** Interval at which spans are sent, in milliseconds. */
const sendIntervalMs = 1_000

/** Maximum length of an attribute, in characters. */
const maxAttributeLength = 500

/** Opens traces that are sent over OTLP. `ratio` is the share of new traces that are sampled. */
export function openSpans({
  url,
  headers,
  ratio,
  process,
}: {
  url: string
  headers: Record<string, string>
  ratio: number
  process: string
}): Tracing {
  const exporter = new OTLPTraceExporter({ url, headers })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'rubicon',
      'service.name': `rubicon-${process}`,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: maxWaiting, scheduledDelayMillis: sendIntervalMs }),
    ],
  })
  const tracer = provider.getTracer('rubicon')
  return {
    start(name, { continues, linksTo, ...start } = {}) {
      const parent = readTraceparent(continues)
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
      const linked = readTraceparent(linksTo)
      return open(tracer, { name, context, start, links: linked ? [{ context: linked }] : [] })
    },
    close: () => provider.shutdown().catch(() => {}),
  }
}

interface Opening {
  name: string
  context: Context
  start: SpanStart
  links?: Link[]
}

function open(tracer: Tracer, { name, context, start, links = [] }: Opening): Span {
  const { agoMs = 0, attributes = {} } = start
  const span = tracer.startSpan(name, { attributes, links, startTime: Date.now() - agoMs }, context)
  return {
    traceparent: printTraceparent(span.spanContext()),
    child: (childName, childStart = {}) =>
      open(tracer, { name: childName, context: trace.setSpan(ROOT_CONTEXT, span), start: childStart }),
    end: end => endSpan(span, end),
  }
}

function endSpan(span: OtelSpan, { attributes = {}, error }: SpanEnd = {}): void {
  span.setAttributes(attributes)
  if (error !== undefined) {
    span.setAttribute('error.type', error)
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
}

const traceparentShape = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** Reads the header of W3C Trace Context. Returns undefined if it is absent or invalid. */
function readTraceparent(header: string | undefined): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = traceparentShape.exec(header ?? '') ?? []
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}

function printTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`
}
