/** The protocol pages of docs/ agree with the contract. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import {
  api,
  APP_STATISTICS_LIMIT,
  APPLICATIONS_LIMIT,
  AUTHENTICATE_CLOCK_SECONDS,
  BATCH_LIMIT,
  COMMAND_ANSWER_DAYS,
  COMMAND_WAIT_SECONDS,
  COMMANDS,
  COMMANDS_AT_ONCE,
  DEVICE_PAYLOAD_STATES,
  DEVICE_SERVICES,
  type Endpoint,
  FAILURE_CODES,
  GpsMeta,
  INSTALL_STATES,
  LATE_AFTER_SECONDS,
  LOG_LEVELS,
  LOG_MESSAGE_LIMIT,
  LOG_STATUSES,
  MessageDocument,
  PAYLOAD_META,
  PAYLOAD_SIZE_LIMIT,
  PAYLOAD_TYPES,
  PROBLEMS,
  REPORT_FAILURES,
  REPORT_PIECE,
  REPORT_SIZE_LIMIT,
  REPORT_STATUSES,
  REPORTED_STATES,
  SEALED_META_LIMIT,
  SEALED_POINT_LIMIT,
  SEALED_REPORT_LIMIT,
  SIM_STATES,
  Telemetry,
  UPLOAD_ADDRESS_SECONDS,
} from '@custodia/contract'
import { isSignedBy, openUlid, type SignedAuthentication } from '@custodia/envelope'
import { readEnrolment, type SecretEnrolment, getSecret } from './session.ts'

const DOCS = new URL('../../../docs/', import.meta.url)
const names = (await readdir(DOCS)).filter((name) => /^protocol.*\.md$/.test(name))
const pages = await Promise.all(names.map((name) => readFile(new URL(name, DOCS), 'utf8')))
const document = pages.join('\n')
/** Without line breaks, which wrapping moves. */
const text = document.replaceAll(/\s+/g, ' ')
const examples = new Map(
  [...document.matchAll(/<!-- example: (.+?) -->\s*```json\n([\s\S]+?)```/g)].map((match) => [
    match[1] ?? '',
    JSON.parse(match[2] ?? '') as unknown,
  ]),
)

describe('docs/protocol*.md', () => {
  it('describes every device call with examples that the contract accepts', () => {
    for (const [name, row] of Object.entries(api) as [string, Endpoint][]) {
      if (row.portal !== 'device' || row.bytes) continue
      assert.ok(document.includes(`**\`${row.method} ${row.path}\`**`), row.path)
      for (const part of ['body', 'response'] as const) {
        const schema = row[part]
        if (!schema) continue
        const parsed = schema.safeParse(examples.get(`${name} ${part}`))
        assert.ok(parsed.success, `${name} ${part}: ${JSON.stringify(parsed.error?.issues)}`)
      }
    }
  })

  it('shows valid examples of meta, message, telemetry and problem', () => {
    PAYLOAD_META.Call.parse(examples.get('meta Call'))
    PAYLOAD_META.SMS.parse(examples.get('meta SMS'))
    GpsMeta.parse(examples.get('position'))
    MessageDocument.parse(examples.get('message document'))
    const telemetry = Telemetry.parse(examples.get('telemetry'))
    for (const field of Object.keys(Telemetry.shape))
      assert.ok(field in telemetry || document.includes(`\`${field}\``), field)
    const problem = examples.get('problem') as { code: keyof typeof PROBLEMS; error_code: number }
    assert.equal(PROBLEMS[problem.code].status, problem.error_code)
  })

  it('shows an enrolment whose secret opens the example authentication', () => {
    const enrolment = examples.get('enrolment') as SecretEnrolment
    const body = examples.get('authenticateDevice body') as SignedAuthentication &
      Record<'device_key' | 'signature', string>
    assert.ok(isSignedBy(body.device_key, body.signature, body))
    const ulid = openUlid(getSecret(enrolment), enrolment.account_reference, body.ulid_encrypted)
    assert.equal(ulid, '01JD5X3V8Q2M4N6P7R9S0T1V2W')
  })

  it('shows an enrolment that devices can read', () => {
    const stated = examples.get('enrolment')
    assert.deepEqual(readEnrolment(JSON.stringify(stated)), stated)
  })

  it('names every state, type, reason and limit', () => {
    const words = [
      ...COMMANDS,
      ...LOG_LEVELS,
      ...LOG_STATUSES,
      ...REPORT_FAILURES,
      ...REPORT_STATUSES,
      ...SIM_STATES,
      ...REPORTED_STATES,
      ...DEVICE_PAYLOAD_STATES,
      ...DEVICE_SERVICES,
      ...FAILURE_CODES,
      ...INSTALL_STATES,
      ...PAYLOAD_TYPES,
    ]
    for (const word of words) assert.ok(document.includes(`\`${word}\``), word)
    const limits = [
      `at most **${BATCH_LIMIT}** payloads`,
      `at most **${AUTHENTICATE_CLOCK_SECONDS}** seconds`,
      `good for **${UPLOAD_ADDRESS_SECONDS}**`,
      `at most ${SEALED_META_LIMIT} characters`,
      `at most ${PAYLOAD_SIZE_LIMIT} `,
      `more than ${LATE_AFTER_SECONDS} seconds`,
      `(0 to **${COMMAND_WAIT_SECONDS}**)`,
      `at most **${COMMANDS_AT_ONCE}**, oldest first`,
      `for **${COMMAND_ANSWER_DAYS}** days`,
      `1 to **${BATCH_LIMIT}** logs`,
      `1 to **${BATCH_LIMIT}** positions`,
      `at most **${SEALED_POINT_LIMIT}** characters`,
      `1 to ${LOG_MESSAGE_LIMIT} characters`,
      `1 to **${BATCH_LIMIT}** reports`,
      `at most ${REPORT_SIZE_LIMIT} bytes`,
      `(${SEALED_REPORT_LIMIT} characters`,
      `for each ${REPORT_PIECE} characters`,
      `up to ${APPLICATIONS_LIMIT}`,
      `up to ${APP_STATISTICS_LIMIT}`,
    ]
    for (const limit of limits) assert.ok(text.includes(limit), limit)
  })
})
