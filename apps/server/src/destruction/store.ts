/** What others have destruction do. */
export { checkCertificate } from './certificates/check.ts'
export { destroyPayloads } from './destroy.ts'
export type { Cause } from './ledger-store.ts'
export { endRun, openRun } from './run-store.ts'
export { REPLAY } from './outside-store.ts'
export { assertLedgerThere, replayLedger } from './replay.ts'
