import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { testApp } from '../support/app.js'

const read = (path: string) => readFileSync(path, 'utf8')
const { call } = await testApp()

it('the dashboard and the page on monitoring name metrics that there are, and all of ours', async () => {
  await call('GET', '/somewhere', { as: 'nobody' })
  const { text } = await call('GET', '/api/v1/metrics')
  const there = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  const named = (file: string) =>
    new Set(
      [...read(file).matchAll(/\b(?:slugline|process|nodejs)_[a-z0-9_]+[a-z]\b/g)].map(([name]) => name),
    )
  const metrics = (file: string) => [...named(file)].map(name => name.replace(/_bucket$/, ''))
  for (const file of ['deploy/grafana-dashboard.json', 'docs/monitoring.md'])
    expect([file, metrics(file).filter(name => !there.has(name))]).toEqual([file, []])
  const ours = [...there].filter(name => name?.startsWith('slugline_'))
  for (const file of ['deploy/grafana-dashboard.json', 'docs/monitoring.md'])
    expect([file, ours.filter(name => !metrics(file).includes(name ?? ''))]).toEqual([file, []])
})
