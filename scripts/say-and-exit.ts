/** Says in one sentence why a command failed, and ends with 1. The stack only helps where the fault is ours. */
export function sayAndExit(error: unknown): never {
  const isOurs = error instanceof TypeError || error instanceof RangeError
  console.error(error instanceof Error && !isOurs ? error.message : error)
  process.exit(1)
}
