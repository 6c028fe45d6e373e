import { parseJson } from '../services/json-text.js'
import type { Wording } from '../texts/wording.js'
import type { Field, Texts } from './form-field.js'

/** A setting as `describe` returns it. */
export interface Setting {
  name: string
  type: { type?: unknown; enum?: readonly unknown[]; anyOf?: readonly { type?: unknown }[] }
  meaning: string
  secret: boolean
  restart: boolean
  file_only: boolean
  administrator_only: boolean
}

const isType = ({ type: { type, anyOf = [] } }: Setting, wanted: string) =>
  [type, ...anyOf.map(one => one.type)].flat().includes(wanted)

const kindOf = (setting: Setting) => {
  if (isType(setting, 'boolean')) return 'boolean'
  if (isType(setting, 'integer') || isType(setting, 'number'))
    return isType(setting, 'string') ? 'text' : 'number'
  if (isType(setting, 'array')) return 'array'
  return isType(setting, 'object') ? 'object' : 'text'
}

const wordsOfNames: Readonly<Record<string, string>> = {
  ...{
    acme: 'ACME',
    cors: 'CORS',
    id: 'ID',
    oauth: 'OAuth',
    ssh: 'SSH',
    ssl: 'HTTPS',
    tls: 'TLS',
    txt: 'text',
  },
  ...{ db: 'database', dir: 'folder', i18n: 'translation', max: 'maximum', url: 'URL', samesite: 'SameSite' },
}

/** Labels of settings whose names do not say enough. */
const ownLabels: Readonly<Record<string, string>> = {
  admin_site: 'Domain of the panel',
  bucket_admin_media: 'Bucket of admin media',
  bucket_backup: 'Bucket of backups',
  bucket_media: 'Bucket of media',
  cert_dir: 'Folder of certificates',
  client_site: 'Domain of the site',
  compat: 'APIs of other systems',
  event_streams_max: 'Maximum number of change streams',
  llms_txt_enabled: 'llms.txt',
  robots_enabled: 'robots.txt',
  robots_txt: 'Text of robots.txt',
  stop_delay_seconds: 'Delay before a stop',
  version_max_per_content: 'Versions kept for each entry',
}

/** A setting's name as words: `webhook_max_retries` is "Webhook maximum retries". */
export function settingLabel(name: string): string {
  const own = Object.hasOwn(ownLabels, name) ? ownLabels[name] : undefined
  if (own) return own
  const words = name
    .split('_')
    .map(part => wordsOfNames[part] ?? part)
    .join(' ')
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** Returns a setting as a field. A `file_only` setting is shown and cannot be changed. */
export function fieldOf(setting: Setting, value: unknown, { t }: Wording): Field {
  const { name, meaning, secret, restart, file_only } = setting
  const hint = [meaning, restart && t('Needs a restart.')].filter(Boolean).join(' ')
  const base = { name, label: name, hint }
  if (secret)
    return file_only
      ? { ...base, kind: 'fixed', value: value === null ? t('not set') : t('set') }
      : {
          ...base,
          kind: 'password',
          hint: `${hint} ${value === null ? t('Not set.') : t('Set. Leave empty to keep it.')}`,
        }
  if (file_only) return { ...base, kind: 'fixed' }
  if (setting.type.enum)
    return {
      ...base,
      kind: 'choice',
      choices: setting.type.enum.map(one => ({ value: String(one), word: String(one) })),
    }
  switch (kindOf(setting)) {
    case 'boolean':
      return { ...base, kind: 'switch' }
    case 'number':
      return { ...base, kind: 'number' }
    case 'array':
      return {
        ...base,
        kind: 'lines',
        mono: true,
        hint: `${hint} ${t('One per line.')}`,
        value: linesOf(value),
      }
    case 'object':
      return { ...base, kind: 'json' }
    default:
      return { ...base, kind: 'text' }
  }
}

const linesOf = (value: unknown) => (Array.isArray(value) ? value.map(String).join('\n') : '')

function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    // The schema of the setting rejects it and names it.
    return text
  }
}

/** Returns the setting that the text of a field stands for; an empty text removes the setting from the file. */
function meaningOf(setting: Setting, given: string | readonly string[]): unknown {
  const text = [given].flat().at(-1) ?? ''
  const kind = kindOf(setting)
  if (kind === 'boolean') return text === 'true'
  if (kind === 'array')
    return text
      .split('\n')
      .map(line => line.trim())
      .filter(Boolean)
  if (text === '') return null
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return kind === 'object' ? jsonOf(text) : text
}

/** Returns the settings that a form has changed. */
export function changesIn(
  settings: readonly Setting[],
  before: Readonly<Record<string, unknown>>,
  texts: Texts,
) {
  const changes: Record<string, unknown> = {}
  for (const setting of settings) {
    const given = texts[setting.name]
    if (given === undefined || setting.file_only || (setting.secret && given === '')) continue
    const value = meaningOf(setting, given)
    const was = before[setting.name] ?? (kindOf(setting) === 'array' ? [] : null)
    if (JSON.stringify(value) !== JSON.stringify(was)) changes[setting.name] = value
  }
  return changes
}
