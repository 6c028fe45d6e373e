import { afterAll, onTestFinished, TestRunner } from 'vitest'

/** Cleans up at the end of the test; or of the file, outside a test: in a test, vitest forgets an `afterAll`. */
export const whenDone = (clean: () => unknown): void => {
  if (TestRunner.getCurrentTest())
    onTestFinished(async () => {
      await clean()
    })
  else
    afterAll(async () => {
      await clean()
    })
}
