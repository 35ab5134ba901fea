import * as z from 'zod/mini'
import { DEVICE, endpoints, get, post } from './endpoint.ts'
import { DEVICE_PAYLOAD_STATES, DEVICE_SERVICES, FAILURE_CODES, PayloadType } from './payload-types.ts'
import {
  Base64,
  BATCH_LIMIT,
  ClientReference,
  Email,
  EpochSeconds,
  Imei,
  Iv,
  NonNegative,
  PayloadReference,
  Sha256,
  text,
  uniqueList,
} from './scalars.ts'

/** Largest id token that a device may show, in characters. */
export const ID_TOKEN_LIMIT = 16_384

/** Largest payload that a device may announce, in bytes. */
export const PAYLOAD_SIZE_LIMIT = 8 * 1024 ** 3
/** Largest sealed metadata, in base64 characters. */
export const SEALED_META_LIMIT = 1_400_000
/** Maximum bytes of one announcement. */
export const ANNOUNCEMENT_BODY_LIMIT = 10 * 1024 ** 2
/** Seconds for which an upload address may be used. */
export const UPLOAD_ADDRESS_SECONDS = 900
/** Seconds by which the clock of an authenticating device may differ. */
export const AUTHENTICATE_CLOCK_SECONDS = 300

export const INSTALL_STATES = ['NewInstall', 'FactoryReset', 'NoChange', 'NoInstallationId'] as const

/** The reference of an enrolment, and behind the dot 32 bytes in base64url that only its text holds. */
export const EnrolmentSecret = text(70, 70, [/^[0-7][0-9A-HJKMNP-TV-Z]{25}\.[A-Za-z0-9_-]{43}$/, 'enrolment'])

/** Content of an enrolment as JSON, in a QR code or as text. */
export const EnrolmentText = z.strictObject({
  server_url: z.string(),
  account_reference: ClientReference,
  enrolment: EnrolmentSecret,
})
export type EnrolmentText = z.output<typeof EnrolmentText>

export const AuthenticateRequest = z.strictObject({
  account_reference: ClientReference,
  /** A fresh ULID sealed with the secret of the enrolment, or without one with the account key; see docs/protocol-enrolment.md. */
  ulid_encrypted: Base64(512),
  model: text(1, 255),
  os_version: text(1, 255),
  app_version: text(1, 255),
  serial_number: z.optional(z.nullable(text(1, 255))),
  fcm_token: z.optional(z.nullable(text(1, 4096))),
  installation_id: z.optional(z.nullable(text(1, 255))),
  phone_numbers: uniqueList(text(1, 255), 0, 10),
  imeis: uniqueList(Imei, 0, 10),
  /** E-mail address of the claimed holder. */
  email: z.optional(z.nullable(Email)),
  /** Public key of the device (SPKI, P-256 or Ed25519). The server pins it at first use. */
  device_key: Base64(256),
  /** Signature of this request by the private key of `device_key`. */
  signature: Base64(256),
  /** Attestation certificates of the key from the device's hardware, the key's own first: DER. */
  attestation: z.optional(z.nullable(z.array(Base64(16_384)).check(z.minLength(1), z.maxLength(10)))),
  /** Id token of the identity provider for this device's key: the device's holder has signed in. */
  id_token: z.optional(z.nullable(text(16, ID_TOKEN_LIMIT))),
  /** The code with which the device joined the account: reference and secret. */
  enrolment: z.optional(z.nullable(EnrolmentSecret)),
})
export type AuthenticateRequest = z.output<typeof AuthenticateRequest>

export const AuthenticateAnswer = z.strictObject({
  access_token: z.string(),
  /** Seconds. */
  expires_in: z.int(),
  client_portal_url: z.string(),
  enabled_services: z.array(z.enum(DEVICE_SERVICES)),
  account_reference: z.string(),
  device_reference: z.string(),
  install_state: z.enum(INSTALL_STATES),
})
export type AuthenticateAnswer = z.output<typeof AuthenticateAnswer>

/** One payload announced by a device. Calls without recording carry no data: no checksum, no size. */
export const Announcement = z.strictObject({
  payload_reference: PayloadReference,
  payload_type: PayloadType,
  payload_time: EpochSeconds,
  payload_end_time: z.optional(EpochSeconds),
  key_id: text(1, 255),
  encrypted_dek: Base64(2048),
  iv: Iv,
  meta: Base64(SEALED_META_LIMIT),
  /** SHA-256 of the sealed data. */
  checksum: z.optional(Sha256),
  /** Bytes of the sealed data. */
  size: z.optional(NonNegative.check(z.lte(PAYLOAD_SIZE_LIMIT))),
})
export type Announcement = z.output<typeof Announcement>

const devicePayloadState = z.enum(DEVICE_PAYLOAD_STATES)

export const AnnouncementAnswer = z.strictObject({
  payload_reference: PayloadReference,
  status: devicePayloadState,
  /** Address for the PUT of missing sealed data. */
  upload_url: z.optional(z.string()),
  /** Headers of the PUT, often empty; present with `upload_url`. */
  upload_headers: z.optional(z.record(z.string(), z.string())),
  /** The reference was used for other data: keep this payload, announce it under a new reference. */
  problem: z.optional(z.enum(['payload_conflict', 'invalid_announcement'])),
})
export type AnnouncementAnswer = z.output<typeof AnnouncementAnswer>

export const PayloadStatusAnswer = z.strictObject({
  payload_reference: PayloadReference,
  status: devicePayloadState,
  reason: z.optional(z.enum(FAILURE_CODES)),
})
export type PayloadStatusAnswer = z.output<typeof PayloadStatusAnswer>

export const deviceEndpoints = endpoints({
  readAttestationChallenge: {
    method: 'GET',
    portal: 'device',
    path: 'challenge',
    authentication: 'none',
    summary: 'Get a challenge for the key attestation, valid for an hour',
    response: z.strictObject({ challenge: z.string(), expires_at: EpochSeconds }),
  },
  authenticateDevice: {
    method: 'POST',
    portal: 'device',
    path: 'authenticate',
    authentication: 'none',
    summary: 'Authenticate a device and issue its access token',
    body: AuthenticateRequest,
    response: AuthenticateAnswer,
    problems: ['device_authentication_required', 'enrolment_refused', 'sign_in_refused', 'unavailable'],
    secrets: ['ulid_encrypted', 'fcm_token', 'enrolment', 'id_token', 'access_token'],
  },
  readDeviceKey: {
    ...get(DEVICE, 'key'),
    summary: 'Get the public key that wraps the devices’ data keys',
    query: {},
    response: z.strictObject({
      key_id: z.string(),
      /** SubjectPublicKeyInfo in PEM: RSA, 3072 bits, for RSA-OAEP with SHA-256. */
      kek: z.string(),
      /** Account name, which every sealed payload contains. */
      client: z.string(),
    }),
    problems: ['not_found'],
  },
  readDevicePolicy: {
    ...get(DEVICE, 'policy'),
    summary: 'Get the terms for the device user',
    query: {},
    response: z.strictObject({ valid_from: EpochSeconds, termsAndConditions: z.string() }),
  },
  announcePayloads: {
    ...post(DEVICE, 'payloads'),
    summary: 'Announce up to 100 payloads; get their states and upload addresses',
    body: z.strictObject({
      payloads: z.array(Announcement).check(
        z.minLength(1),
        z.maxLength(BATCH_LIMIT),
        z.refine((items) => new Set(items.map((each) => each.payload_reference)).size === items.length, {
          error: 'not_unique',
        }),
      ),
    }),
    // Six of the largest, or a hundred with 100 kB of metadata each; devices send more in several calls.
    bodyLimit: ANNOUNCEMENT_BODY_LIMIT,
    response: z.strictObject({ payloads: z.array(AnnouncementAnswer) }),
    secrets: ['encrypted_dek', 'meta', 'upload_url'],
    unlogged: ['key_id', 'encrypted_dek', 'iv', 'meta'],
  },
  uploadPayload: {
    method: 'PUT',
    portal: 'device',
    path: 'uploads/{token}',
    authentication: 'address',
    summary: 'Upload the sealed data of a payload durably',
    params: { token: text(16, 2048) },
    bytes: 'request',
    response: z.strictObject({ status: devicePayloadState }),
    problems: ['not_found', 'length_required', 'payload_conflict', 'wrong_size', 'wrong_checksum'],
    secrets: ['token'],
  },
  readPayloadStatus: {
    ...post(DEVICE, 'payloads/status'),
    summary: 'Get up to 100 payload states; devices free copies only on `processed`',
    body: z.strictObject({ payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT) }),
    response: z.strictObject({ payloads: z.array(PayloadStatusAnswer) }),
  },
})

export const deviceIdentityEndpoints = endpoints({
  readDeviceIdentity: {
    method: 'GET',
    portal: 'device',
    path: 'identity',
    authentication: 'none',
    summary: 'Start the sign-in of a device holder',
    query: { account_reference: ClientReference },
    response: z.strictObject({
      /** The device adds `redirect_uri`, `state`, `nonce` and the PKCE challenge. */
      redirect_url: z.string(),
      client_id: z.string(),
      /** The issuer. */
      user_pool_id: z.string(),
    }),
    problems: ['not_found', 'unavailable'],
  },
  exchangeDeviceCode: {
    method: 'POST',
    portal: 'device',
    path: 'identity',
    authentication: 'none',
    summary: 'Exchange the identity provider’s code of a device',
    body: z.strictObject({
      account_reference: ClientReference,
      code: text(1, 4096),
      redirect_uri: text(1, 2048),
      code_verifier: text(43, 128),
      nonce: text(1, 255),
    }),
    response: z.strictObject({
      access_token: z.string(),
      id_token: z.string(),
      refresh_token: z.nullable(z.string()),
      /** Seconds. */
      expires_in: z.int(),
    }),
    problems: ['not_found', 'sign_in_refused', 'unavailable'],
    secrets: ['code', 'code_verifier', 'access_token', 'id_token', 'refresh_token'],
  },
})
