/** JSON that is put together from parts, so that each value is written once. */

/** The members of an object, each as JSON. What they are called has nothing in it that JSON would escape. */
export type Members = Readonly<Record<string, string>>

/** Each member as JSON. */
export function membersOf(object: Readonly<Record<string, unknown>>): Record<string, string> {
  const members: Record<string, string> = {}
  for (const name of Object.keys(object)) members[name] = JSON.stringify(object[name])
  return members
}

export function objectOf(members: Members): string {
  let text = ''
  for (const name of Object.keys(members)) text += `${text === '' ? '' : ','}"${name}":${members[name]}`
  return `{${text}}`
}

/** A text as JSON has it between quotes. */
export const unquoted = (text: string): string => JSON.stringify(text).slice(1, -1)
