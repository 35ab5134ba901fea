import { type CommandInput, HOUR, LOCALES, PROPOSAL_ACTIONS, type REPORTED_STATES } from '@custodia/contract'
import { ulid } from 'ulid'
import type { AppContext } from '../app-context.ts'
import { findClient } from '../clients/store.ts'
import { watchCaptureOf } from '../devices/capture/capture.ts'
import { insertCommands, moveCommand } from '../devices/commands/command-store.ts'
import { listDevices } from '../devices/fleet/fleet-store.ts'
import { watchSilenceOf } from '../devices/silence.ts'
import { newId } from '../http/new-id.ts'
import { setHold } from '../legal-holds/routes.ts'
import { basisOfHold, isActive, getName } from '../legal-holds/store.ts'
import { ORIGINAL } from '../payloads/data-objects.ts'
import { insertExport, noteFetched, noteSent } from '../payloads/exports/export-store.ts'
import { findDataSubjects } from '../payloads/store.ts'
import { writeProposal } from '../proposals/propose.ts'
import { keepReason, sealReason } from '../reasons/reasons.ts'
import { noteDemoAct } from './reviews.ts'
import { backdate, type DemoSilence, findToReview, keepReasonsIfNone } from './store.ts'

/** The result of a demo command: the phone's answer, and the seconds after which it came. */
interface Story {
  command: CommandInput
  raised_by: string
  /** Seconds before now at which it was sent. */
  ago: number
  stated: readonly (readonly [state: (typeof REPORTED_STATES)[number], after: number, message?: string])[]
}

const STORIES: readonly Story[] = [
  {
    command: { command: 'sync_data', params: {} },
    raised_by: 'alice',
    ago: 74 * HOUR,
    stated: [
      ['Acknowledged', 2],
      ['Completed', 19, '3 handed over, 0 waiting, 0 refused'],
    ],
  },
  {
    command: { command: 'diagnostics_upload', params: {} },
    raised_by: 'alice',
    ago: 50 * HOUR,
    stated: [['Completed', 8]],
  },
  {
    command: { command: 'sms_auto_response', params: { text: 'I am in a meeting and call you back.' } },
    raised_by: 'alice',
    ago: 27 * HOUR,
    stated: [
      ['Acknowledged', 1],
      ['Failed', 2, 'Another app answers text messages on this phone.'],
    ],
  },
  // Its phone is switched off.
  { command: { command: 'sync_data', params: {} }, raised_by: 'alice', ago: 5 * HOUR, stated: [] },
]

/** Commands of the last days to phones of an account of the demo, as its people would have sent them. */
export async function seedDemoCommands(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  client: string,
): Promise<void> {
  const account = await findClient(db, client)
  if (!account) return
  await db.write(account.client_id, async (tx) => {
    const devices = await listDevices(
      tx,
      { reach: 'all', now: now() },
      { from: undefined, limit: STORIES.length },
    )
    for (const [i, { command, raised_by, ago, stated }] of STORIES.entries()) {
      const device = devices[i]
      if (!device) return
      const sent_at = now() - ago
      const command_reference = ulid(sent_at * 1000)
      await insertCommands(tx, [{ ...device, command_reference }], command, { raised_by, sent_at })
      for (const [state, after, message = null] of stated)
        await moveCommand(
          tx,
          { device_id: device.device_id, command_reference },
          { state, message, now: sent_at + after },
        )
    }
  })
}

/** A former employee from before this system. */
const HELD = { target_type: 'PortalUser', target: 'rita.lopes@acme.example' } as const
/** The proposer; a visitor who signs in as alice is the second person. */
const BY = 'ines'
const REASONS = { set: 'Complaint at the labour court', released: 'The court has closed the case' } as const

/** A pending release of a hold, unless the account has the hold already. */
export async function seedDemoProposal(
  ctx: Pick<AppContext, 'db' | 'keys' | 'now'>,
  client: string,
): Promise<void> {
  const account = await findClient(ctx.db, client)
  if (!account) return
  const reason = await sealReason(ctx, client, REASONS.set)
  const released = await sealReason(ctx, client, REASONS.released)
  await ctx.db.write(account.client_id, async (tx) => {
    if (await isActive(tx, HELD)) return
    const noteAct = (action: string, status_code: number) =>
      noteDemoAct(ctx, tx, { by: BY, at: ctx.now(), action, parameters: { params: HELD }, status_code })
    await setHold(tx, HELD, { by: BY, reason })
    await noteAct('account.legal_holds:update', 200)
    const basis = await basisOfHold(tx, HELD)
    if (!basis) return
    const request = { subject: getName(HELD), act: { kind: 'ReleaseHold', ...HELD } as const, basis, by: BY }
    await writeProposal(tx, { ...request, reason_id: await keepReason(tx, released) }, ctx.now())
    await noteAct(PROPOSAL_ACTIONS.ReleaseHold, 202)
  })
}

/** Reasons for exports; the account requires one only after an administrator enables it. */
const EXPORTS_REASONS = ['Customer complaint', 'Request of the regulator', 'Court order']
/** Of what the export was made: recordings of a group before the newest, which visitors try first. */
const OF = { group: 'South', payload_type: 'Call' } as const
const NEWEST = 4
const MAX = 8
/** Recordings of a part. */
const PART = 2
const EXPORTS_BY = 'alice'
const [, REASON = ''] = EXPORTS_REASONS

/** An export that was made some hours ago and fetched whole, with the reason for it; and reasons that the account keeps. */
export async function seedDemoExports(ctx: Pick<AppContext, 'db' | 'now'>, client: string): Promise<void> {
  const account = await findClient(ctx.db, client)
  if (!account) return
  const made = ctx.now() - 3 * 3600
  await ctx.db.write(account.client_id, async (tx) => {
    await keepReasonsIfNone(tx, EXPORTS_REASONS)
    const chosen = (await findToReview(tx, OF, NEWEST + MAX)).slice(NEWEST)
    const references = chosen.map(({ payload_reference }) => payload_reference)
    const subjects = await findDataSubjects(tx, references)
    const getSize = (reference: string) =>
      subjects.get(reference)?.objects.find(({ kind }) => kind === ORIGINAL)?.size ?? 0
    const parts = []
    for (let i = 0; i < references.length; i += PART) {
      const payload_references = references.slice(i, i + PART)
      const size = payload_references.reduce((sum, reference) => sum + getSize(reference), 0)
      parts.push({ payload_references, size })
    }
    const refused = references.filter((reference) => getSize(reference) === 0).length
    const export_id = newId()
    await insertExport(
      tx,
      {
        export_id,
        made_by: EXPORTS_BY,
        reason: REASON,
        refused,
        is_cut: false,
        contents: ['originals', 'csv', 'report'],
        locale: LOCALES[0],
        parts,
      },
      made,
    )
    const query = { payload_types: [OF.payload_type], groups: [OF.group] }
    const exported = { by: EXPORTS_BY, action: 'payloads:export' }
    const facts = { export_id, recordings: references.length }
    await noteDemoAct(ctx, tx, {
      ...exported,
      at: made,
      parameters: { query, body: { reason: REASON }, facts },
    })
    for (const [i, { payload_references }] of parts.entries()) {
      const [part, at] = [i + 1, made + 60 * (i + 1)]
      await noteFetched(tx, { export_id, part }, at)
      await noteSent(tx, { export_id, part }, { sent: payload_references.length, finished_at: at })
      await noteDemoAct(ctx, tx, {
        ...exported,
        at,
        parameters: { params: { export_id, part }, facts: { recordings: payload_references.length } },
      })
      for (const { payload_id, payload_reference } of chosen) {
        if (!payload_references.includes(payload_reference) || getSize(payload_reference) === 0) continue
        const parameters = { payload_reference, kind: ORIGINAL, reason: REASON }
        await noteDemoAct(ctx, tx, {
          by: EXPORTS_BY,
          at,
          action: 'payloads:download',
          parameters,
          payload_id,
        })
      }
    }
  })
}

/** Phones fall silent in days; those of the demo did so before it began. */
export async function seedDemoSilences(
  ctx: Pick<AppContext, 'db'>,
  client: string,
  silences: readonly DemoSilence[],
): Promise<void> {
  const account = await findClient(ctx.db, client)
  if (!account) return
  await ctx.db.write(account.client_id, async (tx) => {
    for (const silence of silences) await backdate(tx, silence)
  })
  // What the workers would find within ten minutes.
  const { signal } = new AbortController()
  await watchSilenceOf(ctx, account.client_id, signal)
  await watchCaptureOf(ctx, account.client_id, signal)
}
