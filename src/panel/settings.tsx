import { z } from 'zod'
import { changesIn, fieldOf, type Setting, settingLabel } from '../resources/setting-fields.js'
import type { Services } from '../services/index.js'
import { ConfigUpdate } from '../services/operation/configuration.js'
import { maxAheadMs } from '../services/operation/instances.js'
import type { PanelContext } from './context.js'
import { type Field, Fields } from './controls.js'
import { TitledPage } from './layout.js'
import { type Draft, pages, saved } from './pages.js'
import { Form, Moment, Note, Submit } from './parts.js'
import { markOf, unlessChanged } from './record-mark.js'
import { panelActor, type View } from './view.js'

const groupNames: Readonly<Record<string, string>> = {
  bucket: 'Media storage',
  cookie: 'Cookies',
  cors: 'Browser apps',
  email: 'Mail',
  i18n: 'Languages',
  oauth: 'Sign-in by a provider',
  tls: 'HTTPS',
  version: 'Versions',
  webhook: 'Webhooks',
}
const groupOf = ({ name }: Setting) => groupNames[name.split('_')[0] ?? ''] ?? 'General'

/** Navigation to settings: links to the groups, and with the script a search. */
const Index = ({ groups }: { groups: readonly string[] }) => (
  <>
    <nav class="tabs" aria-label="Groups of settings">
      {groups.map((name, i) => (
        <a href={`#group-${i}`}>{name}</a>
      ))}
    </nav>
    <p class="find-field" hidden data-narrows="#form">
      <label for="narrow">Find a setting</label>
      <input class="input" type="search" id="narrow" autocomplete="off" />
      <span class="quiet" role="status" />
    </p>
  </>
)

/** A setting with its label in words and its name in the file. */
const shownField = (setting: Setting, value: unknown): Field => ({
  ...fieldOf(setting, value),
  label: settingLabel(setting.name),
  code: setting.name,
})

/** The note above the settings. */
const Lead = (props: { view: View; restart: readonly string[]; isFileFixed: boolean }) => (
  <>
    {props.restart.length > 0 && (
      <Note view={props.view}>
        <p>
          <b>A restart is due.</b> Changed, and in effect from the next start: {props.restart.join(', ')}.
        </p>
      </Note>
    )}
    {props.isFileFixed && (
      <Note view={props.view}>
        <p>
          <b>The configuration file cannot be written here.</b> It fixes the settings that it names.
        </p>
      </Note>
    )}
    <p class="lead">
      What is saved here acts on all instances. A value that an environment variable gives is shown by its
      name.
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
      <h2 id="instances">Instances</h2>
      <ul class="rows">
        {running.map(({ instance_id, host, pid, version, started_at, clock_ms }) => (
          <li>
            <span>
              {host}, process {pid}
              {instance_id === instances.id && ' (this one)'}
            </span>
            <span class="quiet">
              version {version}, started <Moment view={view} at={started_at} />
              {Math.abs(clock_ms) > maxAheadMs && `, clock wrong by ${Math.round(clock_ms / 1000)} s`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Saving such a setting takes it out of the file, which would win. */
const withFile = (field: Field): Field => ({
  ...field,
  hint: [field.hint, 'Set by the configuration file of this instance.'].filter(Boolean).join(' '),
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
      const field = shownField(setting, values[setting.name])
      return { setting, field: setByFile.has(setting.name) ? withFile(field) : field }
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
        title="Settings"
        column
        actions={
          mayChange && (
            <Submit form="form" kind="next">
              Save
            </Submit>
          )
        }
      >
        <Lead view={view} restart={restart} isFileFixed={isFileFixed} />
        <Index groups={groups} />
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
              <h2 id={`group-${i}`}>{name}</h2>
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
