import { z } from 'zod'
import { changesIn, fieldOf, type Setting, settingLabel } from '../resources/setting-fields.js'
import type { Services } from '../services/index.js'
import { ConfigUpdate } from '../services/operation/configuration.js'
import { maxAheadMs } from '../services/operation/instances.js'
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

const groupNames: Readonly<Record<string, PlainText>> = {
  bucket: 'Media storage',
  cookie: 'Cookies',
  cors: 'Browser apps',
  email: 'Mail',
  i18n: 'Languages',
  oauth: 'Sign-in with a provider',
  tls: 'HTTPS',
  version: 'Versions',
  webhook: 'Webhooks',
}
const groupOf = ({ name }: Setting): PlainText => groupNames[name.split('_')[0] ?? ''] ?? 'General'

/** Navigation to settings: links to the groups, and with the script a search. */
const Index = ({ view, groups }: { view: View; groups: readonly PlainText[] }) => (
  <>
    <nav class="tabs" aria-label={view.t('Groups of settings')}>
      {groups.map((name, i) => (
        <a href={`#group-${i}`}>{view.t(name)}</a>
      ))}
    </nav>
    <p class="find-field" hidden data-narrows="#form">
      <label for="narrow">{view.t('Search settings')}</label>
      <input class="input" type="search" id="narrow" autocomplete="off" />
      <span class="quiet" role="status" />
    </p>
  </>
)

/** A setting with its label in words and its name in the file. */
const shownField = (setting: Setting, value: unknown, wording: Wording): Field => ({
  ...fieldOf(setting, value, wording),
  label: settingLabel(setting.name),
  code: setting.name,
})

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
          {view.t('Saved. In effect after a restart: {settings}.', {
            settings: restart.join(', '),
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
    const groups = [...new Set(fields.map(({ setting }) => groupOf(setting)))]
    const shown = (field: Field): Field =>
      mayChange && !(isFileFixed && setByFile.has(field.name))
        ? field
        : field.kind === 'password'
          ? { ...field, kind: 'fixed', value: '********' }
          : { ...field, kind: 'fixed' }
    return (
      <TitledPage
        view={view}
        title={view.t('Settings')}
        column
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
        <Index view={view} groups={groups} />
        <Form view={view} action="/settings" id="form">
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
              <Fields
                view={view}
                fields={fields
                  .filter(({ setting }) => groupOf(setting) === name)
                  .map(({ field }) => shown(field))}
                record={values}
                listed={[]}
                draft={draft && { ...draft, problem: undefined }}
              />
            </section>
          ))}
        </Form>
        {await Instances({ view, instances: context.services.instances })}
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
