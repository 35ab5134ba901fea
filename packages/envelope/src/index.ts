export { associatedData, metaKind, type SealedIdentity } from './associated-data.ts'
export { openUlid, sealUlid } from './meta.ts'
export { unwrapSecret, wrapSecret } from './segment-cipher.ts'
export { type HashedStream, hashing, sha256Of } from './checksum.ts'
export {
  type DeviceKeyPair,
  isSignedBy,
  newDeviceKey,
  type SignedAuthentication,
  signAuthentication,
} from './device-key.ts'
export { newDek, newKeyPair, unwrapDek, wrapDek } from './meta.ts'
export { EnvelopeError, type EnvelopeErrorCode } from './segment-cipher.ts'
export { MAX_META_SIZE, openMeta, sealMeta } from './meta.ts'
export { type OpenedRange, openRange, type RangeSource } from './range.ts'
export { openSequential, seal } from './segments.ts'
export { plaintextSize, SEGMENT_SIZE, sealedSize } from './segment-cipher.ts'
