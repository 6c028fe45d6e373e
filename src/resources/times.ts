import type { Texts } from './form-field.js'

/** Returns a stored time as a browser's field needs it, in UTC. */
export const fieldTime = (time: string | null): string => time?.slice(0, 16) ?? ''

/** Marks the times of a form as UTC: forms send them without a zone. */
export const withZone =
  (...names: string[]) =>
  (texts: Texts): Texts => {
    const given = names.flatMap(name => {
      const text = texts[name]
      const isBare = typeof text === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)
      return isBare ? [[name, `${text.length === 16 ? `${text}:00` : text}Z`]] : []
    })
    return { ...texts, ...Object.fromEntries(given) }
  }

/** Leaves out empty texts that mean no change. */
export const withoutEmpty =
  (...names: string[]) =>
  (texts: Texts): Texts =>
    Object.fromEntries(Object.entries(texts).filter(([name, text]) => !(names.includes(name) && text === '')))
