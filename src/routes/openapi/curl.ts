import type { Json } from './schemas.js'

const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? value : {}) as Json

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

function bodyOptions(requestBody: unknown): string[] {
  const [entry] = Object.entries(objectOf(objectOf(requestBody).content))
  if (!entry) return []
  const [type, content] = entry
  const { example } = objectOf(content)
  const members = Object.entries(objectOf(example)).map(([name, value]) => `${name}=${String(value)}`)
  if (type === 'multipart/form-data') return members.map(member => `-F ${quoted(member)}`)
  if (type === 'application/json')
    return ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example))}`]
  return members.map(member => `--data-urlencode ${quoted(member)}`)
}

/**
 * The request as a line for a shell in which `API` and `KEY` are set, in the form that Redoc and Scalar show.
 * @param prefix of the URL in the shell
 */
export function curlSample(method: string, template: string, operation: Json, prefix = '$API'): Json {
  const parameters = (operation.parameters ?? []) as Json[]
  const exampleOf = (name: string) => {
    const { schema } = parameters.find(one => one.name === name) ?? {}
    return String((objectOf(schema).examples as unknown[] | undefined)?.[0] ?? name)
  }
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(name))
  const wanted = parameters.filter(one => one.in === 'query' && (one.required === true || one.name === 'q'))
  const query = wanted.map(({ name }) => `${name}=${exampleOf(String(name))}`).join('&')
  const isPublic = Array.isArray(operation.security) && operation.security.length === 0
  const source = [
    'curl',
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    `"${prefix}${path}${query === '' ? '' : `?${query}`}"`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...bodyOptions(operation.requestBody),
  ].join(' ')
  return { lang: 'Shell', label: 'curl', source }
}
