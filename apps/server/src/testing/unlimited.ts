/** Settings without rate limits, for tests that call faster than the limits allow. */
export const UNLIMITED = {
  RATE_PORTAL: 'off',
  RATE_DEVICE: 'off',
  RATE_DEVICE_ITEMS: 'off',
  RATE_DEVICE_REPORTS: 'off',
  RATE_PUBLIC: 'off',
} as const

/** Settings for tests on the fast database of the tests, which only lost power can hurt. */
export const FAST_DATABASE = { DATABASE_UNSAFE: 'true' } as const
