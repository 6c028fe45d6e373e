/**
 * Whether the tests that repeat themselves do it as often as they can: `TEST_THOROUGH=1`, which `npm run test:all` sets
 * and which holds for the first engine of a run.
 */
const thorough = process.env.TEST_THOROUGH === '1'

/** How often, or how much: the usual amount of a run, and the thorough one. */
export const amount = (usual: number, most: number): number => (thorough ? most : usual)
