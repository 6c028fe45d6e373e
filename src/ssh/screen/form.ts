import { HttpError } from '../../errors.js'
import type { Choice, Texts } from '../../resources/form-field.js'
import { t } from '../../texts/terminal.js'
import { conflictView, contested } from './conflict.js'
import { editorView } from './editor.js'
import { drawForm } from './form-draw.js'
import { differencesOf, fresh, type Loaded } from './form-loaded.js'
import type { FormField, FormState } from './form-state.js'
import { errorsOf, textsOf, typedTexts } from './form-state.js'
import { enterKey, type Key } from './keys.js'
import { lineOf, lineText, typed } from './line.js'
import { pickView } from './over.js'
import type { AnyView, Hint, Shell, View } from './view.js'

/** A further action on a record. */
export interface FormKey<R> extends Hint {
  readonly access: string
  readonly isThere?: (record: R | undefined) => boolean
  /** @param again reads the record again, after a change that is in no field */
  run(shell: Shell<FormState<R>>, state: FormState<R>, again: () => void): void
}

export interface FormSpec<R> {
  readonly readAccess: string
  readonly saveAccess: string | undefined
  load(): Promise<Loaded<R>>
  /**
   * @param texts the typed values only, because others may edit the other fields; all of a new record
   * @throws HttpError `changed` if the record differs from the one that was read
   */
  save(texts: Texts, state: FormState<R>): Promise<(shell: Shell<FormState<R>>) => void>
  readonly keys: readonly FormKey<R>[]
  readonly derived?: Derived
}

/** A field of a new record that is made of others until somebody writes it. */
export interface Derived {
  readonly field: string
  readonly of: readonly string[]
  make(texts: Texts): Promise<string>
}

const textKinds: ReadonlySet<string> = new Set([
  'text',
  'email',
  'url',
  'password',
  'number',
  'datetime',
  'date',
])
const longKinds: ReadonlySet<string> = new Set(['lines', 'html', 'json'])

const kindOf = ({ kind = 'text' }: FormField): string => kind

const seenFields = <R>({ fields }: FormState<R>): readonly FormField[] =>
  fields.filter(({ kind }) => kind !== 'hidden')

const atField = <R>(state: FormState<R>): FormField | undefined => seenFields(state)[state.at]

const withText = <R>(state: FormState<R>, name: string, text: string | readonly string[]): FormState<R> => ({
  ...state,
  texts: { ...state.texts, [name]: text },
  errors: new Map([...state.errors].filter(([member]) => member !== name)),
})

const isTyped = <R>(state: FormState<R>): boolean => Object.keys(typedTexts(state)).length > 0

/**
 * Reads the record when the form is shown and after a save. A form with typed values keeps its record, so that its save
 * detects changes by others.
 */
function load<R>(spec: FormSpec<R>, shell: Shell<FormState<R>>): void {
  shell.work(spec.readAccess, async () => {
    const loaded = await spec.load()
    return state => (isTyped(state) ? state : fresh(state, loaded))
  })
}

function resolve<R>(spec: FormSpec<R>, shell: Shell<FormState<R>>, mine: FormState<R>): void {
  shell.work(spec.readAccess, async () => {
    const loaded = await spec.load()
    const theirs = textsOf(loaded.fields, loaded.record)
    const differences = differencesOf(mine, theirs)
    const choose = (chosen: ReadonlyMap<string, string | readonly string[]>) =>
      shell.set(state => {
        const next = fresh(state, loaded)
        return { ...next, texts: { ...next.texts, ...Object.fromEntries(chosen) } }
      })
    if (differences.length > 0) shell.open(conflictView(await contested(differences), choose))
    else {
      choose(new Map())
      shell.complain(t('Other changes were saved meanwhile. They are shown now: save again to keep yours.'))
    }
  })
}

function save<R>(spec: FormSpec<R>, state: FormState<R>, shell: Shell<FormState<R>>): FormState<R> {
  const { saveAccess } = spec
  if (saveAccess === undefined || state.locked !== undefined || !state.isLoaded) return state
  const isNew = state.record === undefined
  if (!isNew && !isTyped(state)) {
    load(spec, shell)
    shell.say(t('There is nothing to save.'))
    return state
  }
  shell.work(
    saveAccess,
    async () => {
      const made = isNew ? await derivedText(spec, state) : undefined
      const own = made === undefined ? {} : { [spec.derived?.field ?? '']: made }
      const after = await spec.save(isNew ? { ...state.texts, ...own } : typedTexts(state), state)
      after(shell)
      // The stored text may differ from the typed one.
      if (!isNew) load(spec, shell)
      return next => ({ ...next, errors: new Map(), base: state.texts })
    },
    error => {
      if (!(error instanceof HttpError) || error.status >= 500) return undefined
      if (error.code === 'changed') {
        resolve(spec, shell, state)
        return next => next
      }
      const { errors, others } = errorsOf(error, state)
      shell.complain(others.length > 0 ? others.join(' ') : refusedWords(state, errors))
      return next => ({ ...next, errors, at: firstOf(next, errors) })
    },
  )
  return state
}

/** Says which fields are refused; each problem is at its field. */
function refusedWords<R>(state: FormState<R>, errors: ReadonlyMap<string, string>): string {
  const refused = seenFields(state).filter(({ name }) => errors.has(name))
  const [first, ...others] = refused
  if (others.length > 0)
    return t('Not saved. {n} fields have a problem: {labels}.', {
      n: refused.length,
      labels: refused.map(({ label }) => label).join(', '),
    })
  return t('Not saved. {label}: {problem}', {
    label: first?.label ?? '',
    problem: errors.get(first?.name ?? '') ?? '',
  })
}

/** The text of a derived field, or undefined if somebody has written the field. */
async function derivedText<R>({ derived }: FormSpec<R>, state: FormState<R>): Promise<string | undefined> {
  if (!derived || state.record !== undefined) return undefined
  const now = state.texts[derived.field] ?? ''
  return now === '' || now === state.made ? derived.make(state.texts) : undefined
}

/** Makes the derived field again after one that it is made of has changed. */
function derive<R>(
  spec: FormSpec<R>,
  before: FormState<R>,
  state: FormState<R>,
  shell: Shell<FormState<R>>,
): FormState<R> {
  const { derived } = spec
  const isChangedHere = derived?.of.some(name => state.texts[name] !== before.texts[name])
  if (!derived || !isChangedHere || state.record !== undefined) return state
  shell.work(spec.readAccess, async () => {
    const text = await derivedText(spec, state)
    return next => {
      const now = next.texts[derived.field] ?? ''
      const isOwn = now === '' || now === next.made
      return text === undefined || !isOwn ? next : { ...withText(next, derived.field, text), made: text }
    }
  })
  return state
}

function firstOf<R>(state: FormState<R>, errors: ReadonlyMap<string, string>): number {
  const at = seenFields(state).findIndex(({ name }) => errors.has(name))
  return at < 0 ? state.at : at
}

function edit<R>(state: FormState<R>, field: FormField, shell: Shell<FormState<R>>): FormState<R> {
  const kind = kindOf(field)
  const { name } = field
  const text = state.texts[name] ?? ''
  if (kind === 'switch') return withText(state, name, text === 'true' ? 'false' : 'true')
  if (textKinds.has(kind)) return { ...state, line: lineOf(String(text)) }
  if (longKinds.has(kind))
    shell.open(editorView(field.label, String(text), kept => shell.set(next => withText(next, name, kept))))
  if (field.kind === 'choice' || field.kind === 'choices')
    shell.open(picker(field, [text].flat().filter(Boolean), shell))
  return state
}

function picker<R>(
  field: FormField & { kind: 'choice' | 'choices' },
  chosen: readonly string[],
  shell: Shell<FormState<R>>,
): AnyView {
  const many = field.kind === 'choices'
  const none: Choice[] = field.kind === 'choice' && field.none ? [{ value: '', word: field.none }] : []
  const { find } = field
  return pickView({
    title: field.label,
    many,
    chosen,
    choices: find
      ? (inner, text) =>
          inner.work(find.access, async () => {
            const choices = [...none, ...(await find.look(text))]
            return state => ({ ...state, choices })
          })
      : [...none, ...field.choices],
    picked: (values, choices) =>
      shell.set(state => {
        const words = new Map(state.words)
        for (const { value, word } of choices) words.set(value, word)
        return { ...withText(state, field.name, many ? values : (values[0] ?? '')), words }
      }),
  })
}

const steps: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  backtab: -1,
  down: 1,
  j: 1,
  tab: 1,
  pageup: -6,
  pagedown: 6,
  home: -1000,
  end: 1000,
  G: 1000,
}

const stepped = <R>(state: FormState<R>, step: number): FormState<R> => ({
  ...state,
  at: Math.max(0, Math.min(seenFields(state).length - 1, state.at + step)),
})

function typing<R>(
  spec: FormSpec<R>,
  state: FormState<R>,
  key: Key,
  shell: Shell<FormState<R>>,
): FormState<R> {
  const field = atField(state)
  if (!state.line || !field) return state
  const taken = () => ({
    ...withText(state, field.name, lineText(state.line ?? lineOf(''))),
    line: undefined,
  })
  if (key.type === 'key') {
    if (key.key === 'escape') return { ...state, line: undefined }
    if (key.key === 'enter') return taken()
    if (key.key === 'ctrl+s') return save(spec, taken(), shell)
    const step = { tab: 1, down: 1, up: -1, backtab: -1 }[key.key]
    if (step !== undefined) return stepped(taken(), step)
  }
  const line = typed(state.line, key)
  return line ? { ...state, line } : state
}

/** Marks the clicked field, and accepts text typed in another one; enters the field if it is marked already. */
function clicked<R>(
  spec: FormSpec<R>,
  state: FormState<R>,
  spot: string,
  shell: Shell<FormState<R>>,
): FormState<R> {
  const at = seenFields(state).findIndex(({ name }) => name === spot)
  if (at < 0) return state
  if (at === state.at) return state.line ? state : update(spec, state, enterKey, shell)
  return { ...(state.line ? typing(spec, state, enterKey, shell) : state), at }
}

function update<R>(
  spec: FormSpec<R>,
  state: FormState<R>,
  key: Key,
  shell: Shell<FormState<R>>,
): FormState<R> {
  if (key.type === 'click') return clicked(spec, state, key.spot, shell)
  if (state.line) return typing(spec, state, key, shell)
  const field = atField(state)
  if (key.type === 'key') {
    const step = steps[key.key]
    if (step !== undefined) return stepped(state, step)
  }
  const mayChange = spec.saveAccess !== undefined && state.locked === undefined && state.isLoaded
  const next = mayChange && field ? changed(spec, state, { key, field, shell }) : undefined
  if (next || key.type !== 'key' || !state.isLoaded) return next ?? state
  spec.keys
    .find(one => one.key === key.key && (one.isThere?.(state.record) ?? true))
    ?.run(shell, state, () => load(spec, shell))
  return state
}

/** @returns undefined if the key changes nothing */
function changed<R>(
  spec: FormSpec<R>,
  state: FormState<R>,
  { key, field, shell }: { key: Key; field: FormField; shell: Shell<FormState<R>> },
): FormState<R> | undefined {
  if (key.type === 'paste' && textKinds.has(kindOf(field)))
    return typing(spec, { ...state, line: lineOf(String(state.texts[field.name] ?? '')) }, key, shell)
  if (key.type !== 'key') return undefined
  switch (key.key) {
    case 'ctrl+s':
    case 's':
      return save(spec, state, shell)
    case 'enter':
    case 'i':
      return edit(state, field, shell)
    case ' ':
      return field.kind === 'switch' ? edit(state, field, shell) : undefined
    case 'u':
      return withText(state, field.name, state.base[field.name] ?? '')
    default:
      return undefined
  }
}

/** The form of one record, to read and to change. */
export function formView<R>(spec: FormSpec<R>, title: string): View<FormState<R>> {
  return {
    title: state => state.title,
    start: {
      fields: [],
      base: {},
      texts: {},
      errors: new Map(),
      words: new Map(),
      record: undefined,
      locked: undefined,
      lead: [],
      title,
      at: 0,
      line: undefined,
      isLoaded: false,
    },
    shown: shell => load(spec, shell),
    update: (state, key, shell) => derive(spec, state, update(spec, state, key, shell), shell),
    draw: (area, state) => drawForm(area, state),
    unsaved: state => state.line !== undefined || isTyped(state),
    hints: state => hintsOf(spec, state),
  }
}

function hintsOf<R>(spec: FormSpec<R>, state: FormState<R>): Hint[] {
  if (state.line)
    return [
      { key: 'Enter', does: t('accept') },
      { key: 'Tab', does: t('accept, next field') },
      { key: 'Esc', does: t('cancel') },
      { key: '^S', does: t('save') },
    ]
  const mayChange = spec.saveAccess !== undefined && state.locked === undefined
  return [
    ...(mayChange
      ? [
          { key: 'Enter', does: t('change') },
          { key: '^S', does: t('save') },
        ]
      : []),
    ...spec.keys.filter(({ isThere }) => isThere?.(state.record) ?? true),
    ...(mayChange ? [{ key: 'u', does: t('undo the field') }] : []),
  ]
}
