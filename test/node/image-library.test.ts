import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { commonjs } from '../../src/node/commonjs.js'
import { imageLibrary, partsOfSharp } from '../../src/node/image-library.js'

it('loads parts that this version of the image library requires, and then the library once', async () => {
  const own = createRequire(commonjs.resolve('sharp'))
  for (const part of partsOfSharp)
    expect([part, typeof own(part)]).toEqual([part, expect.stringMatching(/^(object|function)$/)])
  const [one, other] = await Promise.all([imageLibrary(), imageLibrary()])
  expect(one).toBe(other)
  expect(one.images.render).toBeTypeOf('function')
})
