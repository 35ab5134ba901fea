import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { verify } from './verify.ts'

/** What the message gateway calls. */
export const verificationRoutes = (ctx: AppContext): Handlers<'verify'> => ({
  verify: (context, { body }) => verify(ctx, context, body),
})
