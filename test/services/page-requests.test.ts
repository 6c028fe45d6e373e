import { expect, it } from 'vitest'
import { parseConfig } from '../../src/config.js'
import { pageRequests } from '../../src/routes/page-requests.js'

const { config } = parseConfig({ db_driver: 'sqlite', db_url: 'never-opened.db' }, {})
const requests = () => pageRequests('', 'public', () => config)

it('remembers an address that is asked for, however many others somebody makes up', () => {
  const { of, known } = requests()
  const popular = '/home?format=clean'
  const request = of(popular)
  for (let i = 0; i < 20_000; i++) {
    of(`/home?format=clean&x=${i}`)
    if (i % 1000 === 0) expect(known(popular)).toBe(request)
  }
  expect(known('/home?format=clean&x=0')).toBeUndefined()
  expect(known('/home?format=clean&x=19999')).toEqual(request)
})

it('remembers only as many characters as fit, and no address that nobody would write', () => {
  const { of, known } = requests()
  const long = (i: number, length: number) => `/home?format=clean&x=${i}-`.padEnd(length, 'x')
  of(long(0, 1000))
  of(long(0, 1001))
  expect(known(long(0, 1000))).toBeDefined()
  expect(known(long(0, 1001))).toBeUndefined()
  for (let i = 1; i <= 1500; i++) of(long(i, 1000))
  const left = Array.from({ length: 1501 }, (_, i) => i).filter(i => known(long(i, 1000)))
  expect(left).toEqual(Array.from({ length: 1000 }, (_, i) => i + 501))
})

it('remembers no address whose format the configuration decides', () => {
  const { of, known } = requests()
  expect(of('/home').format).toBe(config.output_format)
  expect(known('/home')).toBeUndefined()
})
