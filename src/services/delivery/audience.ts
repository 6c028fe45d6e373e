/** Who content is for: the public sees what is published, a reader of the API the working state. */
export type Audience = 'public' | 'working'
