import { z } from 'zod'
import { actorOf } from '../../middleware/context.js'
import { ChangePassword, ConfirmReset, RequestReset } from '../../services/accounts/password-reset.js'
import type { ApiContext } from '../context.js'
import type { Endpoints } from '../endpoints.js'

export const Message = z.object({ message: z.string() })

/** Changing one's password, and setting a new one by mail. */
export function passwordEndpoints(api: Endpoints, { services: { passwordReset } }: ApiContext) {
  api.post(
    '/auth/reset',
    'signed-in',
    {
      name: 'changePassword',
      fails: [401],
      summary: 'Change your own password',
      description: 'Ends all your other sessions.',
      limited: true,
      body: ChangePassword,
      answers: { shape: Message },
    },
    async (c, { body }) => {
      await passwordReset.change(actorOf(c), body)
      return c.json({ message: 'the password is changed' })
    },
  )
  api.post(
    '/auth/request-password-reset',
    'public',
    {
      name: 'requestPasswordReset',
      summary: 'Send a password reset link by mail',
      description: 'The response is the same whether or not an account has this address.',
      limited: true,
      body: RequestReset,
      answers: { shape: Message },
    },
    (c, { body }) => {
      passwordReset.request(actorOf(c), body)
      return c.json({ message: 'if an account has this e-mail address, the service sends a mail to it' })
    },
  )
  api.post(
    '/auth/confirm-password-reset',
    'public',
    {
      name: 'confirmPasswordReset',
      summary: 'Set a new password with the token from the mail',
      limited: true,
      body: ConfirmReset,
      answers: { shape: Message },
    },
    async (c, { body }) => {
      await passwordReset.confirm(actorOf(c), body)
      return c.json({ message: 'the password is set' })
    },
  )
}
