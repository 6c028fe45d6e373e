import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type ConfigName, configFields, defaultIn } from '../../src/config-fields.js'

/** All code that could use a field. */
const code = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter(path => /\.tsx?$/.test(path) && path !== 'config-fields.ts')
  .map(path => readFileSync(join('src', path), 'utf8'))
  .join('\n')

/** Whether some code uses the field; `email_provider` needs no use, because it has a single value. */
const hasEffect = (name: ConfigName): boolean =>
  name === 'email_provider' || new RegExp(`\\b${name}\\b`).test(code)

interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  minimum?: number
  maximum?: number
  items?: JsonSchema
  anyOf?: JsonSchema[]
  format?: string
  const?: unknown
}

const inCode = (value: unknown): string => `\`${JSON.stringify(value)}\``

/** Describes a JSON Schema in a few words. */
function kindOf({ type, enum: values, minimum, maximum, items, anyOf, format }: JsonSchema): string {
  if (values) return values.map(inCode).join(', ')
  if (anyOf)
    return anyOf
      .filter(one => one.const !== '')
      .map(kindOf)
      .join(' or ')
  if (items) return `list of ${kindOf(items)}`
  if (format === 'uri') return 'URL'
  const name = type === 'integer' ? 'whole number' : [type].flat().join(' or ')
  return minimum === undefined ? name : `${name}, ${minimum} to ${maximum}`
}

function effectOf(name: ConfigName): string {
  const { restart, fileOnly, administrator, secret, perInstance } = configFields[name]
  return [
    fileOnly ? 'file' : restart ? 'restart' : 'at once',
    ...(perInstance ? ['instance'] : []),
    ...(administrator ? ['administrator'] : []),
    ...(secret ? ['secret'] : []),
    ...(!hasEffect(name) ? ['**no effect yet**'] : []),
  ].join(', ')
}

function rowOf(name: ConfigName): string {
  const { schema, meaning, defaultInProduction } = configFields[name]
  const kind = kindOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
  const [usual, production] = [defaultIn('local', name), defaultIn('production', name)]
  const standard = usual === undefined ? '' : inCode(usual)
  const fallback =
    defaultInProduction === undefined
      ? standard
      : `${standard}; in staging and production ${inCode(production)}`
  return `| \`${name}\` | ${kind} | ${fallback} | ${meaning} | ${effectOf(name)} |`.replaceAll('  ', ' ')
}

/** `docs/configuration.md`, generated from the table of fields. */
export const configurationDocument = (): string => `# Configuration

The service reads \`cms.config.json\` in the folder where it is started, or the file that \`--config\` names. Every field
has a default, so no file is needed. \`\${VAR}\` in any text is replaced by the environment variable \`VAR\`. Relative paths start at
the folder of the file ([D-841](decisions/079-configuration-by-api.md#d-841)); without a file, at the folder where the service is started.

\`GET /api/v1/config\` returns the fields, \`PUT\` changes some, and \`GET /api/v1/config/meta\` describes them. Start from an example:

- [cms.config.json.example](../cms.config.json.example): SQLite, without variables
- [cms.config.servers.json.example](../cms.config.servers.json.example): a database server, a proxy, mail and a store

\`PUT\` keeps what it sets in the database, secrets encrypted under \`app_secret\`. It acts on all instances, on the others within
half a second ([D-888](decisions/079-configuration-by-api.md#d-888)). The file wins: a field that it names has the file's
value, and \`set_by_file\` in both responses of \`/config\` lists these fields. \`PUT\` of such a field takes it out of the file. If
the service may not write the file, its fields are fixed, and \`PUT\` refuses them (403). Values with \`\${VAR}\` stay in the file.

The first start reads two environment variables: \`CMS_ADMIN_EMAIL\` (default \`admin@example.com\`) and \`CMS_ADMIN_PASSWORD\`
(default: a random password, which is shown once).

The last column says how a field changes:

- *file*: only the file sets it; a start reads it.
- *restart*: the API can set it; the next start uses it. Until then \`restart_required\` in both responses of \`/config\`, and
  Settings in the panel and the terminal, list the changed fields.
- *at once*: the API can set it, and it takes effect immediately.
- *instance*: each instance has its own value, and \`PUT\` writes it into the file of the instance that answers.
- *administrator*: only administrators can set it.
- *secret*: the service never shows it.

\`npm run docs\` generates this page from \`src/config-fields.ts\`.

| Field | Value | Default | Meaning | Change |
|---|---|---|---|---|
${(Object.keys(configFields) as ConfigName[]).map(rowOf).join('\n')}
`
