import { z } from 'zod'
import { duration, isDuration } from './durations.js'
import { isFileAddress, mediaFolder } from './media-folder.js'

/** Schemas for the fields of the configuration. */

/** A line break would begin a header of its own in a mail or an answer. */
const isOneLine = (value: string) => !/\p{Cc}/u.test(value)
const oneLine = 'must have no control characters'

export const text = (longest = 4096) => z.string().max(longest).refine(isOneLine, oneLine)
export const optional = () => text().optional()
/** Text of several lines. */
export const optionalLines = () =>
  z
    .string()
    .max(65_536)
    .refine(value => !/[^\P{Cc}\t\r\n]/u.test(value), 'must have no control characters except line breaks')
    .optional()
/** A port, as text with or without the address to listen on, or as a number. */
export const anyAddress = () =>
  z
    .preprocess(
      given => (typeof given === 'number' ? `:${given}` : given),
      z
        .string('must look like ":8080", "127.0.0.1:8080" or 8080')
        .regex(
          /^[^\s:]*:\d{1,5}$|^\[[0-9a-f:]+\]:\d{1,5}$|^\d{1,5}$/i,
          'must look like ":8080", "127.0.0.1:8080" or 8080',
        )
        .refine(isOneLine, oneLine)
        .refine(
          value => Number(/(?<!\d)\d+$/.exec(value)?.[0]) <= 65_535,
          'must contain a valid port up to 65535',
        ),
    )
    .meta({ type: ['string', 'integer'] })
export const address = (fallback: string) =>
  anyAddress()
    .default(fallback)
    .meta({ type: ['string', 'integer'] })
/** @param shortest and longest with which everything that reads the field still works */
export const durationText = (shortest: string, longest: string) =>
  z
    .string()
    .max(64)
    .refine(isDuration, 'must be a duration such as "24h" or "90s"')
    .refine(value => {
      if (!isDuration(value)) return true
      const milliseconds = duration(value)
      return milliseconds >= duration(shortest) && milliseconds <= duration(longest)
    }, `must be from ${shortest} to ${longest}`)
/** Names of headers or methods as HTTP has them; with others the answer that lists them could not be sent. */
export const tokens = () =>
  z
    .array(z.string().regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/, 'must be a name that HTTP allows'))
    .max(1000)
export const texts = () => z.array(text()).max(1000)
// The parser of addresses drops line breaks, and what is kept is the text as it was given.
const url = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(4096)
    .refine(isOneLine, oneLine)
export const optionalUrl = () => z.union([z.literal(''), url()]).optional()
/** An origin as browsers write it, those of apps such as `capacitor://localhost` among them; `null` is nobody's. */
export function isOrigin(value: string): boolean {
  if (value === '*') return true
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\*\u0080-\uffff]+$/.test(value)) return false
  return !/^https?:/.test(value) || (URL.canParse(value) && new URL(value).origin === value)
}
/** The address of a store, or of a folder of this machine. */
export const storeAddress = () =>
  text()
    .refine(
      value => !isFileAddress(value) || mediaFolder(value) !== undefined,
      'must name a folder of this machine, such as file:./media',
    )
    .optional()
/** The id of the provider that the fields `oauth_*` configure. */
export const defaultProviderId = 'default'
const oauthProvider = () =>
  z
    .strictObject({
      id: z
        .string()
        .regex(/^[a-z0-9-]{1,32}$/, 'must be 1 to 32 characters of a-z, 0-9 and -')
        .refine(id => id !== defaultProviderId, 'must not be default, the id of the provider of oauth_*'),
      name: text(255).min(1),
      oauth_client_id: text().min(1),
      oauth_client_secret: optional(),
      oauth_scopes: texts().default(['openid', 'email', 'profile']),
      oauth_redirect_url: url(),
      oauth_success_redirect: optional(),
      oauth_endpoint: z.strictObject({
        oauth_auth_url: url(),
        oauth_token_url: url(),
        oauth_userinfo_url: url(),
      }),
    })
    // Each has its own callback address, so that no response of one is taken for that of another.
    .refine(({ id, oauth_redirect_url: at }) => new URL(at).pathname.endsWith(`/auth/oauth/callback/${id}`), {
      path: ['oauth_redirect_url'],
      error: 'must end with /auth/oauth/callback/ and the id',
    })
/** Further OAuth providers. */
export const oauthProviders = () =>
  z
    .array(oauthProvider())
    .max(20)
    .refine(given => new Set(given.map(({ id }) => id)).size === given.length, 'must not repeat an id')
    .optional()
export const count = (low: number, high: number) => z.int().min(low).max(high)

const fieldName = () => z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,254}$/, 'must be the name of a field')
/** The name of a type in another system. */
export const foreignName = () =>
  z
    .string()
    .regex(
      /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$/,
      'must be a name such as blog-post, of letters, 0-9, ., - and _',
    )
const pathName = () =>
  z.string().regex(/^[a-z0-9][a-z0-9_-]{0,99}$/, 'must be a word such as posts, of a-z, 0-9, - and _')
const componentName = () =>
  z.string().regex(/^[a-z0-9_-]{1,100}\.[a-z0-9_-]{1,100}$/, 'must be a component such as shared.rich-text')
const isZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
const zoneName = () => z.string().max(64).refine(isZone, 'must be a time zone such as Europe/Berlin')
/** The names of datatypes and their fields in other systems, by the name of the datatype. */
export const typeSettings = () =>
  z.record(
    z.string().max(255),
    z.strictObject({
      name: foreignName().optional(),
      wordpress: pathName().optional(),
      strapi: pathName().optional(),
      component: componentName().optional(),
      excerpt: fieldName().optional(),
      picture: fieldName().optional(),
      categories: fieldName().optional(),
      tags: fieldName().optional(),
      author: fieldName().optional(),
      children: fieldName().optional(),
      blocks: z.array(fieldName()).max(100).optional(),
      weak: z.array(fieldName()).max(100).optional(),
      zone: zoneName().optional(),
    }),
  )
