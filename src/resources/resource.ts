import type { z } from 'zod'
import type { Actor } from '../actor.js'
import type { Access } from '../services/accounts/access.js'
import type { PlainText } from '../texts/text.js'
import type { Wording } from '../texts/wording.js'
import type { ServicesOfSpace } from './admin-space.js'
import type { Field, Texts } from './form-field.js'

/** Everything that a surface gives a description: `space` and `media` are those of its content space. */
export interface ResourceParts {
  readonly services: ServicesOfSpace
}

/** The user who looks at a resource, the time, and the texts of the user's language. */
export interface Viewer extends Wording {
  readonly actor: Actor
  can(access: Access): boolean
  readonly now: number
  readonly under?: string
  readonly typed?: Texts
}

export type StateKind = 'live' | 'draft' | 'due' | 'changed' | 'bad' | 'off'

/**
 * The content of a cell: a stored text, a text of ours, something for programs, a stored time or a state. Each surface
 * shows it its way.
 * @typeParam Words the texts of the surface: those of the catalogue, or any text in a surface that is only in English
 */
export type Cell<Words extends string = PlainText> =
  | string
  | number
  | { readonly text: Words }
  | { readonly code: string }
  | { readonly at: string | null }
  | { readonly state: StateKind; readonly word: Words }

export interface Column<R, Words extends string = PlainText> {
  readonly label: Words
  /** The first column names the record. @param now in milliseconds */
  of(record: R, now: number, wording: Wording): Cell<Words>
  /** When the column is left out: `some` on a phone, `much` also in a terminal of 80 columns. */
  readonly room?: 'some' | 'much'
}

/** Called with the record before a change. @throws the reason to refuse the change */
export type Check = (before: unknown) => void

interface Slice {
  limit: number
  after?: string
  /** Whether the newest record is the first. */
  newestFirst?: boolean
}

interface Service<R> {
  list(where: never, slice: Slice): AsyncGenerator<R[]>
  count(where: never): Promise<number>
  get(id: string): Promise<R>
  create?(actor: Actor, values: never): Promise<R>
  update?(actor: Actor, id: string, patch: never, check?: Check): Promise<R>
  remove?(actor: Actor, id: string, check?: Check): Promise<void>
}

/**
 * A resource with a list and a form, for all surfaces: words, permissions, columns, fields, and its deletion.
 * @typeParam Words the texts of the surface: those of the catalogue, or any text in a surface that is only in English
 */
export interface Resource<R extends object, Words extends string = PlainText> {
  /** The title of the list, and the noun for one record. */
  readonly title: Words
  readonly one: Words
  /** The sentences with the noun: other languages do not put them together as English does. */
  readonly words: { readonly new?: Words; readonly add?: Words; readonly delete: Words }
  readonly about?: Words
  readonly access: { read: Access; create?: Access; update?: Access; remove?: Access }
  readonly service: Service<R>
  /** Reads the records that the user may see, if that is not all of them for everybody. */
  readonly reads?: (actor: Actor) => Promise<Pick<Service<R>, 'list' | 'count' | 'get'>>
  readonly key: keyof R & string
  nameOf(record: R): string
  readonly columns: readonly Column<R, Words>[]
  readonly empty: Words
  readonly create?: z.ZodType
  readonly update?: z.ZodType
  /** @param record undefined for a new one */
  fields(record: R | undefined, viewer: Viewer): readonly Field[] | Promise<readonly Field[]>
  /** Converts texts of the form for the schema. @param record undefined for a new one */
  prepare?(texts: Texts, record?: R): Texts
  /** Refuses texts by a rule that is in no schema: a form then shows every problem at once. */
  refuse?(texts: Texts): Promise<void>
  /** Members that change without an edit, such as the last use: they do not make a form outdated. */
  readonly passing?: readonly string[]
  /** Why a record cannot be changed; undefined when it can. */
  locked?(record: R): Words | undefined
  deletes?(record: R, viewer: Viewer): string | Promise<string>
  /** Whether `deletes` reads so many records that the surface asks for it apart. */
  readonly asksApart?: true
}

/** Returns the permissions of a resource that has its own name in them. */
export const accessTo = (name: string) =>
  ({
    read: `${name}:read`,
    create: `${name}:create`,
    update: `${name}:update`,
    remove: `${name}:delete`,
  }) as const satisfies Resource<object>['access']

/** Returns the part of a record that must still be as the form showed it when the form is saved. */
export const editedPart = ({ passing = [] }: { passing?: readonly string[] }, record: unknown): object =>
  Object.fromEntries(Object.entries(Object(record)).filter(([name]) => !passing.includes(name)))

/** Infers the type of the records. */
export const resource = <R extends object>(description: Resource<R>): Resource<R> => description
