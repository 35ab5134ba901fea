import type { Config } from '../apps/server/src/config.ts'
import { DEMO_CAST } from '../apps/server/src/ports/identity/people.ts'
import type { DemoCustomer } from './demo-customer.ts'

/** Start-up message: address, demo users and first steps. */
export function banner(config: Config, { mailbox }: DemoCustomer): string {
  const lines = ['', `  Custodia is ready at ${config.publicUrl}`]
  if (config.demo) {
    lines.push('', '  Demo people (password: the name followed by -demo)')
    for (const person of DEMO_CAST) {
      lines.push(
        `    ${person.client.padEnd(8)} ${person.user_reference.padEnd(8)} ${person.description['en-GB']}`,
      )
    }
    lines.push(
      '',
      '  Try this: choose bob on the sign-in page, then press play on the newest call.',
      '  Then sign in as alice and look at the audit of the same call.',
    )
    if (mailbox) lines.push(`  Mails to these people arrive in ${mailbox}`)
  }
  if (!config.clamd)
    lines.push('', '  No malware scanner is set (CLAMD_HOST or CLAMD_SOCKET): uploads are not scanned.')
  lines.push('', `  API: ${config.publicUrl}/api   State: ${config.dataDir}   Stop: Ctrl+C`, '')
  return lines.join('\n')
}
