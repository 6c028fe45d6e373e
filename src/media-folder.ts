/** Returns the folder that a `bucket_endpoint` such as `file:./media` names; undefined if it names no folder. */
export const mediaFolder = (endpoint: string | undefined): string | undefined =>
  /^file:(?:\/\/(?=\/))?((?!\/\/).+)$/i.exec(endpoint ?? '')?.[1]

/** Returns true for the address of a folder, also for one that is wrong. */
export const isFileAddress = (endpoint: unknown): boolean =>
  typeof endpoint === 'string' && /^file:/i.test(endpoint)

/** Begins the addresses of the files that the service itself serves: `/api/media/<bucket>/<key>`. */
export const mediaFilesPath = '/api/media'
