import { readFile } from 'node:fs/promises'
import { checkCertificate, publicKeysIn } from '../destruction/certificates/issue.ts'
import { checkReviewReport } from '../payloads/marks/routes.ts'
import { checkStatement } from '../payloads/sequence.ts'
import { checkRecertification } from '../recertifications/routes.ts'
import { checkAccessReport } from '../sessions/access-report.ts'
import { checkSupportReport } from '../support-access/session.ts'
import { checkClientDeletion } from '../tenants/jobs.ts'
import { checkReconciliation } from '../transfers/reconciliation/check.ts'
import { defineCommand, exactly, UsageError } from './command.ts'

const OUTCOMES = { good: 0, altered: 3, unknown_key: 4, unreadable: 5 } as const

type Access = Extract<ReturnType<typeof checkAccessReport>, { outcome: 'good' }>['result']
type Keys = ReturnType<typeof publicKeysIn>
type Certificate = Extract<ReturnType<typeof checkCertificate>, { outcome: 'good' }>['result']
type Deletion = Extract<ReturnType<typeof checkClientDeletion>, { outcome: 'good' }>['result']
type Report = Extract<ReturnType<typeof checkSupportReport>, { outcome: 'good' }>['result']
type Reviews = Extract<ReturnType<typeof checkReviewReport>, { outcome: 'good' }>['result']
type Statement = Extract<ReturnType<typeof checkStatement>, { outcome: 'good' }>['result']
type Reconciliation = Extract<ReturnType<typeof checkReconciliation>, { outcome: 'good' }>['result']

const at = (seconds: number) => new Date(seconds * 1000).toISOString()

const ofCertificate = ({ client, certificate_reference, part, parts, payloads, ...result }: Certificate) =>
  `certificate ${certificate_reference} (part ${part} of ${parts}) of ${client}: ${payloads.length} payloads destroyed between ${at(result.began_at)} and ${at(result.ended_at)}`

const ofReconciliation = ({
  client,
  payload_date,
  version,
  transfer_config_reference,
  ...result
}: Reconciliation) =>
  `reconciliation of ${payload_date}, version ${version}, of ${transfer_config_reference} of ${client}: ${result.captured} captured, ${result.delivered} delivered, ${result.missing} missing, as of ${at(result.issued_at)}`

const ofDeletion = ({ client, certificate_reference, deleted_at, proposed_by, deleted_by }: Deletion) =>
  `certificate ${certificate_reference} of the deleted client ${client}: nothing was kept of it on ${at(deleted_at)}, as ${proposed_by} proposed and ${deleted_by} confirmed`

const ofReport = ({ client, issued_at, session: { request, step_count } }: Report) =>
  `report of the support access ${request.request_reference} of ${request.requested_by} to ${client}: ${step_count} steps, as of ${at(issued_at)}`

const ofRecertification = ({
  recertification: { client, recertification_reference, name, people, confirmed, revoked },
}: Extract<ReturnType<typeof checkRecertification>, { outcome: 'good' }>['result']) =>
  `recertification ${recertification_reference} (${name}) of ${client}: ${people} people, ${confirmed} confirmed, ${revoked} revoked`

const ofAccess = ({ client, payload_reference, could, did, ...report }: Access) =>
  `report of the access to ${payload_reference} of ${client} from ${at(report.from)} to ${at(report.to)}: ${could.length} could do ${report.may}, ${did.length} opened it`

const ofReviews = ({ client, reader, from, to, groups, weeks, is_cut, heard, reviewed }: Reviews) =>
  `review coverage of ${client} from ${at(from)} to ${at(to)}, as ${reader} sees ${groups.length} groups: ${heard} heard or opened, ${reviewed} reviewed, in ${weeks.length} rows${is_cut ? ', older ones left out' : ''}`

const ofStatement = ({ client, day, recorded, archived, queued, explained, missing }: Statement) =>
  `statement of completeness of ${client} for ${at(day).slice(0, 10)}: ${recorded} recorded, ${archived} archived, ${queued} queued, ${explained} explained, ${missing} missing`

const CHECKS = [
  checkCertificate,
  checkReconciliation,
  checkClientDeletion,
  checkSupportReport,
  checkRecertification,
  checkAccessReport,
  checkReviewReport,
  checkStatement,
]

/** Tries one file format after the other; a file of another format is not readable. */
function checked(text: string, keys: Keys): { outcome: keyof typeof OUTCOMES; sentence: string } {
  const all = CHECKS.map((check) => check(text, keys))
  const found = all.find(({ outcome }) => outcome !== 'unreadable') ?? { outcome: 'unreadable' as const }
  const { outcome } = found
  if (outcome === 'altered')
    return { outcome, sentence: 'ALTERED: it does not say what was signed. It proves nothing.' }
  if (outcome === 'unreadable')
    return {
      outcome,
      sentence:
        'NOT READABLE: it is cut off, or is no certificate, reconciliation, report or statement. It proves nothing.',
    }
  if (outcome === 'unknown_key')
    return {
      outcome,
      sentence: `UNKNOWN KEY: it names key ${JSON.stringify(found.key_id.slice(0, 64))}, which is none of those given. It was not verified.`,
    }
  const result =
    'part' in found.result
      ? ofCertificate(found.result)
      : 'deleted_by' in found.result
        ? ofDeletion(found.result)
        : 'session' in found.result
          ? ofReport(found.result)
          : 'could' in found.result
            ? ofAccess(found.result)
            : 'people' in found.result
              ? ofRecertification(found.result)
              : 'recorded' in found.result
                ? ofStatement(found.result)
                : 'weeks' in found.result
                  ? ofReviews(found.result)
                  : ofReconciliation(found.result)
  return { outcome, sentence: `GOOD: ${result}, signed by key ${found.key_id}.` }
}

/** `custodia certificate`: without server, database or network (docs/destruction.md, docs/transfers.md). */
export const certificate = defineCommand({
  usage: `custodia certificate <file.json> --key=<public keys: PEM, or the answer of the call for keys> [--key=…]

Verifies a certificate of destruction or of a deleted client, a reconciliation of transfers, a report of support access, of access to a recording or of review coverage, a recertification, or a statement of completeness, without server, database or network.

Ends with 0 when it is good, with 3 when it was altered, with 4 when none of the keys signed it, with 5 when it cannot be read.`,
  options: { key: { type: 'string', multiple: true, default: [] } },
  async run(values, positionals) {
    const [path = ''] = exactly(1, positionals)
    if (values.key.length === 0) throw new UsageError('--key is missing')
    const keys = await Promise.all(values.key.map(async (file) => publicKeysIn(await readFile(file, 'utf8'))))
    const { outcome, sentence } = checked(await readFile(path, 'utf8'), keys.flat())
    console.log(`${path}: ${sentence}`)
    return OUTCOMES[outcome]
  },
})
