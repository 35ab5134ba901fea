import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type Daemon, startDaemon, untilReady } from '../../apps/server/src/testing/daemon.ts'

const NGINX = ['nginx', '-g', 'daemon off;']

/** Starts and stops services as `systemctl` does, which needs a machine that systemd has booted. Reads the unit files that are installed. */
export class Services {
  readonly #running = new Map<string, Daemon>()

  /** Runs a command line `systemctl restart …`, and waits until each process of Custodia is ready. */
  async systemctl(command: string): Promise<void> {
    const [, verb, ...names] = command.split(' ')
    assert.equal(verb, 'restart')
    console.log(`# ${command}`)
    await this.stop()
    for (const name of names) {
      const [program = '', ...args] = name === 'nginx' ? NGINX : await commandOf(name)
      this.#running.set(name, startDaemon(program, args))
    }
    for (const [name, daemon] of this.#running) {
      const [, port] = name.split('@')
      if (port !== undefined)
        await untilReady(daemon, name, async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok)
    }
  }

  /** What the services have printed last. */
  output(): string {
    return [...this.#running].map(([name, daemon]) => `${name}:\n${daemon.output()}`).join('\n')
  }

  /** Ends every service. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((daemon) => daemon.stop()))
    this.#running.clear()
  }
}

/** What systemd runs for `prefix@instance`, as the user of the unit. */
async function commandOf(name: string): Promise<string[]> {
  const [prefix = '', instance = ''] = name.split('@')
  const unit = await readFile(`/etc/systemd/system/${prefix}@.service`, 'utf8')
  const valueOf = (key: string) => {
    const [, value] = new RegExp(`^${key}=(.+)$`, 'm').exec(unit) ?? []
    assert.ok(value, `${prefix}@.service has no ${key}`)
    // %j is the last part of the prefix.
    return value.replaceAll('%i', instance).replaceAll('%j', prefix.split('-').at(-1) ?? '')
  }
  const [environment, start] = [valueOf('Environment').split(' '), valueOf('ExecStart').split(' ')]
  const user = [`--reuid=${valueOf('User')}`, `--regid=${valueOf('Group')}`, '--init-groups']
  return ['setpriv', ...user, '--', 'env', ...environment, ...start]
}
