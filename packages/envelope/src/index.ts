export { type HashedStream, hashing } from './checksum.ts'
export {
  type DeviceKeyPair,
  isSignedBy,
  newDek,
  newDeviceKey,
  newKeyPair,
  openUlid,
  sealUlid,
  type SignedAuthentication,
  signAuthentication,
  unwrapDek,
  wrapDek,
} from './keys.ts'
export { MAX_META_SIZE, openMeta, sealMeta } from './meta.ts'
export { type OpenedRange, openRange, type RangeSource } from './range.ts'
export {
  associatedData,
  EnvelopeError,
  type EnvelopeErrorCode,
  metaKind,
  plaintextSize,
  SEGMENT_SIZE,
  type SealedIdentity,
  sealedSize,
  unwrapSecret,
  wrapSecret,
} from './segment-cipher.ts'
export { openSequential, seal } from './segments.ts'
