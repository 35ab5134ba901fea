import { type Command, defineCommand, exactly, EXIT } from './command.ts'

const ENDS = 'Ends with 0 when it was asked to end (SIGTERM), with 1 when it cannot start.'

/** `custodia start`: runs the server until it receives a signal to end. */
export const start = defineCommand({
  usage: `custodia start [--services=api|worker|all]

  --services  what this process does; without it all. Splitting needs DATABASE_URL.

${ENDS}`,
  options: { services: { type: 'string' } },
  async run({ services }, positionals) {
    exactly(0, positionals)
    return runUntilEnded(services)
  },
})

/** `custodia api` and `custodia worker`: run a half of the server until they receive a signal to end. */
export const api = half('api', 'Runs portal and API.')
export const worker = half('worker', 'Runs jobs.')

function half(services: 'api' | 'worker', what: string): Command {
  return defineCommand({
    usage: `custodia ${services}\n\n${what} Needs DATABASE_URL. ${ENDS}`,
    options: {},
    async run(_options, positionals) {
      exactly(0, positionals)
      return runUntilEnded(services)
    },
  })
}

async function runUntilEnded(services: string | undefined): Promise<number> {
  const { runServer } = await import('../run-server.ts')
  await runServer(services === undefined ? [] : [`--services=${services}`], (step) => console.error(step))
  return EXIT.done
}
