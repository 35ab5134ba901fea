/**
 * Options for a test that needs an external program. Without it the test is skipped with the reason; with `CI=true`
 * it fails, so that nothing is silently untested there.
 */
export function requirePart(name: string, available: boolean): { skip: string | false } {
  if (available) return { skip: false }
  const reason = `${name} is not available here; install it with: npm run parts`
  if (process.env['CI'] === 'true') throw new Error(reason)
  return { skip: reason }
}
