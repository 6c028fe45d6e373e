/** A field value that names a media item. */
export interface MediaReference {
  content_field_id: string
  content_data_id: string
  field_id: string
  locale: string
  root_id: string
}

/** In order of the values. */
export const asMediaReferences = (rows: readonly unknown[][]): MediaReference[] =>
  rows
    .map(row => ({
      content_field_id: row[0] as string,
      content_data_id: row[1] as string,
      field_id: row[2] as string,
      locale: row[3] as string,
      root_id: row[4] as string,
    }))
    .sort((a, b) => (a.content_field_id < b.content_field_id ? -1 : 1))
