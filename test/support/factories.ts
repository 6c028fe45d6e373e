import { expect } from 'vitest'
import type { TestApp } from './app.js'

/** Creates rows as an administrator would, by the API; each returns the row of the response. */
export function factories({ call }: Pick<TestApp, 'call'>) {
  const made = async (path: string, body: object) => {
    const answer = await call('POST', `/api/v1${path}`, { body })
    expect([path, answer.status, answer.text]).toEqual([path, 201, answer.text])
    return answer.body
  }
  return {
    datatype: (label: string, more: object = {}) => made('/datatypes', { label, type: 'content', ...more }),
    field: (parent_id: string, label: string, field_type: string, more: object = {}) =>
      made('/fields', { parent_id, label, field_type, ...more }),
    route: (slug: string, title = slug) => made('/routes', { slug, title }),
    entry: (datatype_id: string, place: object, more: object = {}) =>
      made('/content', { datatype_id, ...place, ...more }),
  }
}
