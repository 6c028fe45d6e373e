import type { Values } from './draft-store.js'

type Pair = readonly [string, string]

function byName(pairs: readonly Pair[]): Values[] {
  const found = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const known = found.get(name)
    if (known) known.push(value)
    else found.set(name, [value])
  }
  return [...found]
}

const isOwn = (control: unknown) =>
  control instanceof HTMLInputElement && ['hidden', 'password'].includes(control.type)

/** The values typed into a form, without passwords. */
export const valuesIn = (form: HTMLFormElement): Values[] =>
  byName(
    [...new FormData(form)].flatMap(([name, value]): Pair[] =>
      typeof value === 'string' && !isOwn(form.elements.namedItem(name)) ? [[name, value]] : [],
    ),
  )

/** Returns the selected options as the server sent them; without any, a browser selects the first. */
function drawnOptions({ options, multiple }: HTMLSelectElement): string[] {
  const drawn = [...options].filter(option => option.defaultSelected)
  const shown = drawn.length === 0 && !multiple ? [...options].slice(0, 1) : drawn
  return shown.map(({ value }) => value)
}

function drawnValues(control: Element): string[] {
  if (control instanceof HTMLSelectElement) return drawnOptions(control)
  if (control instanceof HTMLTextAreaElement) return [control.defaultValue.replace(/\r\n?/g, '\n')]
  if (!(control instanceof HTMLInputElement)) return []
  const isBox = control.type === 'checkbox' || control.type === 'radio'
  if (isBox) return control.defaultChecked ? [control.value] : []
  return [control.defaultValue]
}

/** Returns the values that the server sent, even if the browser has restored others on Back. */
export const drawnIn = (form: HTMLFormElement): Values[] =>
  byName(
    [...form.elements].flatMap((control): Pair[] => {
      const name = control.getAttribute('name')
      if (!name || isOwn(form.elements.namedItem(name))) return []
      return drawnValues(control).map(value => [name, value] as const)
    }),
  )

/** The fields whose values have changed; a field that has no value now is empty. */
export function changedFrom(before: readonly Values[], now: readonly Values[]): Values[] {
  const [was, is] = [new Map(before), new Map(now)]
  return [...new Set([...is.keys(), ...was.keys()])].flatMap((name): Values[] => {
    const values = is.get(name) ?? []
    return JSON.stringify(values) === JSON.stringify(was.get(name) ?? []) ? [] : [[name, values]]
  })
}
