import { userResource } from '../resources/users.js'
import type { PanelContext } from './context.js'
import { resourcePages } from './resource.js'

/** People with an account. */
export const userPages = (context: PanelContext) =>
  resourcePages(context, { ...userResource(context), path: '/users', title: 'People', one: 'person' })
