import Mustache from 'mustache'
import { z } from 'zod'
import { type EventName, webhookEvents } from '../../events.js'
import { limits } from '../../limits.js'
import { meantHint } from '../../nearest-name.js'

/**
 * Bodies that receivers of their own kind expect, by Mustache templates: `{{name}}` is the text of a member for the inside
 * of a JSON string, `{{{name}}}` its JSON. The result is always JSON. The work is bounded: no partials, no section
 * inside another, and an end as soon as too much is written.
 */

const { bodyBytes, templateCharacters } = limits.webhooks
/** Sections count twice: when they are written, and in what holds them. */
const maxWritten = 4 * bodyBytes

const dataOf = (event: EventName) => Object.entries(webhookEvents[event].data.shape)
const allEvents = Object.keys(webhookEvents) as EventName[]
const knownNames = [
  ...['id', 'event', 'occurred_at', 'data'],
  ...new Set(allEvents.flatMap(event => dataOf(event).map(([name]) => `data.${name}`))),
]

type Token = [kind: string, name: string, from: number, to: number, inner?: Token[]]

class BoundedWriter extends Mustache.Writer {
  private written = 0

  override renderTokens(...given: Parameters<InstanceType<typeof Mustache.Writer>['renderTokens']>): string {
    return this.counted(super.renderTokens(...given))
  }

  override unescapedValue([, name]: string[], context: InstanceType<typeof Mustache.Context>): string {
    return this.counted(JSON.stringify(context.lookup(name ?? '') ?? null))
  }

  override escapedValue([, name]: string[], context: InstanceType<typeof Mustache.Context>): string {
    const value: unknown = context.lookup(name ?? '') ?? ''
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    return this.counted(JSON.stringify(text).slice(1, -1))
  }

  private counted(text: string): string {
    this.written += text.length + 1
    if (this.written > maxWritten) throw new TooLarge()
    return text
  }
}

class TooLarge extends Error {
  constructor() {
    super(`the body would be larger than ${bodyBytes} bytes`)
  }
}

/** Without inherited members, which a template could name. */
const withoutPrototype = (_key: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.assign(Object.create(null), value)
    : value

/**
 * Returns the body of a request: the template with the members of an event.
 * @param payload the event, as JSON
 * @throws what is wrong with the result, in words
 */
export function bodyOf(template: string, payload: string): string {
  const writer = new BoundedWriter()
  const body = writer.render(template, JSON.parse(payload, withoutPrototype))
  if (new TextEncoder().encode(body).length > bodyBytes) throw new TooLarge()
  try {
    JSON.parse(body)
  } catch (error) {
    throw new Error(`the body would not be JSON: ${(error as Error).message}`)
  }
  return body
}

function problemIn(tokens: readonly Token[], isInside = false): string | undefined {
  for (const [kind, name, , , inner] of tokens) {
    if (kind === 'text' || kind === '!') continue
    if (kind === '>' || kind === '=') return 'must have no partials and no other delimiters'
    if (name !== '.' && !knownNames.includes(name))
      return `there is no member ${JSON.stringify(name.slice(0, 64))}${meantHint(name, knownNames)}`
    if (kind !== '#' && kind !== '^') continue
    if (isInside) return 'must have no section inside another'
    const problem = problemIn(inner ?? [], true)
    if (problem) return problem
  }
  return undefined
}

const samples: Readonly<Record<string, unknown>> = { array: ['a'], boolean: true, number: 1, int: 1 }
const sampleOf = (event: EventName): string =>
  JSON.stringify({
    id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    event,
    occurred_at: '2026-01-01T00:00:00.000Z',
    data: Object.fromEntries(dataOf(event).map(([name, { type }]) => [name, samples[type] ?? 'a'])),
  })

/** Returns what is wrong with a template, tried with an example of each event; undefined if it is good. */
function problemOf(template: string): string | undefined {
  try {
    const problem = problemIn(Mustache.parse(template) as Token[])
    if (problem) return problem
    for (const event of allEvents) bodyOf(template, sampleOf(event))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    Mustache.clearCache()
  }
}

/** A template for the body of the requests; null sends the event itself. */
export const bodyTemplate = z
  .string()
  .max(templateCharacters)
  .superRefine((template, context) => {
    // Forms send an empty template to remove it.
    const problem = template === '' ? undefined : problemOf(template)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })
  .nullable()
  .transform(template => template || null)
