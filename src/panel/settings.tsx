import { z } from 'zod'
import { durationWords } from '../durations.js'
import { changesIn, fieldOf, type Setting, settingLabel } from '../resources/setting-fields.js'
import type { Services } from '../services/index.js'
import { ConfigUpdate } from '../services/operation/configuration.js'
import { maxAheadMs } from '../services/operation/instances.js'
import { configurationWords } from '../texts/configuration.js'
import type { PlainText } from '../texts/text.js'
import type { Wording } from '../texts/wording.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { type Draft, pages, saved } from './pages.js'
import { Form, Icon, Moment, Note, Submit } from './parts.js'
import { addressOfPlace, underSettings } from './rail.js'
import { markOf, unlessChanged } from './record-mark.js'
import { panelActor, type View } from './view.js'

/** The groups in their order, each with the names of its settings, or how they begin. */
const groupNames: readonly (readonly [name: PlainText, ...starts: string[]])[] = [
  ['Content', 'publish_', 'output_', 'redirect_', 'preview_', 'version_', 'trash_', 'compat'],
  ['Search engines', 'sitemap_', 'robots_'],
  ['Languages', 'i18n_'],
  ['Media', 'max_upload_size', 'media_', 'bucket_'],
  ['Backups', 'backup_'],
  ['Accounts', 'registration_', 'readers_', 'password_', 'cookie_'],
  ['Sign-in with a provider', 'oauth_'],
  ['Mail', 'email_'],
  ['Webhooks', 'webhook_'],
  ['Browser apps', 'cors_'],
  ['HTTPS', 'tls', 'ssl_', 'cert_', 'acme_'],
  ['Terminal', 'ssh_'],
  ['Database', 'db_'],
]
const groupOf = ({ name }: Setting): PlainText =>
  groupNames.find(([, ...starts]) => starts.some(start => name.startsWith(start)))?.[0] ?? 'Server'

/** The place of a setting in its group. */
const placeOf = ({ name }: Setting): number =>
  groupNames.flatMap(([, ...starts]) => starts).findIndex(start => name.startsWith(start))

const order = (name: PlainText) => {
  const at = groupNames.findIndex(([own]) => own === name)
  return at === -1 ? groupNames.length : at
}

/** Navigation to settings: with the script a search, and links to the groups. */
const Index = ({ view, groups }: { view: View; groups: readonly PlainText[] }) => (
  <div class="settings-index">
    <p class="find-field" hidden data-narrows="#form">
      <label for="narrow" class="hidden-text">
        {view.t('Search settings')}
      </label>
      <input
        class="input"
        type="search"
        id="narrow"
        autocomplete="off"
        placeholder={view.t('Search settings')}
      />
      <span class="quiet" role="status" />
    </p>
    <nav aria-label={view.t('Groups of settings')}>
      {groups.map((name, i) => (
        <a href={`#group-${i}`}>{view.t(name)}</a>
      ))}
    </nav>
  </div>
)

const durations = new Set([
  ...['ssh_idle_timeout', 'cookie_duration', 'backup_schedule', 'trash_retention', 'webhook_scan_interval'],
  'webhook_retry_delays',
])

/** Returns the unit of a setting's value in words; undefined without one. */
function unitOf(name: string, value: unknown, { t, language }: Wording): string | undefined {
  if (name === 'page_cache_bytes' || name === 'max_upload_size')
    return t('In bytes, now {n} MiB.', { n: Math.round((Number(value) / 2 ** 20) * 10) / 10 })
  if (name === 'stop_delay_seconds' || name === 'webhook_timeout') return t('In seconds.')
  if (name === 'webhook_delivery_retention_days') return t('In days.')
  if (!durations.has(name)) return undefined
  const words = [value].flat().flatMap(one => (typeof one === 'string' ? durationWords(one, language) : []))
  return words.some(Boolean)
    ? t('Now {duration}. Such as 90s, 15m, 24h or 30d.', { duration: words.join(', ') })
    : t('Such as 90s, 15m, 24h or 30d.')
}

/** A setting with its label in words and its name in the file; what it means is below it, unit and flags beside. */
function shownField(setting: Setting, value: unknown, wording: Wording): Field {
  const { name, meaning, file_only, secret } = setting
  const { t } = wording
  const [label, help] = configurationWords(name, wording.language) ?? [settingLabel(name), meaning]
  const field = fieldOf(setting, value, wording)
  const flags = (field.hint ?? '').slice(meaning.length).trim()
  const own = {
    ...field,
    ...{ label, code: name, help },
    hint: [unitOf(name, value, wording), file_only && t('Set in the configuration file only.'), flags]
      .filter(Boolean)
      .join(' '),
  }
  if (secret && !file_only && value !== null) return { ...own, placeholder: '••••••••' }
  return file_only && typeof value === 'boolean' ? { ...own, value: value ? t('Yes') : t('No') } : own
}

/** Links to what belongs to the settings and has pages of its own. */
function Further({ view }: { view: View }) {
  const places = underSettings.filter(({ access }) => view.can(access))
  if (places.length === 0) return null
  return (
    <nav class="actions" aria-label={view.t('More settings')}>
      {places.map(place => (
        <a class="button" href={addressOfPlace(view, place)}>
          <Icon view={view} name={place.icon} />
          {view.t(place.word)}
        </a>
      ))}
    </nav>
  )
}

/** The note above the settings. */
interface LeadProps {
  view: View
  restart: readonly string[]
  isFileFixed: boolean
}

const Lead = ({ view, restart, isFileFixed }: LeadProps) => (
  <>
    {restart.length > 0 && (
      <Note view={view}>
        <p>
          <b>{view.t('Restart required.')}</b>{' '}
          {view.parts('Saved. In effect after a restart: {settings}.', {
            settings: restart.map((name, i) => (
              <>
                {i > 0 && ', '}
                <a href={`#f-${name}`}>
                  {configurationWords(name, view.language)?.[0] ?? settingLabel(name)}
                </a>
              </>
            )),
          })}
        </p>
      </Note>
    )}
    {isFileFixed && (
      <Note view={view}>
        <p>
          <b>{view.t('The configuration file cannot be written here.')}</b>{' '}
          {view.t('Settings in this file cannot be changed here.')}
        </p>
      </Note>
    )}
    <p class="lead">
      {view.t(
        'Changes apply to all instances. If an environment variable sets a value, the name of the variable is shown.',
      )}
    </p>
  </>
)

/** The running instances, with what they differ in. */
async function Instances({ view, instances }: { view: View; instances: Services['instances'] }) {
  if (!view.can('metrics:read')) return null
  const running = await instances.list()
  if (running.length === 0) return null
  return (
    <section aria-labelledby="instances">
      <h2 id="instances">{view.t('Instances')}</h2>
      <ul class="rows">
        {running.map(({ instance_id, host, pid, version, started_at, clock_ms }) => (
          <li>
            <span>
              {instance_id === instances.id
                ? view.t('{host}, process {pid} (this one)', { host, pid })
                : view.t('{host}, process {pid}', { host, pid })}
            </span>
            <span class="quiet">
              {view.parts('Version {version}, started {time}', {
                version,
                time: <Moment view={view} at={started_at} />,
              })}
              {Math.abs(clock_ms) > maxAheadMs &&
                ` · ${view.t('Clock wrong by {seconds} s', { seconds: Math.round(clock_ms / 1000) })}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Saving such a setting takes it out of the file, which would win. */
const withFile = (field: Field, { t }: Wording): Field => ({
  ...field,
  hint: [field.hint, t('Set by the configuration file of this instance.')].filter(Boolean).join(' '),
})

/** Returns a setting that can be read but not changed. */
const fixed = (field: Field): Field =>
  field.kind === 'password' ? { ...field, kind: 'fixed', value: '********' } : { ...field, kind: 'fixed' }

/** The settings of the configuration, by its schema. */
export function settingPages(context: PanelContext) {
  const { configuration } = context.services
  const set = pages(context, 'settings')
  const settings = () => configuration.describe() as unknown as Setting[]
  const draw = async (view: View, draft?: Draft) => {
    const values = await configuration.read()
    const restart = await configuration.restartRequired()
    const mayChange = view.can('config:update')
    const setByFile = new Set(await configuration.setByFile())
    const isFileFixed = setByFile.size > 0 && !(await configuration.isFileWritable())
    const fields = settings().map(setting => {
      const field = shownField(setting, values[setting.name], view)
      return { setting, field: setByFile.has(setting.name) ? withFile(field, view) : field }
    })
    const groups = [...new Set(fields.map(({ setting }) => groupOf(setting)))].toSorted(
      (a, b) => order(a) - order(b),
    )
    const shown = (field: Field): Field =>
      mayChange && !(isFileFixed && setByFile.has(field.name)) ? field : fixed(field)
    return (
      <TitledPage
        view={view}
        title={view.t('Settings')}
        script="narrow.js"
        actions={
          mayChange && (
            <Submit form="form" kind="next">
              {view.t('Save')}
            </Submit>
          )
        }
      >
        <Lead view={view} restart={restart} isFileFixed={isFileFixed} />
        <Further view={view} />
        <div class="settings">
          <Index view={view} groups={groups} />
          <div>
            <Form view={view} action="/settings" id="form" draft="/settings">
              <Fields
                view={view}
                fields={[]}
                listed={fields.map(({ field }) => field)}
                record={values}
                draft={draft}
                seen={markOf(context, values)}
              />
              {groups.map((name, i) => (
                <section aria-labelledby={`group-${i}`}>
                  <h2 id={`group-${i}`}>{view.t(name)}</h2>
                  <div class="setting-list">
                    <Fields
                      view={view}
                      fields={fields
                        .filter(({ setting }) => groupOf(setting) === name)
                        .toSorted((a, b) => placeOf(a.setting) - placeOf(b.setting))
                        .map(({ field }) => shown(field))}
                      record={values}
                      listed={[]}
                      draft={draft && { ...draft, problem: undefined }}
                    />
                  </div>
                </section>
              ))}
            </Form>
            {await Instances({ view, instances: context.services.instances })}
          </div>
        </div>
      </TitledPage>
    )
  }
  set.get('/settings', 'config:read', view => draw(view))
  set.submit('/settings', 'config:update', z.record(z.string(), z.string()), c => ({
    names: settings().map(({ name }) => name),
    prepare: texts =>
      Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, [text].flat().at(-1) ?? ''])),
    async save({ body, seen }) {
      const changes = changesIn(settings(), await configuration.read(), body)
      await configuration.update(panelActor(c), ConfigUpdate.parse(changes), unlessChanged(context, seen))
      return saved('/settings')
    },
    redraw: draw,
  }))
  return set
}
