export { type PhoneClock, systemClock } from './clock.ts'
export {
  type Enrolment,
  type KeyEnrolment,
  type PhoneIdentity,
  readEnrolment,
  type SecretEnrolment,
} from './enrolment.ts'
export { folderStore } from './folder-store.ts'
export type { LogReport } from './log-queue.ts'
export { memoryStore } from './memory-store.ts'
export { openPhone, type Phone, type PhoneOptions } from './phone.ts'
export type { PhoneEvent, SyncOptions, SyncReport } from './queue.ts'
export type { RetryPolicy } from './retry.ts'
export { InvalidRecording, type Recording } from './seal-recording.ts'
export type { AccountKey, PhoneStore, QueueEntry, RefusalReason } from './store.ts'
