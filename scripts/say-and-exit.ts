/** Prints why a command failed, and exits with 1. Without a stack, which only helps for defects of the product. */
export function sayAndExit(error: unknown): never {
  const isOurs = error instanceof TypeError || error instanceof RangeError
  console.error(error instanceof Error && !isOurs ? error.message : error)
  process.exit(1)
}
