import { z } from 'zod'
import { limits } from '../../limits.js'
import { permissionLabel } from '../accounts/permissions.js'
import { RoleCreate } from '../accounts/roles.js'
import { datatypeName, keyName } from '../body-parts.js'
import { DatatypeCreate } from '../content/datatypes.js'
import { FieldCreate } from '../content/fields.js'
import { LocaleCreate } from '../content/locales.js'
import { WebhookCreate } from '../webhooks/schemas.js'

const modelLimits = limits.model

const FieldOfFile = FieldCreate.omit({ parent_id: true, author_id: true }).extend({ name: keyName })
const DatatypeOfFile = DatatypeCreate.omit({ parent_id: true, author_id: true }).extend({
  name: datatypeName,
  parent: datatypeName.nullable().default(null).meta({ description: 'The name of the parent datatype.' }),
  fields: z.array(FieldOfFile).max(modelLimits.fields).default([]),
})
const RoleOfFile = RoleCreate.omit({ second_factor: true, limits: true }).extend({
  permissions: z
    .array(permissionLabel)
    .max(modelLimits.permissions)
    .meta({ examples: [['content:read']] }),
})
const WebhookOfFile = WebhookCreate.omit({ secret: true, headers: true })

/** The content model, roles and webhooks as a file: names in place of ids, parents before their children, no secret. */
export const ModelFile = z
  .object({
    locales: z.array(LocaleCreate).max(modelLimits.locales).default([]),
    datatypes: z
      .array(DatatypeOfFile)
      .max(modelLimits.datatypes)
      .default([])
      .refine(
        all => all.reduce((sum, { fields }) => sum + fields.length, 0) <= modelLimits.fields,
        `must have at most ${modelLimits.fields} fields together`,
      ),
    roles: z
      .array(RoleOfFile)
      .max(modelLimits.roles)
      .optional()
      .meta({ description: 'All roles except the administrator. Missing without `roles:read`.' }),
    webhooks: z
      .array(WebhookOfFile)
      .max(modelLimits.webhooks)
      .optional()
      .meta({ description: 'Without secrets and headers. Missing without `webhook:read`.' }),
  })
  .meta({ id: 'Model' })
export type Model = z.output<typeof ModelFile>
export type FieldOfModel = z.output<typeof FieldOfFile>

/** One change that makes the service what a file says. */
export const ModelStep = z
  .object({
    action: z.enum(['create', 'update']),
    what: z.enum(['locale', 'datatype', 'field', 'role', 'webhook']),
    name: z.string().meta({ examples: ['post.title'] }),
    changes: z.array(z.string()).meta({ description: 'The members that an update changes.' }),
    breaks: z.string().nullable().meta({ description: 'What the change breaks, or null.' }),
  })
  .meta({ id: 'ModelStep' })
export type ModelStep = Readonly<z.output<typeof ModelStep>>
export const ModelPlan = z.object({ steps: z.array(ModelStep) })
