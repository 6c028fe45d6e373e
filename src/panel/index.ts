import type { Hono } from 'hono'
import { htmlPolicy, storageOrigins } from '../middleware/content-security-policy.js'
import type { Env } from '../middleware/context.js'
import { htmlHeaders } from '../middleware/headers.js'
import { localeResource } from '../resources/locales.js'
import { redirectResource } from '../resources/redirects.js'
import type { Resource } from '../resources/resource.js'
import type { Endpoints } from '../routes/endpoints.js'
import { surface } from '../routes/surface.js'
import { partPages } from './all-parts.js'
import { auditPages } from './audit.js'
import { backupPages } from './backups.js'
import { calendarPages } from './calendar.js'
import { connectPages } from './connect.js'
import { contentPages } from './content.js'
import { adminPanel, type PanelContext, type PanelParts, panelPath, publicPanel } from './context.js'
import { datatypePages } from './datatypes.js'
import { panelErrors } from './errors.js'
import { fieldPages } from './fields.js'
import { filePages } from './files.js'
import { findPages } from './find.js'
import { importPages } from './imports.js'
import { mediaPages } from './media.js'
import { overviewPages } from './overview.js'
import { pagePreviews, previewOrigins } from './page-preview.js'
import { passkeyPages } from './passkeys.js'
import { pickerAnswers } from './pickers.js'
import { presencePages } from './presence.js'
import { profilePages } from './profile.js'
import { providerPages } from './providers.js'
import { resourcePages } from './resource.js'
import { rolePages } from './roles.js'
import { routePages } from './routes.js'
import { savedViewPages } from './saved-views.js'
import { secondFactorPages } from './second-factor.js'
import { settingPages } from './settings.js'
import { signInPages } from './sign-in.js'
import { tokenPages } from './tokens.js'
import { trashPages } from './trash.js'
import { userPages } from './users.js'
import { webhookPages } from './webhooks.js'

const pagesOf =
  <R extends object>(path: `/${string}`, describe: (context: PanelContext) => Resource<R>) =>
  (context: PanelContext) =>
    resourcePages(context, { ...describe(context), path })

/** The policies of Trusted Types that the panel's script creates. */
const trustedTypes = ['htmx', 'slugline-editor', 'ProseMirrorClipboard']

const spaceSubjects = [
  findPages,
  contentPages,
  pagePreviews,
  presencePages,
  pickerAnswers,
  mediaPages,
  trashPages,
  routePages,
  datatypePages,
  fieldPages,
]

const subjects = [
  signInPages,
  overviewPages,
  calendarPages,
  ...spaceSubjects,
  pagesOf('/redirects', redirectResource),
  pagesOf('/locales', localeResource),
  userPages,
  rolePages,
  tokenPages,
  connectPages,
  webhookPages,
  auditPages,
  backupPages,
  importPages,
  settingPages,
  profilePages,
  secondFactorPages,
  passkeyPages,
  providerPages,
  savedViewPages,
  partPages,
]

export function panelRouters(parts: PanelParts): Endpoints[] {
  const context = publicPanel(parts)
  const ofAdminSpace = adminPanel(parts)
  return [
    filePages(context),
    ...subjects.map(subject => subject(context).api),
    ...spaceSubjects.map(subject => subject(ofAdminSpace).api),
  ]
}

/** The admin panel: pages for people, drawn by the server. */
export function panelSurface(parts: PanelParts): Hono<Env> {
  const { services, random, secure, config } = parts
  return surface({
    prefix: panelPath,
    routers: panelRouters(parts),
    errors: panelErrors(publicPanel(parts)),
    headers: htmlHeaders(secure, random, (nonce, { isFramed }) => {
      const media = storageOrigins([services.media, services.adminMedia])
      // The framed page may run our script for clicks and nothing else.
      if (isFramed) return htmlPolicy(nonce, { media, isFramed })
      return htmlPolicy(nonce, { media, trustedTypes, frames: previewOrigins(config()) })
    }),
  })
}
