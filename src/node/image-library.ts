import { createRequire } from 'node:module'
import { nextTurn } from '../turns.js'
import { commonjs } from './commonjs.js'

/** The modules of sharp that take longest to load. */
export const partsOfSharp = [
  'detect-libc',
  'semver',
  `@img/sharp-${process.platform}-${process.arch}/sharp.node`,
]

let loaded: Promise<typeof import('./images.js')> | undefined

/**
 * Loads what renders images, at the first image: a service without any does not need its 30 MB. At once it would hold the
 * event loop for 40 to 70 ms, so what it requires is loaded before, in turns.
 */
export const imageLibrary = (): Promise<typeof import('./images.js')> => {
  loaded ??= inTurns()
  return loaded
}

async function inTurns(): Promise<typeof import('./images.js')> {
  const own = createRequire(commonjs.resolve('sharp'))
  for (const part of partsOfSharp) {
    await nextTurn()
    try {
      own(part)
    } catch {
      // Another version requires other parts, and loads them itself.
    }
  }
  await nextTurn()
  return import('./images.js')
}
