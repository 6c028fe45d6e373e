import { ConfigError } from '../errors.js'
import type { Log, Tracing } from '../ports.js'

/** The variables of OpenTelemetry that name a receiver. */
const receivers = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const

const isAddress = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

/**
 * Traces, if the standard variables of OpenTelemetry ask for them. Their library is loaded only then.
 * @throws ConfigError for an address that nothing can be sent to
 */
export async function tracingOf(
  variables: Readonly<Record<string, string | undefined>>,
  log: Log,
): Promise<Tracing | undefined> {
  const named = receivers.filter(name => variables[name])
  const isOff =
    variables.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || variables.OTEL_TRACES_EXPORTER === 'none'
  if (isOff || named.length === 0) return undefined
  for (const name of named)
    if (!isAddress(variables[name] ?? ''))
      throw new ConfigError(`${name} must be an address such as http://localhost:4318`)
  return (await import('./tracing.js')).openTelemetry(log)
}
