import { defineCommand, exactly, EXIT } from './command.ts'

/** `custodia start`: runs the server until it receives a signal to end. */
export const start = defineCommand({
  usage: `custodia start [--services=api|worker|all]

  --services  what this process does; without it all. Splitting needs DATABASE_URL.

Ends with 0 when it was asked to end (SIGTERM), with 1 when it cannot start.`,
  options: { services: { type: 'string' } },
  async run({ services }, positionals) {
    exactly(0, positionals)
    const { runServer } = await import('../run-server.ts')
    await runServer(services === undefined ? [] : [`--services=${services}`], (step) => console.error(step))
    return EXIT.done
  },
})
