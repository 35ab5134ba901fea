export { type PhoneClock, systemClock } from './session.ts'
export {
  type Enrolment,
  type KeyEnrolment,
  type PhoneIdentity,
  readEnrolment,
  type SecretEnrolment,
} from './session.ts'
export { folderStore } from './store.ts'
export type { LogReport } from './log-queue.ts'
export { memoryStore } from './store.ts'
export { openPhone, type Phone, type PhoneOptions } from './phone.ts'
export type { PhoneEvent, SyncOptions, SyncReport } from './queue.ts'
export type { RetryPolicy } from './session.ts'
export { InvalidRecording, type Recording } from './queue.ts'
export type { AccountKey, PhoneStore, QueueEntry, RefusalReason } from './store.ts'
