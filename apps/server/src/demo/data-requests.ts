import { countRequests, endRequest, findSubject, insertRequest } from '../data-requests/store.ts'
import { dueOf } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { newId } from '../http/new-id.ts'
import { keepReason, sealReason } from '../reasons/reasons.ts'

const DAY = 86_400
const BY = 'alice'
/** Two requests of demo people: one open and due soon, one answered. */
const ASKED = [
  {
    subject: 'Nadia Volk',
    kind: 'Erasure',
    law: 'GDPR',
    days: 26,
    note: 'By letter. Her lawyer writes that she left the trading desk.',
  },
  {
    subject: 'João Almeida',
    kind: 'Access',
    law: 'LGPD',
    days: 20,
    note: 'By e-mail, his identity was checked.',
    answered: 'The report was sent by registered letter.',
  },
] as const

/** Requests of people of the demo, unless the client has some already, or has none of these people. */
export async function seedDataRequests(
  ctx: Pick<AppContext, 'db' | 'keys' | 'now'>,
  { client_id, client }: { client_id: number; client: string },
): Promise<void> {
  if (await ctx.db.read(client_id, (q) => countRequests(q, {}))) return
  for (const { subject, kind, law, days, note, ...more } of ASKED) {
    const seal = (text: string) => sealReason(ctx, client, text)
    const texts = {
      note: await seal(note),
      answered: 'answered' in more ? await seal(more.answered) : undefined,
    }
    await ctx.db.write(client_id, async (tx) => {
      const device_user_id = await findSubject(tx, subject)
      if (device_user_id === undefined) return
      const data_request_id = newId()
      const received_at = ctx.now() - days * DAY
      await insertRequest(tx, {
        data_request_id,
        kind,
        law,
        subject_type: 'DeviceUser',
        subject,
        device_user_id,
        received_at,
        due_at: dueOf(law, received_at).due_at,
        opened_by: BY,
        note_id: await keepReason(tx, texts.note),
      })
      const reason_id = await keepReason(tx, texts.answered)
      if (reason_id !== null) await endRequest(tx, data_request_id, { state: 'Answered', by: BY, reason_id })
    })
  }
}
