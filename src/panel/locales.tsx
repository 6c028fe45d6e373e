import { localeResource } from '../resources/locales.js'
import type { PanelContext } from './context.js'
import { resourcePages } from './resource.js'

/** Languages of content. */
export const localePages = (context: PanelContext) =>
  resourcePages(context, { ...localeResource(context), path: '/locales' })
