import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'
import { panelForms } from '../support/panel-forms.js'
import { goTo, openScreens } from '../support/ssh-screens.js'

const app = await testApp({}, { file: {} })
const { call } = app
const { post } = panelForms(app)

it('D26: a restart that is due is said in the settings of the panel and in the terminal', async () => {
  const settings = async () => (await call('GET', '/admin/settings')).text
  expect(await settings()).not.toContain('Restart required')
  expect((await post('/admin/settings', { webhook_timeout: '20' })).status).toBe(303)
  expect(await settings()).not.toContain('Restart required')
  expect((await post('/admin/settings', { publish_mode: 'staged' })).status).toBe(303)
  expect(await settings()).toContain(
    '<b>Restart required.</b> Saved. In effect after a restart: <a href="#f-publish_mode">Publish mode</a>.',
  )
  const client = await openScreens(app)
  await goTo(client, 'configuration', 'ssl_port')
  await client.sees('Restart required: publish_mode.')
})
