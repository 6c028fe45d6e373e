import { actorOf } from '../../middleware/context.js'
import {
  RecoveryCodes,
  SecondFactorBegin,
  SecondFactorChange,
  SecondFactorConfirm,
  SecondFactorSecret,
  SecondFactorState,
} from '../../services/accounts/second-factor.js'
import type { ApiContext } from '../context.js'
import type { Endpoints } from '../endpoints.js'
import { Message } from './passwords.js'

const path = '/auth/second-factor'

/** The second factor of one's own account. */
export function secondFactorEndpoints(api: Endpoints, { services }: ApiContext) {
  setUpEndpoints(api, services)
  changeEndpoints(api, services)
}

type Parts = Pick<ApiContext['services'], 'secondFactor'>

function setUpEndpoints(api: Endpoints, { secondFactor }: Parts): void {
  api.get(
    path,
    'own-account',
    {
      name: 'getSecondFactor',
      summary: 'Get the state of your second factor',
      answers: { shape: SecondFactorState },
    },
    async c => c.json(await secondFactor.state(actorOf(c))),
  )
  api.post(
    path,
    'own-account',
    {
      name: 'beginSecondFactor',
      fails: [401],
      summary: 'Create the secret of a second factor',
      description: 'The factor is off until you confirm it with a code. Needs a session.',
      limited: true,
      secret: true,
      body: SecondFactorBegin,
      answers: { shape: SecondFactorSecret },
    },
    async (c, { body }) => c.json(await secondFactor.begin(actorOf(c), body)),
  )
  api.post(
    `${path}/confirm`,
    'own-account',
    {
      name: 'confirmSecondFactor',
      fails: [401],
      summary: 'Start to use a second factor, by a first code',
      description: 'Ends all your other sessions. Needs a session.',
      limited: true,
      secret: true,
      body: SecondFactorConfirm,
      answers: { shape: RecoveryCodes },
    },
    async (c, { body }) => c.json(await secondFactor.confirm(actorOf(c), body)),
  )
}

function changeEndpoints(api: Endpoints, { secondFactor }: Parts): void {
  api.post(
    `${path}/recovery-codes`,
    'signed-in',
    {
      name: 'renewRecoveryCodes',
      fails: [401],
      summary: 'Replace your recovery codes',
      description: 'Needs a session.',
      limited: true,
      secret: true,
      body: SecondFactorChange,
      answers: { shape: RecoveryCodes },
    },
    async (c, { body }) => c.json(await secondFactor.renewCodes(actorOf(c), body)),
  )
  api.post(
    `${path}/disable`,
    'signed-in',
    {
      name: 'disableSecondFactor',
      fails: [401],
      summary: 'Remove your second factor',
      description: 'Needs a session.',
      limited: true,
      body: SecondFactorChange,
      answers: { shape: Message },
    },
    async (c, { body }) => {
      await secondFactor.turnOff(actorOf(c), body)
      return c.json({ message: 'the second factor is off' })
    },
  )
}
