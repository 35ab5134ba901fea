/** Public interface of destruction. */
export { checkCertificate } from './certificates/issue.ts'
export { destroyPayloads, noteDestroyed } from './destroy.ts'
export { finishDestructions } from './finish.ts'
export { type Cause, findUnfinished } from './ledger-store.ts'
export { endRun, openRun } from './ledger-store.ts'
export { REPLAY } from './outside-store.ts'
export { assertLedgerThere, type Replay, replayLedger } from './replay.ts'
