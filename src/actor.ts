type Surface = 'api' | 'panel' | 'ssh' | 'cli' | 'system'

/** Who makes a change, and by which request. Every audit event names one (6.6). */
export interface Actor {
  readonly userId: string | null
  readonly surface: Surface
  readonly requestId: string
  readonly ipAddress: string
  readonly userAgent: string
}

/** The service itself, as in seeding and background jobs. */
export const systemActor: Actor = {
  userId: null,
  surface: 'system',
  requestId: '',
  ipAddress: '',
  userAgent: '',
}
