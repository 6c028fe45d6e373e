import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ExternalChanges } from '../../src/db/external-changes.js'

/** An engine on which looking is cheap, and what other processes have stored in it. */
function engine(isShared: boolean) {
  const state = { version: 1, looks: 0, isAway: false }
  const changes = new ExternalChanges({
    cheapToRead: true,
    isShared,
    externalVersion() {
      state.looks++
      if (state.isAway) throw new Error('away')
      return state.version
    },
  })
  changes.known()
  return { state, changes }
}

it('looks once for requests that arrive together', async () => {
  const { state, changes } = engine(true)
  await nextTurn()
  state.looks = 0
  for (let i = 0; i < 1000; i++) {
    changes.arrived()
    changes.known()
    changes.sync({ exact: true })
  }
  expect(state.looks).toBeGreaterThan(0)
  // A machine that stops for a moment makes it look again.
  expect(state.looks).toBeLessThan(1000)
})

it('sees each change that was stored before a request was sent', async () => {
  const { state, changes } = engine(true)
  let known = changes.known()
  for (let i = 0; i < 100; i++) {
    changes.arrived()
    changes.known()
    state.version++
    await nextTurn()
    // By a request that arrives, and by one whose body came later.
    if (i % 2 === 0) changes.arrived()
    expect(changes.known()).toBe(++known)
  }
})

it('looks for each question where no request has arrived', async () => {
  const { state, changes } = engine(true)
  await nextTurn()
  state.looks = 0
  for (let i = 0; i < 10; i++) changes.known()
  expect(state.looks).toBe(10)
})

it('does not look for the requests of a process that serves alone', () => {
  const { state, changes } = engine(false)
  state.looks = 0
  for (let i = 0; i < 10; i++) changes.arrived()
  expect(state.looks).toBe(0)
})

it('gives a failure to who asks, and not to the listener', () => {
  const { state, changes } = engine(true)
  state.isAway = true
  changes.arrived()
  expect(() => changes.known()).toThrow('away')
})
