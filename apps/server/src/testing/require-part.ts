/**
 * Options for a test that needs an outside part. Without the part the test is skipped by name and with the reason; where
 * `CI=true` a missing part is a failure, so that nothing is silently untested there.
 */
export function requirePart(name: string, available: boolean): { skip: string | false } {
  if (available) return { skip: false }
  const reason = `${name} is not available here; install it with: npm run parts`
  if (process.env['CI'] === 'true') throw new Error(reason)
  return { skip: reason }
}
