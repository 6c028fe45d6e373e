import type { Child } from 'hono/jsx'

export type Json = { [name: string]: unknown }

export const objectOf = (value: unknown): Json =>
  (typeof value === 'object' && value !== null ? value : {}) as Json

const nameIn = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

/** The part of the document that a reference names; any other value as it is. */
export function resolved(document: Json, value: unknown): Json {
  const { $ref } = objectOf(value)
  if (typeof $ref !== 'string') return objectOf(value)
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => objectOf(at)[name], document)
  return objectOf(found)
}

/** A type as people read it: `integer`, `draft or published`, `list of Route`. */
export function TypeOf({ schema }: { schema: unknown }): Child {
  const { $ref, type, enum: values, const: only, items, anyOf, oneOf, format } = objectOf(schema)
  if (typeof $ref === 'string') return <a href={`#record-${nameIn($ref)}`}>{nameIn($ref)}</a>
  if (Array.isArray(values)) return <code>{values.map(String).join(' | ')}</code>
  if (only !== undefined) return <code>{String(only)}</code>
  const some = anyOf ?? oneOf
  if (Array.isArray(some))
    return some.map((one, i) => (
      <>
        {i > 0 ? ' or ' : ''}
        <TypeOf schema={one} />
      </>
    ))
  if (type === 'array')
    return (
      <>
        list of <TypeOf schema={items ?? {}} />
      </>
    )
  const name = Array.isArray(type) ? type.join(' or ') : String(type ?? 'anything')
  return typeof format === 'string' ? `${name} (${format})` : name
}

/** A sentence in which backticks mark code. */
export const Text = ({ of }: { of: string }): Child =>
  of.split('`').map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))

const limitNames = ['minLength', 'maxLength', 'minimum', 'maximum', 'pattern', 'default'] as const

const Limits = ({ schema }: { schema: Json }) =>
  limitNames.map(name =>
    schema[name] === undefined || schema[name] === null ? null : (
      <>
        {' '}
        <span class="note">
          {name} <code>{JSON.stringify(schema[name])}</code>
        </span>
      </>
    ),
  )

interface TableRow {
  name: string
  schema: unknown
  required: boolean
  description?: unknown
  place?: string
}

const TableRows = ({ title, rows }: { title: string; rows: readonly TableRow[] }) =>
  rows.length === 0 ? null : (
    <table>
      <caption>{title}</caption>
      <tbody>
        {rows.map(({ name, schema, required, description, place }) => (
          <tr>
            <td>
              <code>{name}</code>{' '}
              <span class="note">{[place, required ? 'required' : ''].filter(Boolean).join(', ')}</span>
            </td>
            <td>
              <TypeOf schema={schema} />
            </td>
            <td>
              <Text of={String(description ?? objectOf(schema).description ?? '')} />
              <Limits schema={objectOf(schema)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )

/** The members of an object's schema as a table. */
export function Members({ title, schema }: { title: string; schema: Json }) {
  const required = Array.isArray(schema.required) ? schema.required : []
  const rows = Object.entries(objectOf(schema.properties)).map(([name, member]) => ({
    name,
    schema: member,
    required: required.includes(name),
  }))
  return <TableRows title={title} rows={rows} />
}

/** Parameters of path, query and headers as a table. */
export const Parameters = ({ parameters }: { parameters: readonly Json[] }) => (
  <TableRows
    title="Parameters"
    rows={parameters.map(({ name, in: place, required, schema, description }) => ({
      name: String(name),
      place: String(place),
      required: required === true,
      schema,
      description,
    }))}
  />
)
