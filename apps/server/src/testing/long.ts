/** True in `npm run test:long`: sizes grow to what a release needs. */
export const LONG = process.env['TEST_LONG'] === 'true'

/** Options of a test that runs in `npm run test:long` alone. */
export const longOnly = { skip: LONG ? false : 'npm run test:long' }
