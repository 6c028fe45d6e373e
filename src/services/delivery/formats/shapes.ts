import { z } from 'zod'
import { MediaRecord } from '../../media/record.js'

/** Members that callers may rely on in each format; `docs/formats.md` has whole examples. Fields stand beside them. */
export const NativeEntry = z.looseObject({
  id: z.string(),
  type: z.string().meta({ description: 'The name of the datatype.' }),
  slug: z.string().nullable(),
  title: z.string().nullable(),
  locale: z.string().nullable(),
  published_at: z.string().nullable(),
  fields: z.record(z.string(), z.json()),
  get children() {
    return z.array(NativeEntry).optional()
  },
})
z.globalRegistry.add(NativeEntry, { id: 'NativeEntry' })

const CleanEntry = z.looseObject({
  type: z.string().meta({ description: 'The name of the datatype.' }),
  get children() {
    return z.array(CleanEntry).optional()
  },
})
z.globalRegistry.add(CleanEntry, { id: 'CleanEntry' })
const CleanPage = z
  .looseObject({
    type: z.string().meta({ description: 'The name of the datatype.' }),
    title: z.string().optional().meta({ description: 'The value of the route. Missing in a global tree.' }),
    slug: z.string().optional().meta({ description: 'The value of the route. Missing in a global tree.' }),
    children: z.array(CleanEntry),
  })
  .meta({ id: 'CleanPage' })

const RawEntry = z.looseObject({
  content_data_id: z.string(),
  type: z.string().meta({ description: 'The name of the datatype.' }),
  fields: z.array(z.looseObject({ name: z.string(), field_type: z.string(), field_value: z.string() })),
  get children() {
    return z.array(RawEntry)
  },
})
z.globalRegistry.add(RawEntry, { id: 'RawEntry' })
export const RawPage = z
  .object({
    route: z.looseObject({ route_id: z.string(), slug: z.string(), title: z.string() }).nullable(),
    datatypes: z.array(z.looseObject({ datatype_id: z.string(), name: z.string() })),
    fields: z.array(z.looseObject({ field_id: z.string(), name: z.string() })),
    media: z.array(MediaRecord),
    root: RawEntry,
  })
  .meta({ id: 'RawPage' })

const ContentfulPage = z
  .looseObject({
    sys: z.object({ type: z.literal('Array') }),
    total: z.int(),
    skip: z.int(),
    limit: z.int(),
    items: z.array(z.looseObject({ sys: z.looseObject({ id: z.string() }) })),
  })
  .meta({ id: 'ContentfulPage' })
const SanityPage = z.looseObject({ _id: z.string(), _type: z.string() }).meta({ id: 'SanityPage' })
const StrapiPage = z.looseObject({ data: z.looseObject({ id: z.int() }) }).meta({
  id: 'StrapiPage',
  description: 'The format of Strapi 5; with `Strapi-Response-Format: v4`, that of Strapi 4.',
})
const WordpressPage = z
  .looseObject({ id: z.int(), slug: z.string(), title: z.looseObject({ rendered: z.string() }) })
  .meta({ id: 'WordpressPage' })

/** A page in the format that `format` names, or that the configuration does. */
export const Page = z.union([
  NativeEntry,
  CleanPage,
  RawPage,
  ContentfulPage,
  SanityPage,
  StrapiPage,
  WordpressPage,
])
