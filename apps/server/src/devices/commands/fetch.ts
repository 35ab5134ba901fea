import { COMMANDS_AT_ONCE, type SentCommand } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import type { DeviceContext, Handler } from '../../http/context.ts'
import { issueVerification } from '../verification/issue.ts'
import { forgetUnusedCodes } from '../verification/store.ts'
import { findOpenCommands } from './command-store.ts'
import type { WaitingPhones } from './waiting-phones.ts'

/**
 * Returns the open commands of a device. `wait` holds the answer for up to so many seconds; empty answers write no
 * audit entry.
 */
export const fetchCommands =
  (ctx: Pick<AppContext, 'config'>, waiting: WaitingPhones): Handler<'fetchCommands'> =>
  async (context, { query: { wait } }) => {
    const { client_id, device_id } = context.caller
    const read = () => context.read((q) => findOpenCommands(q, device_id, COMMANDS_AT_ONCE))
    const toResponse = async (commands: SentCommand[]) => {
      if (commands.length === 0) context.leaveNoEntry()
      return { commands: await withSecrets(ctx, context, commands) }
    }
    if (wait === 0) return toResponse(await read())
    // Begins the wait before the query, so that a new command ends it.
    const turn = await waiting.begin(`${client_id} ${device_id}`, wait)
    context.reply.raw.once('close', turn.end)
    try {
      let commands = await read()
      if (!commands.some(isNews)) {
        await turn.over
        commands = await read()
      }
      return await toResponse(commands)
    } finally {
      turn.end()
    }
  }

const isNews = ({ state }: SentCommand) => state === 'Sent'

/** Adds secrets that are not stored: a new verification code replaces the previous one. */
async function withSecrets(
  { config }: Pick<AppContext, 'config'>,
  context: DeviceContext,
  commands: SentCommand[],
): Promise<SentCommand[]> {
  const { caller, now } = context
  if (!commands.some((each) => each.command === 'send_verification_sms' && isNews(each))) return commands
  const { device_id } = caller
  const verification_code = await context.write(async (tx) => {
    await forgetUnusedCodes(tx, device_id)
    return issueVerification(tx, { device_id, now })
  })
  const verification = { verification_code, gateway_number: config.smsGatewayNumber ?? null }
  return commands.map((each) =>
    each.command === 'send_verification_sms' && isNews(each) ? { ...each, params: verification } : each,
  )
}
