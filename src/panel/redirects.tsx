import { redirectResource } from '../resources/redirects.js'
import type { PanelContext } from './context.js'
import { resourcePages } from './resource.js'

/** Addresses that lead to where their page is now. */
export const redirectPages = (context: PanelContext) =>
  resourcePages(context, { ...redirectResource(context), path: '/redirects' })
