/**
 * Whether repeated tests run as often as possible: `TEST_THOROUGH=1`, which `npm run test:all` sets for the first
 * engine of a run.
 */
const thorough = process.env.TEST_THOROUGH === '1'

/** Returns an amount: the usual one of a run, or the thorough one. */
export const amount = (usual: number, most: number): number => (thorough ? most : usual)
