import type { Services } from '../../services/index.js'
import { english } from '../../texts/language.js'
import type { PlainText } from '../../texts/text.js'
import type { Wording } from '../../texts/wording.js'
import type { ServicesOfSpace } from '../admin-space.js'
import { authorsOf, doneWords, type Subject, subjectsOf } from './audit-subjects.js'
import { type ChangedValue, valuesOfChange, type ZonedViewer } from './audit-values.js'

export type Event = Awaited<ReturnType<Services['audit']['get']>>

/** Words for the surfaces that changes are made with. */
const surfaces: Readonly<Record<Event['surface'], PlainText>> = {
  panel: 'in the panel',
  api: 'by the API',
  ssh: 'in the terminal',
  cli: 'by a command',
  system: 'automatically',
}

/** A change as one row of the log. */
export interface ChangeRow {
  readonly event: Event
  readonly subject: Subject
  readonly done: string
  readonly title: string
  readonly who: string
  readonly how: string
}

/** Returns the rows of the audit log, one for each event. */
export async function changeRows(
  events: readonly Event[],
  services: ServicesOfSpace,
  wording: Wording = english,
): Promise<ChangeRow[]> {
  const subjects = await subjectsOf(events, services, wording)
  const whoOf = await authorsOf(events, services, wording)
  return events.map((event, i) => {
    const subject = subjects[i] as Subject
    const done = doneWords(event, subject, wording)
    const hasName = subject.words.toLowerCase() !== subject.kind.toLowerCase()
    const title = hasName ? wording.t('{done}: {name}', { done, name: subject.words }) : done
    const surface = surfaces[event.surface]
    const how = surface ? wording.t(surface) : event.surface
    return { event, subject, done, title, who: whoOf(event), how }
  })
}

/** One change in full. */
export interface ToldChange extends ChangeRow {
  readonly values: readonly ChangedValue[]
  readonly stored: { readonly before: string; readonly after: string }
  readonly facts: readonly (readonly [name: PlainText, text: string])[]
}

export const noValues = 'Only internal data changed.' satisfies PlainText

const maxStored = 200_000

function storedText(values: unknown, { t, language }: Wording): string {
  if (values === null) return '–'
  const text = JSON.stringify(values, null, 2)
  if (text.length <= maxStored) return text
  const length = text.length.toLocaleString(language)
  return `${text.slice(0, maxStored)}\n… ${t('{length} characters in all', { length })}`
}

/** Returns a change in full: its values in the words of the forms and as they are stored, and where it came from. */
export async function toldChange(
  event: Event,
  viewer: ZonedViewer,
  services: ServicesOfSpace,
): Promise<ToldChange> {
  const [row] = await changeRows([event], services, viewer)
  return {
    ...(row as ChangeRow),
    values: await valuesOfChange(event, viewer, services),
    stored: { before: storedText(event.old_values, viewer), after: storedText(event.new_values, viewer) },
    facts: [
      ['Database table', event.table_name],
      ['Record', event.record_id],
      ['Request', event.request_id],
      ['Address', event.ip_address],
      ['Browser', event.user_agent],
    ],
  }
}
