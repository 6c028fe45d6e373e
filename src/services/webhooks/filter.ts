import { z } from 'zod'
import { languageTag } from '../../language-tags.js'
import { limits } from '../../limits.js'
import { datatypeName } from '../body-parts.js'
import { slug } from '../text.js'

const some = <T extends z.ZodType>(one: T) =>
  z.array(one).min(1).max(limits.webhooks.namesInFilter).optional()

/** Which of the subscribed events a webhook gets. `{}` lets all pass and is stored as null. */
export const eventFilter = z
  .strictObject({
    datatypes: some(datatypeName).meta({ description: 'Names of datatypes.' }),
    slugs: some(slug).meta({
      description: 'Slugs of pages, with all pages below them.',
      examples: [['/blog']],
    }),
    locales: some(z.string().max(35).regex(languageTag, 'must be a language tag such as de or de-AT')).meta({
      description: 'Codes of locales.',
    }),
  })
  .nullable()
  .transform(filter => (filter && Object.keys(filter).length > 0 ? filter : null))
