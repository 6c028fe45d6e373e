import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.js'
import { examplesOf } from '../../src/cli/examples.js'
import { runHere } from '../support/terminal.js'

const folder = mkdtempSync(join(tmpdir(), 'slugline-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const has = (program: string) => spawnSync(program, ['--version']).status === 0

async function scriptOf(shell: string): Promise<string> {
  const { code, out } = await runHere(['completion', shell])
  expect(code).toBe(0)
  const path = join(folder, `slugline.${shell}`)
  writeFileSync(path, out)
  return path
}

describe('help', () => {
  it.each(commands.map(({ words }) => words))('%s has two examples of itself', words => {
    const shown = examplesOf(words)
    expect(shown).toHaveLength(2)
    expect(shown.join('\n')).toContain(words)
    const { options = {} } = commands.find(one => one.words === words) ?? {}
    const known = [...Object.keys(options).map(flags => flags.split(' ')[0]), '--json', '--version']
    for (const [option] of (shown[0] ?? '').matchAll(/--[a-z][a-z-]+/g)) expect(known).toContain(option)
  })

  it.runIf(has('man'))('the manual page has every command and no warning', async () => {
    const { code, out } = await runHere(['help', '--man'])
    expect(code).toBe(0)
    for (const { words, isHidden } of commands)
      if (!isHidden) expect(out).toContain(`.SS ${words.replaceAll('-', '\\-')}\n`)
    const path = join(folder, 'slugline.1')
    writeFileSync(path, out)
    const shown = spawnSync('man', ['--warnings', '-l', path], {
      encoding: 'utf8',
      env: { ...process.env, MANPAGER: 'cat' },
    })
    expect([shown.status, shown.stderr]).toEqual([0, ''])
    expect(shown.stdout).toContain('slugline content publish [entry...]')
  })
})

describe('completion', () => {
  it.runIf(has('bash')).each([
    [
      ['slugline', 'con'],
      ['config', 'content'],
    ],
    [['slugline', 'content', 'p'], ['publish']],
    [['slugline', 'content', 'list', '--st'], ['--status']],
    [['slugline', 'content', 'delete', '/about', '--y'], ['--yes']],
    [['slugline', 'content', '--config', 'x', 'nothing'], []],
  ])('bash completes %j', async (line, wanted) => {
    const script = `source ${await scriptOf('bash')}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _slugline; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...line], {
      encoding: 'utf8',
    })
    expect([stdout.split('\n').filter(Boolean), stderr]).toEqual([wanted, ''])
  })

  it.runIf(has('zsh'))('zsh reads its script', async () => {
    expect(spawnSync('zsh', ['-n', await scriptOf('zsh')])).toMatchObject({ status: 0 })
  })

  it.runIf(has('fish')).each([
    ['slugline con', ['config', 'content']],
    ['slugline content p', ['publish']],
    ['slugline content list --st', ['--status']],
  ])('fish completes %j', async (line, wanted) => {
    const script = `source ${await scriptOf('fish')}; complete -C '${line}'`
    const { stdout } = spawnSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' })
    expect(stdout.split('\n').flatMap(row => row.split('\t')[0] || [])).toEqual(wanted)
  })

  it('refuses another shell', async () => {
    expect(await runHere(['completion', 'tcsh'])).toMatchObject({
      code: 1,
      err: 'slugline: unknown shell tcsh: use bash, zsh or fish\n',
    })
  })
})
