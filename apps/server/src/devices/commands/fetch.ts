import { COMMANDS_AT_ONCE, type SentCommand } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import type { DeviceContext, Handler } from '../../http/context.ts'
import { issueVerification } from '../verification/issue.ts'
import { forgetUnusedCodes } from '../verification/store.ts'
import { findOpenCommands } from './command-store.ts'
import type { WaitingPhones } from './waiting-phones.ts'

/**
 * What the phone that asks is to do. With `wait` the answer is held until there is something that it was not told yet, or for so many seconds.
 * A question to which there is no answer leaves no entry: ten thousand phones that wait would write 180 a second.
 */
export const fetchCommands =
  (ctx: Pick<AppContext, 'config'>, waiting: WaitingPhones): Handler<'fetchCommands'> =>
  async (context, { query: { wait } }) => {
    const { client_id, device_id } = context.caller
    const read = () => context.read((q) => findOpenCommands(q, device_id, COMMANDS_AT_ONCE))
    const toResponse = async (commands: SentCommand[]) => {
      if (commands.length === 0) context.leaveNoEntry()
      return { commands: await completed(ctx, context, commands) }
    }
    if (wait === 0) return toResponse(await read())
    // Before it looks: what is sent meanwhile ends the wait.
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

/**
 * Commands with what their phone needs and nobody keeps: the code that it is to send is made when it asks, and the one of before, which it
 * never got or did not send, is good no longer.
 */
async function completed(
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
