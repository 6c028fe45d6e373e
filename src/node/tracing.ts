import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Log, Tracing } from '../ports.js'
import { version } from './version.js'

/** An attribute with a statement has at most this many characters of it. */
const maxStatement = 2000
/** How long a stop waits for the receiver, in milliseconds. */
const lastSendMs = 2000

const headersOf: TextMapGetter<Headers> = {
  keys: headers => [...headers.keys()],
  get: (headers, name) => headers.get(name) ?? undefined,
}

/** Ends a span when what it measures ends, well or not. */
function during<T>(span: Span, work: () => T | Promise<T>, wellEnded: (result: T) => void): T | Promise<T> {
  const end = (result: T): T => {
    wellEnded(result)
    span.end()
    return result
  }
  const fail = (error: unknown): never => {
    // The message of a database may hold values, so only the kind of the failure is sent.
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
    span.end()
    throw error
  }
  try {
    const result = work()
    return result instanceof Promise ? result.then(end, fail) : end(result)
  } catch (error) {
    return fail(error)
  }
}

/** Spans by one tracer. Statements belong to the request in whose course they run. */
export function tracingBy(tracer: Tracer, stop: () => Promise<void>): Tracing {
  const current = new AsyncLocalStorage<Context>()
  const propagator = new W3CTraceContextPropagator()
  return {
    request(request, answer, describe) {
      const caller = propagator.extract(ROOT_CONTEXT, request.headers, headersOf)
      const url = new URL(request.url)
      const attributes = {
        'http.request.method': request.method,
        'url.path': url.pathname,
        'url.scheme': url.protocol.slice(0, -1),
      }
      const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER, attributes }, caller)
      return current.run(trace.setSpan(caller, span), () =>
        during(span, answer, ({ status }) => {
          const { route, surface, requestId } = describe()
          if (route !== undefined)
            span.updateName(`${request.method} ${route}`).setAttribute('http.route', route)
          span.setAttributes({
            'http.response.status_code': status,
            'slugline.surface': surface,
            'slugline.request_id': requestId,
          })
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        }),
      )
    },
    statement(system, sql, run) {
      const around = current.getStore()
      if (!around || !trace.getSpan(around)?.isRecording()) return run()
      const word = /^\W*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'SQL'
      const attributes = { 'db.system.name': system, 'db.query.text': sql.slice(0, maxStatement) }
      const span = tracer.startSpan(word, { kind: SpanKind.CLIENT, attributes }, around)
      return Promise.resolve(during(span, run, () => undefined))
    },
    stop,
  }
}

/**
 * Spans for the receiver that the standard variables of OpenTelemetry name (`OTEL_EXPORTER_OTLP_ENDPOINT` and others),
 * sent as OTLP in JSON over HTTP. A receiver that is away delays nothing; the spans that it does not take are lost, and
 * the log says so.
 */
export function openTelemetry(log: Log): Tracing {
  const warn = (message: string) => log.warn({ reason: message }, 'OpenTelemetry')
  const ignored = () => undefined
  diag.setLogger({ error: warn, warn, info: ignored, debug: ignored, verbose: ignored }, DiagLogLevel.WARN)
  const lost = (error: unknown) =>
    warn(`spans were not sent: ${error instanceof Error ? error.message : error}`)
  setGlobalErrorHandler(lost)
  const named = detectResources({ detectors: [envDetector] })
  const own = resourceFromAttributes({ 'service.name': 'slugline', 'service.version': version })
  const provider = new BasicTracerProvider({
    resource: own.merge(named),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  const stop = async () => {
    const timeout = new Promise(resolve => setTimeout(resolve, lastSendMs).unref())
    await Promise.race([provider.shutdown().catch(lost), timeout])
  }
  return tracingBy(provider.getTracer('slugline', version), stop)
}
