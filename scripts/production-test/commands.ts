import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../run.ts'

const shell = promisify(execFile)
const MOST = 10

/** The commands of the README's section "In production". */
export interface Commands {
  /** The command that begins so, with its placeholders replaced. Throws when there is not exactly one, or a placeholder is left. */
  take(begin: string, values?: Record<string, string>): string
  /** Runs that command and resolves to what it printed on standard output. */
  run(begin: string, values?: Record<string, string>): Promise<string>
  /** Commands that were not taken. */
  rest(): string[]
}

/** Reads them. Throws when there are more than ten. */
export async function readmeCommands(): Promise<Commands> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
  const [, section = ''] = /^## In production\n(.*?)^## /ms.exec(readme) ?? []
  const lines = [...section.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  )
  assert.ok(
    lines.length > 0 && lines.length <= MOST,
    `the README has ${lines.length} commands, not 1 to ${MOST}`,
  )
  const taken = new Set<string>()
  const take = (begin: string, values: Record<string, string> = {}) => {
    const [line = '', ...others] = lines.filter((each) => each.startsWith(begin))
    assert.ok(
      line !== '' && others.length === 0,
      `the README has ${line ? 'several commands' : 'no command'} ${begin}`,
    )
    taken.add(line)
    const command = Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), line)
    assert.doesNotMatch(command, /…|<\w/, 'a placeholder is left')
    return command
  }
  return {
    take,
    async run(begin, values) {
      const command = take(begin, values)
      console.log(`# ${command}`)
      const { stdout } = await shell('sh', ['-c', command], { cwd: '/' })
      return stdout
    },
    rest: () => lines.filter((line) => !taken.has(line)),
  }
}
