import { CHECKS } from './checks.ts'
import type { VerifyReport } from './verify.ts'

/** Findings of a kind that the report spells out; `--json` has more. */
const SPELLED = 20

/** A report for people. */
export function verifyReport({
  outcome,
  started_at,
  ended_at,
  checked,
  found,
  findings,
  problem,
}: VerifyReport): string {
  const seconds = Math.max(1, ended_at - started_at)
  const lines = [
    `${count(checked.payloads, 'payload')} of ${count(checked.clients, 'client')}, ${count(checked.objects, 'object')} listed, ${count(checked.opened, 'object')} opened (${megabytes(checked.opened_bytes)}), in ${seconds} s`,
  ]
  if (checked.keys_unnamed)
    lines.push(
      `${count(checked.keys_unnamed, 'key')} in the keystore that no row has named for eight days (docs/destruction.md, "Limits")`,
    )
  for (const { check, client, count: times } of found) {
    lines.push('', `${check}${client === null ? '' : ` in ${client}`}: ${times}`, `  ${CHECKS[check]}`)
    const named = findings.filter((each) => each.check === check && each.client === client)
    for (const { subject, detail } of named.slice(0, SPELLED))
      lines.push(`    ${subject}${detail === '' ? '' : `  (${detail})`}`)
    if (times > Math.min(named.length, SPELLED))
      lines.push(`    … and ${times - Math.min(named.length, SPELLED)} more`)
  }
  lines.push('', SAID[outcome])
  if (problem !== undefined) lines.push(`  ${problem}`)
  return lines.join('\n')
}

const SAID = {
  clean: 'Nothing is missing, altered or contradictory.',
  findings: 'The archive is NOT as it should be.',
  unverified: 'The archive could NOT be verified to its end.',
} as const satisfies Record<VerifyReport['outcome'], string>

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
