export { associatedData, type SealedIdentity } from './associated-data.ts'
export { openUlid, sealUlid } from './authenticate.ts'
export { unwrapSecret, wrapSecret } from './blob.ts'
export { type HashedStream, hashing, sha256Of } from './checksum.ts'
export {
  type DeviceKeyPair,
  isSignedBy,
  newDeviceKey,
  type SignedAuthentication,
  signAuthentication,
} from './device-key.ts'
export { newDek, newKeyPair, unwrapDek, wrapDek } from './dek.ts'
export { EnvelopeError, type EnvelopeErrorCode } from './envelope-error.ts'
export { MAX_META_SIZE, openMeta, sealMeta } from './meta.ts'
export { type OpenedRange, openRange, type RangeSource } from './range.ts'
export { openSequential, seal } from './segments.ts'
export { plaintextSize, SEGMENT_SIZE, sealedSize } from './stream-format.ts'
