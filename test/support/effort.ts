/** Whether repeated tests run as often as possible, on the first engine of a run: `TEST_THOROUGH=1`, as for a release. */
const thorough = process.env.TEST_THOROUGH === '1'

/** Returns an amount: the usual one of a run, or the thorough one. */
export const amount = (usual: number, most: number): number => (thorough ? most : usual)
