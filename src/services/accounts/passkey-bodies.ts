import { z } from 'zod'
import { anyJson } from '../body-parts.js'
import { label } from '../text.js'

const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]+$/, 'must be base64url without padding')

/** The members of every `PublicKeyCredential.toJSON()`; extensions are not asked for, and ignored. */
const anyCredential = z.object({
  id: base64url(1364).meta({ examples: ['Y3JlZGVudGlhbA'] }),
  rawId: base64url(1364).meta({ examples: ['Y3JlZGVudGlhbA'] }),
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().max(32).nullish(),
  clientExtensionResults: z.record(z.string().max(64), anyJson).optional(),
})
const clientDataJSON = base64url(8192).meta({ examples: ['eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0'] })

const name = z
  .string()
  .overwrite(text => text.trim())
  .pipe(label(80))
  .meta({ description: 'For the owner, who may have several.', examples: ['Laptop'] })

export const PasskeyBegin = z.object({
  current_password: z
    .string()
    .max(1024)
    .optional()
    .meta({
      description:
        'Required unless the account has no password. Then the session must be at most 10 minutes old.',
      examples: ['correct horse battery'],
    }),
  code: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'Of an account with a second factor.', examples: ['287082'] }),
})

export const PasskeyAdd = z.object({
  name,
  credential: anyCredential
    .extend({
      response: z.object({
        clientDataJSON,
        attestationObject: base64url(65_536).meta({ examples: ['o2NmbXRkbm9uZQ'] }),
        authenticatorData: base64url(65_536).optional(),
        transports: z.array(z.string().max(32)).max(16).optional(),
        publicKey: base64url(8192).nullish(),
        publicKeyAlgorithm: z.int().optional(),
      }),
    })
    .meta({ description: 'What `navigator.credentials.create` returns, by `toJSON()`.' }),
})

export const PasskeyRename = z.object({ name })

export const PasskeyLogin = z.object({
  credential: anyCredential
    .extend({
      response: z.object({
        clientDataJSON,
        authenticatorData: base64url(8192).meta({ examples: ['SZYN5YgOjGh0NBcP'] }),
        signature: base64url(4096).meta({ examples: ['MEUCIQ'] }),
        userHandle: base64url(128).nullish(),
      }),
    })
    .meta({ description: 'What `navigator.credentials.get` returns, by `toJSON()`.' }),
})

export const PasskeyRecord = z
  .object({
    passkey_id: z.string(),
    name: z.string(),
    host: z.string().meta({ description: 'The host that it signs in to.' }),
    last_used: z.iso.datetime().nullable(),
    date_created: z.iso.datetime(),
  })
  .meta({ id: 'Passkey' })
