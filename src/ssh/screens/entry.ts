import { notFound } from '../../errors.js'
import { all, type Entry, type ModelField, modelOf, nameOf, valuesOf } from '../../resources/entries.js'
import { changedValues } from '../../resources/entry-fields.js'
import { entryMark, unlessEdited } from '../../resources/entry-mark.js'
import { ContentUpdate } from '../../services/content/content-input.js'
import { t } from '../../texts/terminal.js'
import { type FormKey, formView } from '../screen/form.js'
import { isChanged } from '../screen/form-state.js'
import { pickView } from '../screen/over.js'
import type { AnyView, Shell } from '../screen/view.js'
import type { Session } from '../session.js'
import { storedTimes } from '../times.js'
import { controlsOf } from './entry-controls.js'
import { publish } from './publish.js'
import { scheduleScreen } from './schedule.js'
import { talkScreen } from './talk.js'
import { changesScreen, versionsScreen } from './versions.js'

type Value = Awaited<ReturnType<typeof valuesOf>>[number]

interface Opened {
  readonly entry: Entry
  readonly fields: readonly ModelField[]
  readonly stored: readonly Value[]
}

const storedIn = (stored: readonly Value[], { field_id }: ModelField, locale: string): string =>
  stored.find(row => row.field_id === field_id && row.locale === locale)?.field_value ?? ''

/** The values of an entry in one locale, or those without a locale. */
export function entryScreen(session: Session, id: string, locale = ''): AnyView {
  const { content } = session.services.space
  return formView<Opened>(
    {
      readAccess: 'content:update',
      saveAccess: session.can('content:update') ? 'content:update' : undefined,
      async load() {
        // The entry is read first: its mark then detects a save while the rest is read.
        const entry = await content.get(id)
        const model = await modelOf(session)
        const own = model.fieldsOf.get(entry.datatype_id) ?? []
        const fields = locale === '' ? own : own.filter(({ translatable }) => translatable)
        const stored = await valuesOf(id, session)
        const title = await nameOf(entry, session)
        const type = model.datatypes.get(entry.datatype_id)?.label ?? ''
        const isLive = entry.status === 'published' && session.site.config().publish_mode === 'live'
        const state = isLive ? t('published: what you save is public at once') : entry.status
        return {
          record: { entry, fields, stored },
          title: locale === '' ? title : `${title} (${locale})`,
          lead: [[type, state].join(' · ')],
          fields: await controlsOf(
            fields.map(field => ({ field, stored: storedIn(stored, field, locale) })),
            model,
            session,
          ),
        }
      },
      async save(typed, { record, fields: controls }) {
        if (!record) throw notFound()
        const texts = storedTimes(controls, typed, session)
        const { entry, fields, stored } = record
        const changes = changedValues(fields, field => storedIn(stored, field, locale), texts)
        if (Object.keys(changes).length > 0) {
          const patch = ContentUpdate.parse({ fields: changes, ...(locale ? { locale } : {}) })
          await content.update(session.actor, id, patch, unlessEdited(entryMark(entry)))
        }
        return shell => shell.say(t('Saved.'))
      },
      keys: keysOf(session, id),
    },
    t('Entry'),
  )
}

function keysOf(session: Session, id: string): FormKey<Opened>[] {
  const titleOf = ({ title }: { title: string }) => title
  const own: FormKey<Opened>[] = [
    {
      key: 'p',
      does: t('publish'),
      access: 'content:publish',
      run(shell, state, again) {
        const isUnsaved = state.fields.some(({ name }) => isChanged(state, name))
        if (isUnsaved) shell.complain(t('Save first: only saved values are published.'))
        else
          publish(session, shell, { id, title: state.title }, undo => {
            shell.say(`${t('“{title}” is public.', { title: state.title })}${undo}`)
            again()
          })
      },
    },
    {
      key: 'P',
      does: t('schedule'),
      access: 'content:publish',
      run: (shell, state) => shell.open(scheduleScreen(session, id, titleOf(state))),
    },
    {
      key: 'v',
      does: t('versions'),
      access: 'content:update',
      run: (shell, state) => shell.open(versionsScreen(session, id, titleOf(state))),
    },
    {
      key: 'c',
      does: t('changes'),
      access: 'content:update',
      run: shell => changesScreen(session, shell, id),
    },
  ]
  // The admin space has no comments.
  if (session.services.space === session.site.services.space)
    own.push({
      key: 'm',
      does: t('comments'),
      access: 'content:update',
      run: (shell, state) => talkScreen(session, shell, id, titleOf(state)),
    })
  if (session.site.config().i18n_enabled)
    own.push({
      key: 'l',
      does: t('language'),
      access: 'content:read',
      run: shell => pickLocale(session, shell, id),
    })
  return own.filter(({ access }) => session.can(access))
}

function pickLocale<S>(session: Session, shell: Shell<S>, id: string): void {
  shell.work('content:read', async () => {
    const found = await all(session.services.locales.list({ is_enabled: true }, { limit: 200 }))
    shell.open(
      pickView({
        title: t('Language'),
        choices: [
          { value: '', word: t('All languages') },
          ...found.map(({ code, label }) => ({ value: code, word: label, hint: code })),
        ],
        picked: ([code = ''], _choices, inner) => inner.open(entryScreen(session, id, code)),
      }),
    )
  })
}
