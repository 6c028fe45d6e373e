import { changesIn, fieldOf, type Setting } from '../../resources/setting-fields.js'
import { ConfigUpdate } from '../../services/operation/configuration.js'
import { english } from '../../texts/language.js'
import { t } from '../../texts/terminal.js'
import { unlessChanged } from '../resource.js'
import { formView } from '../screen/form.js'
import type { FormField } from '../screen/form-state.js'
import type { AnyView } from '../screen/view.js'
import type { Session } from '../session.js'

const restartWords = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : [t('Restart required: {names}.', { names: names.join(', ') })]

const fileWords = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : [t('The configuration file sets {names}.', { names: names.join(', ') })]

/** The settings of the configuration, by its schema. */
export function configurationScreen(session: Session): AnyView {
  const { configuration } = session.services
  const settings = configuration.describe() as unknown as Setting[]
  return formView<Record<string, unknown>>(
    {
      readAccess: 'config:read',
      saveAccess: session.can('config:update') ? 'config:update' : undefined,
      async load() {
        const record: Record<string, unknown> = await configuration.read()
        const fields = settings.map(setting => fieldOf(setting, record[setting.name], english) as FormField)
        const lead = [
          ...restartWords(await configuration.restartRequired()),
          ...fileWords(await configuration.setByFile()),
        ]
        return { record, fields, lead, title: t('Settings') }
      },
      async save(texts, { record }) {
        const changes = changesIn(settings, record ?? {}, texts)
        await configuration.update(session.actor, ConfigUpdate.parse(changes), unlessChanged(record))
        const words = [t('Saved.'), ...restartWords(await configuration.restartRequired())].join(' ')
        return shell => shell.say(words)
      },
      keys: [],
    },
    t('Settings'),
  )
}
